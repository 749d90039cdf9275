import * as z from 'zod/mini';
import { described } from '../contract/described.ts';
import type { PartnerId } from '../domain/values/ids.ts';
import type { Instant } from '../domain/values/time.ts';
import type { AttemptResult } from '../domain/webhooks/delivery.ts';
import { FAILURE_CLASSES } from '../domain/webhooks/delivery.ts';
import type { EndpointView } from '../domain/webhooks/endpoint.ts';
import { MOST_KEPT } from '../domain/webhooks/waiting.ts';
import { answered, cursor, eventId, id, idText, moment, nextCursor, previewed, token, total } from './fields.ts';
import { noun, PARTNER_CARE, READERS } from './operation.ts';
import { toWire } from './wire.ts';

const { read, change } = noun('webhooks');

const whose = z.strictObject({ partner_id: idText<PartnerId>('Whose.') });
const partnerId = () => id<PartnerId>('Whose.');
const noBody = () => z.strictObject({});

const webhookView = described(
  z.object({
    partner_id: partnerId(),
    url: described(z.string(), 'Where events go.'),
    enabled: z.boolean(),
    disabled_because: described(
      z.nullable(z.enum(['gone', 'failing', 'manager'])),
      'gone: it answered 410; failing: nothing has arrived for five days; manager: a person did it.',
    ),
    failures: described(z.int(), 'Failed attempts since the last success.'),
    failing_since: z.nullable(moment('When the first of them failed.')),
    previous_until: z.nullable(moment('Until when the secret before the last rotation signs too.')),
    kept: described(
      z.int(),
      `Events that wait until it is enabled; counted up to ${MOST_KEPT}, which means that many or more. It too where there is no time to count.`,
    ),
    secret_opens: described(
      z.boolean(),
      'false: its secret cannot be read; a rotation without overlap makes a new one.',
    ),
  }),
  { id: 'Webhook' },
);

export const showWebhook = read('show-webhook', 'GET /v1/webhooks/{partner_id}', {
  english: 'a webhook; never its secret',
  portuguese: 'Ver webhook',
  duties: READERS,
  permission: { table: ['GetItem'], indexes: ['byDue'], secrets: ['keys'] },
  params: whose,
  answer: answered({ webhook: described(z.nullable(webhookView), 'null where none is set. Never its secret.') }),
});

const secret = () => described(z.string(), 'Shown this once: give it to the partner by a safe way.');

export const setWebhook = change('set-webhook', 'PUT /v1/webhooks/{partner_id}', {
  english: 'set the address; the first time makes the secret too, which is shown once',
  portuguese: 'Definir endereço do webhook',
  duties: PARTNER_CARE,
  approval: 'the webhook of a validated partner',
  confirm: { fields: ['partner_id'], sometimes: true },
  permission: { table: ['GetItem'], indexes: ['byList'], secrets: ['keys'] },
  params: whose,
  body: z.strictObject({
    url: described(z.string().check(z.maxLength(2000)), 'https, port 443 or 8443, a public name.'),
    replaces: described(
      z.optional(z.nullable(z.string())),
      'The address that this one is to replace, null for none: refused where another is set by then. Left out, whichever is set is replaced.',
    ),
  }),
  preview: previewed({
    partner_id: partnerId(),
    accepted: described(z.boolean(), 'Whether events may go to this address.'),
    refusal: described(z.nullable(z.string()), 'Why not, in a sentence; null where they may.'),
    current_url: described(z.nullable(z.string()), 'Where events go now; null where none is set.'),
    waiting: described(
      z.int(),
      'Events that wait for the current address and would go to the new one; counted up to 1000. 1000 too where the partner has too many to look through.',
    ),
  }),
  answer: answered({
    partner_id: partnerId(),
    url: z.string(),
    enabled: described(z.boolean(), 'Another address leaves a disabled webhook disabled.'),
    secret: described(z.nullable(secret()), 'Made and shown the first time; null afterwards.'),
  }),
});

export const rotateWebhookSecret = change('rotate-webhook-secret', 'POST /v1/webhooks/{partner_id}/rotate', {
  english: 'make a new secret, shown once; the old one signs beside it for 24 h',
  portuguese: 'Trocar segredo do webhook',
  duties: PARTNER_CARE,
  approval: 'the webhook of a validated partner',
  confirm: { fields: ['partner_id'] },
  permission: { table: ['GetItem'], secrets: ['keys'] },
  params: whose,
  body: z.strictObject({
    overlap: described(z._default(z.boolean(), true), 'false: the old secret is leaked, it signs nothing from now on.'),
    drop_previous: described(
      z._default(z.boolean(), false),
      'Ends an overlap that still runs; otherwise that is refused.',
    ),
    token: token(
      'Repeated with the same, the call gives the same secret while it signs: the answer to the first may have been lost. With the same and another overlap it is refused.',
    ),
  }),
  answer: answered({
    partner_id: partnerId(),
    secret: secret(),
    previous_until: z.nullable(moment('Until when the old secret signs too.')),
  }),
});

export const pingWebhook = change('ping-webhook', 'POST /v1/webhooks/{partner_id}/ping', {
  english: 'send a signed test event and say what comes back; a disabled webhook gets it too',
  portuguese: 'Enviar evento de teste',
  duties: PARTNER_CARE,
  permission: { table: ['GetItem'], secrets: ['keys'], callsPartners: true },
  params: whose,
  body: noBody(),
  answer: answered({
    partner_id: partnerId(),
    event_id: eventId(),
    delivered: described(
      z.boolean(),
      'Whether the receiver took the signed test event; a disabled webhook gets it too.',
    ),
    status: described(z.nullable(z.int()), "The receiver's HTTP status; null where it did not answer."),
    failure: z.nullable(z.enum(FAILURE_CLASSES)),
    milliseconds: z.number(),
    detail: described(z.nullable(z.string()), 'How its answer, or the error, begins.'),
  }),
});

export const enableWebhook = change('enable-webhook', 'POST /v1/webhooks/{partner_id}/enable', {
  english: 'enable a webhook, with no failure on record, and send what was kept meanwhile',
  portuguese: 'Ligar webhook',
  duties: PARTNER_CARE,
  permission: { table: ['GetItem'], indexes: ['byDue'], sendsDeliveries: true },
  params: whose,
  body: z.strictObject({ cursor: z.optional(cursor()) }),
  answer: answered({
    partner_id: partnerId(),
    enabled: z.literal(true),
    released: described(
      z.int(),
      'Kept events that this page sent on their way. The sweeper goes on where nobody asks for the next.',
    ),
    total: total('How many were kept'),
    next_cursor: nextCursor(),
  }),
});

export const disableWebhook = change('disable-webhook', 'POST /v1/webhooks/{partner_id}/disable', {
  english: 'send nothing more: events are kept until the webhook is enabled again',
  portuguese: 'Desligar webhook',
  duties: PARTNER_CARE,
  confirm: { fields: ['partner_id'] },
  permission: { table: ['GetItem'] },
  params: whose,
  body: noBody(),
  answer: answered({ partner_id: partnerId(), enabled: described(z.literal(false), 'Events are kept from now on.') }),
});

/** The operations of this noun, in the document's order. */
export const WEBHOOK_OPERATIONS = [
  showWebhook,
  setWebhook,
  rotateWebhookSecret,
  pingWebhook,
  enableWebhook,
  disableWebhook,
] as const;

/**
 * Returns an endpoint without its secrets. `kept` is how many events wait for it; `opens` says whether its secret can
 * be read.
 */
export function webhookBody(
  partnerId: number,
  { previousUntil = 0, ...view }: EndpointView,
  { kept, opens, now }: { readonly kept: number; readonly opens: boolean; readonly now: Instant },
) {
  const until = previousUntil > now ? previousUntil : undefined;
  return toWire(webhookView, { ...view, ...view.health, partnerId, previousUntil: until, kept, secretOpens: opens });
}

/** Number of characters of a receiver's answer that are shown. */
const SHOWN = 500;

/** Returns the result of an attempt, for an answer. */
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
