import * as z from 'zod';
import type { Exchange } from './fields.ts';

/** OpenAPI's own form, and no `ok`: generators read it as it comes. */
export const showOpenapi = {
  answer: z.looseObject({
    openapi: z.literal('3.1.0'),
    info: z.looseObject({ title: z.string(), version: z.string() }),
    paths: z.looseObject({}).describe('Each operation that the API has.'),
  }),
} satisfies Exchange;
