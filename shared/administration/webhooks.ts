import * as z from 'zod';
import { timestamp } from '../domain/values/clock.ts';
import type { PartnerId } from '../domain/values/ids.ts';
import type { AttemptResult } from '../domain/webhooks/delivery.ts';
import { FAILURE_CLASSES } from '../domain/webhooks/delivery.ts';
import type { EndpointView } from '../domain/webhooks/endpoint.ts';
import {
  answered,
  cursor,
  type Exchange,
  eventId,
  id,
  idText,
  moment,
  nextCursor,
  previewed,
  total,
} from './fields.ts';

const whose = z.strictObject({ partner_id: idText<PartnerId>('Whose.') });
const partnerId = () => id<PartnerId>('Whose.');
const noBody = () => z.strictObject({});

const webhookView = z
  .object({
    partner_id: partnerId(),
    url: z.string().describe('Where events go.'),
    enabled: z.boolean(),
    disabled_because: z
      .enum(['gone', 'failing', 'manager'])
      .nullable()
      .describe('gone: it answered 410; failing: nothing has arrived for five days; manager: a person did it.'),
    failures: z.int().describe('Failed attempts since the last success.'),
    failing_since: moment('When the first of them failed.').nullable(),
    previous_until: moment('Until when the secret before the last rotation signs too.').nullable(),
    kept: z.int().describe('Events that wait until it is enabled.'),
    secret_opens: z.boolean().describe('false: its secret cannot be read; a rotation without overlap makes a new one.'),
  })
  .meta({ id: 'Webhook' });

export const showWebhook = {
  params: whose,
  answer: answered({ webhook: webhookView.nullable().describe('null where none is set. Never its secret.') }),
} satisfies Exchange;

const secret = () => z.string().describe('Shown this once: give it to the partner by a safe way.');

export const setWebhook = {
  params: whose,
  body: z.strictObject({ url: z.string().max(2000).describe('https, port 443 or 8443, a public name.') }),
  preview: previewed({
    partner_id: partnerId(),
    accepted: z.boolean().describe('Whether events may go to this address.'),
    refusal: z.string().nullable().describe('Why not, in a sentence; null where they may.'),
    current_url: z.string().nullable().describe('Where events go now; null where none is set.'),
    waiting: z
      .int()
      .describe('Events that wait for the current address and would go to the new one; counted up to 1000.'),
  }),
  answer: answered({
    partner_id: partnerId(),
    url: z.string(),
    enabled: z.boolean().describe('Another address leaves a disabled webhook disabled.'),
    secret: secret().nullable().describe('Made and shown the first time; null afterwards.'),
  }),
} satisfies Exchange;

export const rotateWebhookSecret = {
  params: whose,
  body: z.strictObject({
    overlap: z.boolean().default(true).describe('false: the old secret is leaked, it signs nothing from now on.'),
    drop_previous: z.boolean().default(false).describe('Ends an overlap that still runs; otherwise that is refused.'),
  }),
  answer: answered({
    partner_id: partnerId(),
    secret: secret(),
    previous_until: moment('Until when the old secret signs too.').nullable(),
  }),
} satisfies Exchange;

export const pingWebhook = {
  params: whose,
  body: noBody(),
  answer: answered({
    partner_id: partnerId(),
    event_id: eventId(),
    delivered: z.boolean().describe('Whether the receiver took the signed test event; a disabled webhook gets it too.'),
    status: z.int().nullable().describe("The receiver's HTTP status; null where it did not answer."),
    failure: z.enum(FAILURE_CLASSES).nullable(),
    milliseconds: z.number(),
    detail: z.string().nullable().describe('How its answer, or the error, begins.'),
  }),
} satisfies Exchange;

export const enableWebhook = {
  params: whose,
  body: z.strictObject({ cursor: cursor().optional() }),
  answer: answered({
    partner_id: partnerId(),
    enabled: z.literal(true),
    released: z
      .int()
      .describe('Kept events that this page sent on their way. The sweeper goes on where nobody asks for the next.'),
    total: total('How many were kept'),
    next_cursor: nextCursor(),
  }),
} satisfies Exchange;

export const disableWebhook = {
  params: whose,
  body: noBody(),
  answer: answered({ partner_id: partnerId(), enabled: z.literal(false).describe('Events are kept from now on.') }),
} satisfies Exchange;

const orNull = (at: number | undefined) => (at === undefined ? null : timestamp(at));

/** An endpoint without its secrets. `now` in milliseconds; `kept` events wait for it. */
export function webhookBody(
  partner_id: number,
  view: EndpointView,
  { kept, opens, now }: { readonly kept: number; readonly opens: boolean; readonly now: number },
): z.input<typeof webhookView> {
  const { url, enabled, disabledBecause, health, previousUntil } = view;
  return {
    partner_id,
    url,
    enabled,
    disabled_because: disabledBecause ?? null,
    failures: health.failures,
    failing_since: orNull(health.failingSince),
    previous_until: previousUntil !== undefined && previousUntil > now ? timestamp(previousUntil) : null,
    kept,
    secret_opens: opens,
  };
}

/** Characters of a receiver's answer that are shown. */
const SHOWN = 500;

/** What came of an attempt. */
export function attemptBody(result: AttemptResult) {
  const { delivered, milliseconds } = result;
  return {
    delivered,
    milliseconds,
    status: result.status ?? null,
    failure: result.delivered ? null : result.failure,
    detail: result.delivered ? null : result.detail.slice(0, SHOWN).toWellFormed(),
  };
}
