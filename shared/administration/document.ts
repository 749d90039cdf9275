import * as z from 'zod/mini';
import { described } from '../contract/described.ts';
import type { Exchange } from './fields.ts';

/** OpenAPI's own form, and no `ok`: generators read it as it comes. */
export const showOpenapi = {
  answer: z.looseObject({
    openapi: z.literal('3.1.0'),
    info: z.looseObject({ title: z.string(), version: z.string() }),
    paths: described(z.looseObject({}), 'Each operation that the API has.'),
  }),
} satisfies Exchange;
