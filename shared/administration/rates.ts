import * as z from 'zod';
import type { PartnerId } from '../domain/values/ids.ts';
import { answered, type Exchange, environment, id, idText } from './fields.ts';

/** Calls a minute that a partner may be given: the stages' gateways let through 3,000 to 60,000 of all partners together. */
export const LARGEST_RATE = 60_000;

export const setRate = {
  params: z.strictObject({ partner_id: idText<PartnerId>('Whose.') }),
  body: z.strictObject({
    environment: environment(),
    limit: z
      .int()
      .min(1)
      .max(LARGEST_RATE)
      .nullable()
      .describe('Calls a minute from the next call on; null is the usual limit.'),
  }),
  answer: answered({
    partner_id: id<PartnerId>('Whose.'),
    environment: environment(),
    limit: z.int().describe('Calls a minute.'),
  }),
} satisfies Exchange;
