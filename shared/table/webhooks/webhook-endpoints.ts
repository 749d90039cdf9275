import * as z from 'zod/mini';
import type { PartnerId } from '#shared/domain/values/ids.ts';
import type { AccountChange, AccountEventOf } from '#shared/domain/webhooks/delivery.ts';
import type {
  DisabledBecause,
  EndpointHealth,
  EndpointView,
  Rotated,
  Rotation,
} from '#shared/domain/webhooks/endpoint.ts';
import type { WebhookEndpoints } from '#shared/domain/webhooks/ports.ts';
import type { Primable } from '#shared/runtime/deadline.ts';
import { SafeError } from '#shared/runtime/log.ts';
import { accountChanges } from '../partners/partner-register.ts';
import { getRow, type Item, queryAllRows, transact, updateRow, winRow } from '../rows/client.ts';
import { decrypt, encrypt, ifItOpens, primeEncryption } from '../rows/encryption.ts';
import { dueQuery, endpointDisabled, profileKey, RELEASES_DUE, releaseDue, webhookKey } from '../rows/keys.ts';

const webhookFormat = z.object({
  url: z.string(),
  enabled: z.boolean(),
  previousUntil: z.optional(z.number()),
  changedAt: z.number(),
  failures: z.number(),
  failingSince: z.optional(z.number()),
  disabledBecause: z.optional(z.enum(['gone', 'failing', 'manager'])),
  disabledAt: z.optional(z.number()),
});
const sealedWebhook = z.object({
  secret: z.string(),
  previousSecret: z.optional(z.string()),
  /** Of the rotation that made the secret. */
  token: z.optional(z.string()),
});

export function tableWebhookEndpoints(): WebhookEndpoints & Primable {
  return {
    prime: primeEncryption,
    async get(partnerId) {
      const key = webhookKey(partnerId);
      const item = await getRow(key);
      if (!item) return undefined;
      const { secret, previousSecret } = await decrypt(key, item['sealed'], sealedWebhook);
      return { ...viewOf(item), secret, previousSecret };
    },

    async view(partnerId) {
      const item = await getRow(webhookKey(partnerId));
      return item && viewOf(item);
    },

    async enabledLately() {
      const items = await queryAllRows(dueQuery(RELEASES_DUE));
      return items.map(({ partnerId, dueSk }) => ({
        partnerId: Number(partnerId) as PartnerId,
        enabledAt: Number(String(dueSk).split('#')[0]),
      }));
    },

    async released({ partnerId, enabledAt }) {
      await updateRow({
        Key: webhookKey(partnerId),
        UpdateExpression: 'REMOVE duePk, dueSk',
        // Enabled once more meanwhile, it is looked at once more.
        ConditionExpression: 'dueSk = :seen',
        ExpressionAttributeValues: { ':seen': releaseDue(partnerId, enabledAt).dueSk },
      });
    },

    async countFailure(partnerId, { changedAt }, now) {
      const outcome = await updateRow({
        Key: webhookKey(partnerId),
        // The first failure after a healthy time starts the count anew, however long ago the last success was.
        UpdateExpression: 'SET failingSince = if_not_exists(failingSince, :now) ADD failures :one',
        ConditionExpression: 'changedAt = :changedAt AND enabled = :yes',
        ExpressionAttributeValues: { ':now': now, ':one': 1, ':changedAt': changedAt, ':yes': true },
      });
      const item = 'written' in outcome ? outcome.written : outcome.refused;
      return { enabled: webhookFormat.parse(item).enabled, health: healthOf(item) };
    },

    async forgetFailures(partnerId, { changedAt }) {
      await updateRow({
        Key: webhookKey(partnerId),
        UpdateExpression: 'SET failures = :none REMOVE failingSince',
        ConditionExpression: 'changedAt = :changedAt',
        ExpressionAttributeValues: { ':none': 0, ':changedAt': changedAt },
      });
    },

    async disable(partnerId, { changedAt, health }, cause, now) {
      const failing = cause === 'failing';
      const outcome = await winRow({
        Key: webhookKey(partnerId),
        UpdateExpression: DISABLE,
        ConditionExpression: `changedAt = :changedAt AND enabled = :yes${failing ? ' AND failingSince = :since' : ''}`,
        ExpressionAttributeValues: {
          ...disabling(partnerId, cause, now),
          ':changedAt': changedAt,
          ':yes': true,
          ...(failing && { ':since': health.failingSince }),
        },
      });
      return 'written' in outcome || outcome.refused['enabled'] === false;
    },
  };
}

/** What may be shown of an endpoint's row. */
export function viewOf(item: Item): EndpointView {
  const { url, enabled, previousUntil, changedAt, disabledBecause, disabledAt } = webhookFormat.parse(item);
  return {
    url,
    enabled,
    previousUntil,
    changedAt,
    health: healthOf(item),
    disabledBecause,
    ...(disabledAt !== undefined && { disabledAt }),
    ...(item['duePk'] === RELEASES_DUE && { enabledLately: true as const }),
  };
}

function healthOf(item: Item): EndpointHealth {
  const { failures, failingSince } = webhookFormat.parse(item);
  return { failures, failingSince };
}

/** Takes the place of the mark for the sweeper, too: nothing is released to an endpoint that is disabled. */
const DISABLE = 'SET enabled = :no, disabledBecause = :cause, disabledAt = :now, duePk = :duePk, dueSk = :dueSk';
function disabling(partnerId: PartnerId, cause: DisabledBecause, now: number) {
  const { duePk, dueSk } = endpointDisabled(partnerId, cause);
  return { ':no': false, ':cause': cause, ':now': now, ':duePk': duePk, ':dueSk': dueSk };
}

/** A partner's webhook, and what notes and tells a change of it: nothing where the event is not made. */
async function webhookToChange(partnerId: PartnerId, eventOf: AccountEventOf | undefined) {
  const [item, profile] = await Promise.all([getRow(webhookKey(partnerId)), getRow(profileKey(partnerId))]);
  const environment = profile?.['validatedAt'] === undefined ? 'sandbox' : 'producao';
  const changes = (change: AccountChange, now: number) =>
    eventOf ? accountChanges(partnerId, item, eventOf)(change, now, environment) : [];
  return { item, changes };
}

/**
 * Sets where a partner's events go and the secret that signs them for the first time, enabled and with no failure on
 * record. `now` in milliseconds. False where the partner has a webhook: of two that set the first, one alone has done so.
 */
export async function setWebhook(
  partnerId: PartnerId,
  url: string,
  secret: string,
  now: number,
  eventOf?: AccountEventOf,
): Promise<boolean> {
  const key = webhookKey(partnerId);
  const Item = {
    ...{ ...key, partnerId, url, enabled: true, changedAt: now, failures: 0 },
    sealed: await encrypt(key, { secret }),
  };
  // The first address: there is none before it that could hear of it.
  const changed = eventOf ? accountChanges(partnerId, undefined, eventOf)('webhook_endereco', now, 'sandbox') : [];
  const put = { Put: { Item, ConditionExpression: 'attribute_not_exists(pk)' } };
  return (await transact([put, ...changed])) === 'written';
}

/**
 * Sets another address, with no failure on record. Secrets stay, and so does whether it is enabled, which it gives;
 * undefined where the address that it `replaces`, or that was read, is not the one that is set. Throws where the partner
 * has no webhook.
 */
export async function changeWebhookUrl(
  partnerId: PartnerId,
  url: string,
  now: number,
  replaces?: string,
  eventOf?: AccountEventOf,
): Promise<{ readonly enabled: boolean } | undefined> {
  const { item, changes } = await webhookToChange(partnerId, eventOf);
  if (!item) throw noWebhook(partnerId);
  const before = viewOf(item);
  const update = {
    Key: webhookKey(partnerId),
    UpdateExpression: 'SET #url = :url, changedAt = :now, failures = :none REMOVE failingSince',
    ConditionExpression: '#url = :replaces AND enabled = :enabled',
    ExpressionAttributeNames: { '#url': 'url' },
    ExpressionAttributeValues: {
      ...{ ':url': url, ':now': now, ':none': 0 },
      ...{ ':replaces': replaces ?? before.url, ':enabled': before.enabled },
    },
  };
  const changed = url === before.url ? [] : changes('webhook_endereco', now);
  const outcome = await transact([{ Update: update }, ...changed]);
  return outcome === 'written' ? { enabled: before.enabled } : undefined;
}

const noWebhook = (partnerId: PartnerId) => new SafeError(`partner ${partnerId} has no webhook`);

/** Enables a partner's endpoint with no failure on record, and tells the sweeper in the same write to release what was suspended. */
export async function enableWebhook(partnerId: PartnerId, now: number): Promise<void> {
  const { duePk, dueSk } = releaseDue(partnerId, now);
  const outcome = await updateRow({
    Key: webhookKey(partnerId),
    UpdateExpression:
      'SET enabled = :yes, changedAt = :now, failures = :none, partnerId = :partner, duePk = :duePk, dueSk = :dueSk REMOVE failingSince, disabledBecause, disabledAt',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeValues: {
      ':yes': true,
      ':now': now,
      ':none': 0,
      ':partner': partnerId,
      ':duePk': duePk,
      ':dueSk': dueSk,
    },
  });
  if ('refused' in outcome) throw noWebhook(partnerId);
}

/** Disables a partner's endpoint: its events are kept as `suspensa` until it is enabled again. */
export async function disableWebhook(partnerId: PartnerId, reason: DisabledBecause, now: number): Promise<void> {
  const outcome = await updateRow({
    Key: webhookKey(partnerId),
    UpdateExpression: `${DISABLE}, changedAt = :now`,
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeValues: disabling(partnerId, reason, now),
  });
  if ('refused' in outcome) throw noWebhook(partnerId);
}

/**
 * Makes `secret` the one that signs, and gives it; where the one that signs was made with the same token, gives that.
 * Throws a SafeError where another rotation came between, or the token's was made with another overlap; where one before
 * has promised to keep a secret for longer, unless that is to be dropped; and where the secret to be kept does not open.
 */
export async function rotateWebhookSecret(
  partnerId: PartnerId,
  secret: string,
  { overlap, dropPrevious, token }: Rotation,
  now: number,
  eventOf?: AccountEventOf,
): Promise<Rotated> {
  const key = webhookKey(partnerId);
  const { item, changes } = await webhookToChange(partnerId, eventOf);
  if (!item) throw noWebhook(partnerId);
  const kept = overlap > 0;
  const { previousUntil } = viewOf(item);
  const before = await ifItOpens(decrypt(key, item['sealed'], sealedWebhook));
  if (before && token !== undefined && before.token === token) {
    if (kept === (previousUntil !== undefined)) return { secret: before.secret, previousUntil };
    throw new SafeError('the token has made the secret that signs, with another overlap: use another token');
  }
  if (kept && !dropPrevious && previousUntil !== undefined && previousUntil > now) {
    throw new SafeError(
      `the secret before the last rotation signs until ${new Date(previousUntil).toISOString()}: another rotation ends it; wait, or say --drop-previous`,
    );
  }
  if (kept && !before) {
    throw new SafeError('the secret that signs now does not open, and cannot be kept: webhook rotate --no-overlap');
  }
  const made = { secret, ...(kept && { previousSecret: before?.secret }), token };
  const update = {
    Key: key,
    UpdateExpression: kept
      ? 'SET sealed = :sealed, previousUntil = :until'
      : 'SET sealed = :sealed REMOVE previousUntil',
    ConditionExpression: 'sealed = :before',
    ExpressionAttributeValues: {
      ':sealed': await encrypt(key, made),
      ':before': item['sealed'],
      ...(kept && { ':until': now + overlap }),
    },
  };
  if ((await transact([{ Update: update }, ...changes('webhook_segredo', now)])) !== 'written')
    throw new SafeError(`the webhook of partner ${partnerId} was changed meanwhile: look at it again`);
  return { secret, previousUntil: kept ? now + overlap : undefined };
}

/** Whether the secrets of a partner's webhook can be read: their sealing key may be gone, or the row damaged. */
export async function webhookOpens(partnerId: PartnerId): Promise<boolean> {
  const opening = tableWebhookEndpoints().get(partnerId);
  return (await ifItOpens(opening.then(() => true))) ?? false;
}

/** Webhooks as the manager sets them; another address and another secret tell the partner. */
export function tableWebhookSettings(eventOf: AccountEventOf) {
  return {
    set: (partnerId: PartnerId, url: string, secret: string, now: number) =>
      setWebhook(partnerId, url, secret, now, eventOf),
    changeUrl: (partnerId: PartnerId, url: string, now: number, replaces?: string) =>
      changeWebhookUrl(partnerId, url, now, replaces, eventOf),
    rotate: (partnerId: PartnerId, secret: string, rotation: Rotation, now: number) =>
      rotateWebhookSecret(partnerId, secret, rotation, now, eventOf),
    enable: enableWebhook,
    disable: (partnerId: PartnerId, now: number) => disableWebhook(partnerId, 'manager', now),
    opens: webhookOpens,
  };
}
