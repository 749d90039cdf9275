import * as z from 'zod';
import type { PartnerId } from '../domain/values/ids.ts';
import type { DisabledBecause, EndpointHealth } from '../domain/webhooks/endpoint.ts';
import type { WebhookEndpoints } from '../domain/webhooks/ports.ts';
import { SafeError } from '../runtime/log.ts';
import type { Primable } from '../runtime/priming.ts';
import { getRow, type Item, putRow, updateRow, winRow } from './client.ts';
import { decrypt, encrypt, primeEncryption } from './encryption.ts';
import { endpointDisabled, webhookKey } from './keys.ts';

const webhookFormat = z.object({
  url: z.string(),
  enabled: z.boolean(),
  previousUntil: z.number().optional(),
  changedAt: z.number(),
  failures: z.number(),
  failingSince: z.number().optional(),
  disabledBecause: z.enum(['gone', 'failing', 'manager']).optional(),
});
const sealedWebhook = z.object({ secret: z.string(), previousSecret: z.string().optional() });

export function tableWebhookEndpoints(): WebhookEndpoints & Primable {
  return {
    prime: primeEncryption,
    async get(partnerId) {
      const key = webhookKey(partnerId);
      const item = await getRow(key);
      if (!item) return undefined;
      const { url, enabled, previousUntil, changedAt, disabledBecause } = webhookFormat.parse(item);
      const { secret, previousSecret } = await decrypt(key, item['sealed'], sealedWebhook);
      const health = healthOf(item);
      return { url, enabled, secret, previousSecret, previousUntil, changedAt, health, disabledBecause };
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

    async disable(partnerId, { changedAt }, cause, now) {
      const outcome = await winRow({
        Key: webhookKey(partnerId),
        UpdateExpression: DISABLE,
        ConditionExpression: 'changedAt = :changedAt AND enabled = :yes',
        ExpressionAttributeValues: { ...disabling(partnerId, cause, now), ':changedAt': changedAt, ':yes': true },
      });
      return 'written' in outcome || outcome.refused['enabled'] === false;
    },
  };
}

function healthOf(item: Item): EndpointHealth {
  const { failures, failingSince } = webhookFormat.parse(item);
  return { failures, failingSince };
}

const DISABLE = 'SET enabled = :no, disabledBecause = :cause, disabledAt = :now, duePk = :duePk, dueSk = :dueSk';
function disabling(partnerId: PartnerId, cause: DisabledBecause, now: number) {
  const { duePk, dueSk } = endpointDisabled(partnerId, cause);
  return { ':no': false, ':cause': cause, ':now': now, ':duePk': duePk, ':dueSk': dueSk };
}

/**
 * Sets where a partner's events go and the secret that signs them, enabled and with no failure on record. Overwrites
 * what was set before. `now` in milliseconds.
 */
export async function setWebhook(partnerId: PartnerId, url: string, secret: string, now: number): Promise<void> {
  const key = webhookKey(partnerId);
  await putRow({
    Item: { ...key, url, enabled: true, changedAt: now, failures: 0, sealed: await encrypt(key, { secret }) },
  });
}

/**
 * Sets another address, with no failure on record. Secrets stay, and so does whether it is enabled. Throws where the
 * partner has no webhook.
 */
export async function changeWebhookUrl(partnerId: PartnerId, url: string, now: number): Promise<void> {
  const outcome = await updateRow({
    Key: webhookKey(partnerId),
    UpdateExpression: 'SET #url = :url, changedAt = :now, failures = :none REMOVE failingSince',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeNames: { '#url': 'url' },
    ExpressionAttributeValues: { ':url': url, ':now': now, ':none': 0 },
  });
  if ('refused' in outcome) throw noWebhook(partnerId);
}

const noWebhook = (partnerId: PartnerId) => new SafeError(`partner ${partnerId} has no webhook`);

/** Enables a partner's endpoint with no failure on record. What was suspended meanwhile is then to be released. */
export async function enableWebhook(partnerId: PartnerId, now: number): Promise<void> {
  const outcome = await updateRow({
    Key: webhookKey(partnerId),
    UpdateExpression:
      'SET enabled = :yes, changedAt = :now, failures = :none REMOVE failingSince, disabledBecause, disabledAt, duePk, dueSk',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeValues: { ':yes': true, ':now': now, ':none': 0 },
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

/** How long both secrets sign after a rotation, in milliseconds. Source: contract, Webhooks. */
export const ROTATION_OVERLAP = 24 * 3_600_000;

/**
 * Makes `secret` the one that signs. The one before signs beside it for `overlap` milliseconds more; with 0 it is
 * forgotten at once. Throws where another rotation came between.
 */
export async function rotateWebhookSecret(
  partnerId: PartnerId,
  secret: string,
  overlap: number,
  now: number,
): Promise<void> {
  const key = webhookKey(partnerId);
  const item = await getRow(key);
  if (!item) throw noWebhook(partnerId);
  const { secret: current } = await decrypt(key, item['sealed'], sealedWebhook);
  const kept = overlap > 0;
  const outcome = await winRow({
    Key: key,
    UpdateExpression: kept
      ? 'SET sealed = :sealed, previousUntil = :until'
      : 'SET sealed = :sealed REMOVE previousUntil',
    ConditionExpression: 'sealed = :before',
    ExpressionAttributeValues: {
      ':sealed': await encrypt(key, kept ? { secret, previousSecret: current } : { secret }),
      ':before': item['sealed'],
      ...(kept && { ':until': now + overlap }),
    },
  });
  if ('refused' in outcome)
    throw new SafeError(`the webhook of partner ${partnerId} was changed meanwhile: look at it again`);
}
