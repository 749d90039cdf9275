import * as z from 'zod/mini';
import { described } from '../contract/described.ts';
import type { PartnerId } from '../domain/values/ids.ts';
import { answered, type Exchange, environment, id, idText } from './fields.ts';

/** Calls a minute that a partner may be given: the stages' gateways let through 3,000 to 60,000 of all partners together. */
export const LARGEST_RATE = 60_000;

export const setRate = {
  params: z.strictObject({ partner_id: idText<PartnerId>('Whose.') }),
  body: z.strictObject({
    environment: environment(),
    limit: described(
      z.nullable(z.int().check(z.minimum(1), z.maximum(LARGEST_RATE))),
      'Calls a minute from the next call on; null is the usual limit.',
    ),
  }),
  answer: answered({
    partner_id: id<PartnerId>('Whose.'),
    environment: environment(),
    limit: described(z.int(), 'Calls a minute.'),
  }),
} satisfies Exchange;
