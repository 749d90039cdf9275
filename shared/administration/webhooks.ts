import * as z from 'zod/mini';
import { described } from '../contract/described.ts';
import type { PartnerId } from '../domain/values/ids.ts';
import type { Instant } from '../domain/values/time.ts';
import type { AttemptResult } from '../domain/webhooks/delivery.ts';
import { FAILURE_CLASSES } from '../domain/webhooks/delivery.ts';
import type { EndpointOwner, EndpointView, ListedEndpoint } from '../domain/webhooks/endpoint.ts';
import { MOST_SUSPENDED } from '../domain/webhooks/waiting.ts';
import {
  answered,
  cursor,
  environment,
  eventId,
  id,
  idText,
  moment,
  nextCursor,
  ofPage,
  previewed,
  shownOnce,
  token,
  total,
  webhookUrl,
} from './fields.ts';
import { noun, PARTNER_CARE, READERS } from './operation.ts';
import { toWire } from './wire.ts';

const { read, change } = noun('webhooks');

const partnerText = () => idText<PartnerId>('The partner.');
const webhookParams = z.strictObject({
  partner_id: partnerText(),
  environment: environment('The environment whose events the webhook gets.'),
});
const named = () => ({ partner_id: id<PartnerId>('The partner.'), environment: environment() });
const noBody = () => z.strictObject({});

const urlDigest = () =>
  described(
    z.string(),
    'Keyed hash of the whole address, as the audit has it, after the name of its key. Two hashes by one key are equal only if the addresses are.',
  );

const FAILING_FIELDS = {
  partner_id: true,
  environment: true,
  url: true,
  enabled: true,
  disabled_because: true,
  failures: true,
  failing_since: true,
} as const;

const webhookView = described(
  z.object({
    ...named(),
    url: described(z.string(), 'Where events go.'),
    url_digest: urlDigest(),
    enabled: z.boolean(),
    disabled_because: described(
      z.nullable(z.enum(['gone', 'failing', 'manager'])),
      'gone: it answered 410; failing: it has failed for five days without a success; manager: a person disabled it.',
    ),
    failures: described(z.int(), 'Failed attempts since the last success.'),
    failing_since: z.nullable(moment('When the first of these attempts failed.')),
    previous_until: z.nullable(moment('Until when the secret from before the last rotation signs too.')),
    suspended: described(
      z.int().check(z.maximum(MOST_SUSPENDED)),
      `Events that wait until the webhook is enabled. Counted up to ${MOST_SUSPENDED}, which means that many or more, or that there was no time to count.`,
    ),
    secret_opens: described(
      z.boolean(),
      'false: the secret cannot be read. A rotation without overlap makes a new one.',
    ),
  }),
  { id: 'Webhook' },
);

const failingView = described(z.pick(webhookView, FAILING_FIELDS), { id: 'FailingWebhook' });

export const listFailingWebhooks = read('list-failing-webhooks', 'GET /v1/failing-webhooks', {
  english: 'webhooks of all partners that fail or have disabled themselves',
  portuguese: 'Listar webhooks com falha',
  duties: READERS,
  permission: {
    table: ['BatchGetItem'],
    reads: ['PARTNER', 'FAILING', 'DISABLED'],
    writes: [],
    indexes: ['byList', 'byDue'],
  },
  query: z.strictObject({ cursor: z.optional(cursor()) }),
  answer: answered({
    webhooks: described(
      z.array(failingView),
      'First the enabled webhooks whose last attempt failed, those that have failed for longest before the others; then those that disabled themselves.',
    ),
    next_cursor: nextCursor(),
  }),
});

export const showWebhook = read('show-webhook', 'GET /v1/webhooks/{partner_id}', {
  english: "a partner's webhooks, never their secrets",
  portuguese: 'Ver webhook',
  duties: READERS,
  permission: {
    table: ['GetItem'],
    reads: ['PARTNER', 'SUSPENDED'],
    writes: [],
    indexes: ['byDue'],
    secrets: ['keys'],
  },
  params: z.strictObject({ partner_id: partnerText() }),
  answer: answered({
    webhooks: described(z.array(webhookView), 'At most one for each environment. Never the secrets.'),
  }),
});

const secret = (when = '') =>
  shownOnce(`The secret. It is shown only now: give it to the partner over a safe channel.${when}`);

export const setWebhook = change('set-webhook', 'PUT /v1/webhooks/{partner_id}/{environment}', {
  english: 'set the address; the first time also makes the secret, which is shown once',
  portuguese: 'Definir endereço do webhook',
  duties: PARTNER_CARE,
  approval: 'the webhook of production of a validated partner',
  confirm: { fields: ['partner_id'], sometimes: true },
  permission: {
    table: ['GetItem'],
    reads: ['PARTNER', 'DELIVERIES'],
    writes: ['PARTNER', 'DELIVERY', 'ENCRYPTIONS'],
    indexes: ['byList'],
    secrets: ['keys'],
  },
  params: webhookParams,
  body: z.strictObject({
    url: webhookUrl('https, port 443 or 8443, a public domain name.'),
    replaces: described(
      z.optional(z.nullable(z.string())),
      'The address to replace, null for none: refused if another address is set by then. Left out: any address is replaced.',
    ),
    token: token(
      'For repeating the call after a lost answer: while the address is the one that the token has set, the same token changes nothing, and shows a secret that it has made.',
    ),
  }),
  preview: previewed({
    ...named(),
    accepted: described(z.boolean(), 'Whether events may go to this address.'),
    refusal: described(z.nullable(z.string()), 'Why not, as a sentence; null if they may.'),
    url_digest: described(z.nullable(urlDigest()), 'As the audit would have it; null if events may not go there.'),
    current_url: described(z.nullable(z.string()), 'Where events go now; null if no address is set.'),
    waiting: described(
      z.int().check(z.maximum(1000)),
      'Events that wait for the current address and would go to the new one, counted up to 1000. Also 1000 if the partner has too many events to look through.',
    ),
  }),
  answer: answered({
    ...named(),
    url: z.string(),
    enabled: described(z.boolean(), 'Whether the webhook is enabled. A new address does not enable it.'),
    secret: z.nullable(secret(' null if it was made before.')),
  }),
});

export const rotateWebhookSecret = change(
  'rotate-webhook-secret',
  'POST /v1/webhooks/{partner_id}/{environment}/rotate',
  {
    english: 'make a new secret, shown once; the old one also signs for 24 h',
    portuguese: 'Trocar segredo do webhook',
    duties: PARTNER_CARE,
    approval: 'the webhook of production of a validated partner',
    confirm: { fields: ['partner_id'] },
    permission: {
      table: ['GetItem'],
      reads: ['PARTNER'],
      writes: ['PARTNER', 'DELIVERY', 'ENCRYPTIONS'],
      secrets: ['keys'],
    },
    params: webhookParams,
    body: z.strictObject({
      overlap: described(
        z._default(z.boolean(), true),
        'false: for a leaked secret. The old secret signs nothing from now on.',
      ),
      drop_previous: described(
        z._default(z.boolean(), false),
        'true: ends an overlap that is still running. Otherwise such a rotation is refused.',
      ),
      token: token(
        'For repeating the call after a lost answer: the same token returns the same secret while that secret signs. The same token with another overlap is refused.',
      ),
    }),
    answer: answered({
      ...named(),
      secret: secret(),
      previous_until: z.nullable(moment('Until when the old secret signs too.')),
    }),
  },
);

export const pingWebhook = change('ping-webhook', 'POST /v1/webhooks/{partner_id}/{environment}/ping', {
  english: 'send a signed test event and show the answer; a disabled webhook gets it too',
  portuguese: 'Enviar evento de teste',
  duties: PARTNER_CARE,
  permission: { table: ['GetItem'], reads: ['PARTNER'], writes: [], secrets: ['keys'], callsPartners: true },
  params: webhookParams,
  body: noBody(),
  answer: answered({
    ...named(),
    event_id: eventId(),
    delivered: described(
      z.boolean(),
      'Whether the receiver accepted the signed test event. A disabled webhook gets it too.',
    ),
    status: described(z.nullable(z.int()), "The receiver's HTTP status; null if it did not answer."),
    failure: z.nullable(z.enum(FAILURE_CLASSES)),
    milliseconds: z.number(),
    detail: described(z.nullable(z.string()), 'First characters of the answer or of the error.'),
  }),
});

export const enableWebhook = change('enable-webhook', 'POST /v1/webhooks/{partner_id}/{environment}/enable', {
  english: 'enable a webhook, forget its failures, and send the events that were kept',
  portuguese: 'Ligar webhook',
  duties: PARTNER_CARE,
  approval: 'the webhook of production, if a person has disabled it',
  permission: {
    table: ['GetItem'],
    reads: ['PARTNER', 'SUSPENDED'],
    writes: ['PARTNER', 'DELIVERY'],
    indexes: ['byDue'],
    secrets: ['keys'],
    sendsDeliveries: true,
  },
  params: webhookParams,
  body: z.strictObject({ cursor: z.optional(cursor()) }),
  answer: answered({
    ...named(),
    enabled: z.literal(true),
    released: ofPage(
      'Suspended events that this page released. If nobody asks for the next page, the sweeper continues.',
    ),
    total: total('Number of events that were kept'),
    next_cursor: nextCursor(),
  }),
});

export const disableWebhook = change('disable-webhook', 'POST /v1/webhooks/{partner_id}/{environment}/disable', {
  english: 'send nothing more; events are kept until the webhook is enabled again',
  portuguese: 'Desligar webhook',
  duties: PARTNER_CARE,
  confirm: { fields: ['partner_id'] },
  permission: { table: ['GetItem'], reads: ['PARTNER'], writes: ['PARTNER'] },
  params: webhookParams,
  body: noBody(),
  answer: answered({ ...named(), enabled: described(z.literal(false), 'Events are kept from now on.') }),
});

export const WEBHOOK_OPERATIONS = [
  listFailingWebhooks,
  showWebhook,
  setWebhook,
  rotateWebhookSecret,
  pingWebhook,
  enableWebhook,
  disableWebhook,
] as const;

export const ownerIn = (params: z.output<typeof webhookParams>): EndpointOwner => ({
  partnerId: params.partner_id,
  environment: params.environment,
});

/** `inProduction`: production is open to the partner. */
export const needsSecondPerson = ({ environment }: EndpointOwner, inProduction: boolean) =>
  environment === 'producao' && inProduction;

export const webhookNamed = ({ partnerId, environment }: EndpointOwner) =>
  `webhook of partner ${partnerId} in ${environment}`;

/** `suspended`: how many events wait. `opens`: whether the secret can be read. `digest`: keyed hash of the address. */
export function webhookBody(
  { partnerId, environment }: EndpointOwner,
  { previousUntil = 0, ...view }: EndpointView,
  {
    suspended,
    opens,
    digest,
    now,
  }: { readonly suspended: number; readonly opens: boolean; readonly digest: string; readonly now: Instant },
) {
  const until = previousUntil > now ? previousUntil : undefined;
  const owned = { partnerId, environment, previousUntil: until, suspended, secretOpens: opens, urlDigest: digest };
  return toWire(webhookView, { ...view, ...view.health, ...owned });
}

export const failingBody = (endpoint: ListedEndpoint) => toWire(failingView, { ...endpoint, ...endpoint.health });

const SHOWN = 500;

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
