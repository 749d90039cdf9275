import * as z from 'zod';
import type { EndpointHealth } from '../domain/endpoint-health.ts';
import type { PartnerId } from '../domain/ids.ts';
import type { DisabledBecause } from '../domain/partner.ts';
import type { Partners } from '../domain/ports.ts';
import { OperatorError } from '../runtime/log.ts';
import { getRow, getRows, type Item, putRow, updateRow } from './client.ts';
import { partnerKeyKey, profileKey, unitKey, webhookKey } from './keys.ts';
import { seal, unseal } from './sealed.ts';

const profileFormat = z.object({ name: z.string() });
const unitFormat = z.object({ name: z.string() });
const keyFormat = z.object({ prefix: z.string(), createdAt: z.number() });
const sealedKey = z.object({ consultant: z.object({ id: z.number(), name: z.string() }).optional() });
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

export function tablePartners(): Partners {
  return {
    async labels(caller) {
      const key = partnerKeyKey(caller.partner, caller.key);
      const [profile, unit, row] = await getRows([
        profileKey(caller.partner),
        unitKey(caller.partner, caller.unit),
        key,
      ]);
      const { prefix, createdAt } = keyFormat.parse(row);
      return {
        partnerName: profileFormat.parse(profile).name,
        unitName: unitFormat.parse(unit).name,
        consultant: (await unseal(key, row?.['x'], sealedKey)).consultant,
        keyPrefix: prefix,
        keyCreatedAt: createdAt,
      };
    },

    async endpoint(partner) {
      const key = webhookKey(partner);
      const item = await getRow(key);
      if (!item) return undefined;
      const { url, enabled, previousUntil, changedAt, disabledBecause } = webhookFormat.parse(item);
      const { secret, previousSecret } = await unseal(key, item['x'], sealedWebhook);
      const health = healthOf(item);
      return { url, enabled, secret, previousSecret, previousUntil, changedAt, health, disabledBecause };
    },

    async countFailure(partner, { changedAt }, now) {
      const outcome = await updateRow({
        Key: webhookKey(partner),
        // The first failure after a healthy time starts the count anew, however long ago the last success was.
        UpdateExpression: 'SET failingSince = if_not_exists(failingSince, :now) ADD failures :one',
        ConditionExpression: 'changedAt = :changedAt AND enabled = :yes',
        ExpressionAttributeValues: { ':now': now, ':one': 1, ':changedAt': changedAt, ':yes': true },
      });
      const item = 'written' in outcome ? outcome.written : outcome.refused;
      return { enabled: webhookFormat.parse(item).enabled, health: healthOf(item) };
    },

    async forgetFailures(partner, { changedAt }) {
      await updateRow({
        Key: webhookKey(partner),
        UpdateExpression: 'SET failures = :none REMOVE failingSince',
        ConditionExpression: 'changedAt = :changedAt',
        ExpressionAttributeValues: { ':none': 0, ':changedAt': changedAt },
      });
    },

    async disable(partner, { changedAt }, cause, now) {
      const outcome = await updateRow({
        Key: webhookKey(partner),
        UpdateExpression: DISABLE,
        ConditionExpression: 'changedAt = :changedAt AND enabled = :yes',
        ExpressionAttributeValues: { ...disabling(cause, now), ':changedAt': changedAt, ':yes': true },
      });
      return 'written' in outcome || outcome.refused['enabled'] === false;
    },
  };
}

function healthOf(item: Item): EndpointHealth {
  const { failures, failingSince } = webhookFormat.parse(item);
  return { failures, failingSince };
}

const DISABLE = 'SET enabled = :no, disabledBecause = :cause, disabledAt = :now';
const disabling = (cause: DisabledBecause, now: number) => ({ ':no': false, ':cause': cause, ':now': now });

/**
 * Sets where a partner's events go and the secret that signs them, enabled and with no failure on record. Overwrites
 * what was set before. `now` in milliseconds.
 */
export async function setWebhook(partner: PartnerId, url: string, secret: string, now: number): Promise<void> {
  const key = webhookKey(partner);
  await putRow({ Item: { ...key, url, enabled: true, changedAt: now, failures: 0, x: await seal(key, { secret }) } });
}

/**
 * Sets another address, with no failure on record. Secrets stay, and so does whether it is enabled. Throws where the
 * partner has no webhook.
 */
export async function changeWebhookUrl(partner: PartnerId, url: string, now: number): Promise<void> {
  const outcome = await updateRow({
    Key: webhookKey(partner),
    UpdateExpression: 'SET #url = :url, changedAt = :now, failures = :none REMOVE failingSince',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeNames: { '#url': 'url' },
    ExpressionAttributeValues: { ':url': url, ':now': now, ':none': 0 },
  });
  if ('refused' in outcome) throw noWebhook(partner);
}

const noWebhook = (partner: PartnerId) => new OperatorError(`partner ${partner} has no webhook`);

/** Enables a partner's endpoint with no failure on record. What was suspended meanwhile is then to be released. */
export async function enableWebhook(partner: PartnerId, now: number): Promise<void> {
  const outcome = await updateRow({
    Key: webhookKey(partner),
    UpdateExpression:
      'SET enabled = :yes, changedAt = :now, failures = :none REMOVE failingSince, disabledBecause, disabledAt',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeValues: { ':yes': true, ':now': now, ':none': 0 },
  });
  if ('refused' in outcome) throw noWebhook(partner);
}

/** Disables a partner's endpoint: its events are kept as `suspensa` until it is enabled again. */
export async function disableWebhook(partner: PartnerId, reason: DisabledBecause, now: number): Promise<void> {
  const outcome = await updateRow({
    Key: webhookKey(partner),
    UpdateExpression: `${DISABLE}, changedAt = :now`,
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeValues: disabling(reason, now),
  });
  if ('refused' in outcome) throw noWebhook(partner);
}

/** How long both secrets sign after a rotation, in milliseconds. Source: contract, Webhooks. */
export const ROTATION_OVERLAP = 24 * 3_600_000;

/**
 * Makes `secret` the one that signs. The one before signs beside it for `overlap` milliseconds more; with 0 it is
 * forgotten at once. Throws where another rotation came between.
 */
export async function rotateWebhookSecret(
  partner: PartnerId,
  secret: string,
  overlap: number,
  now: number,
): Promise<void> {
  const key = webhookKey(partner);
  const item = await getRow(key);
  if (!item) throw noWebhook(partner);
  const { secret: current } = await unseal(key, item['x'], sealedWebhook);
  const kept = overlap > 0;
  const outcome = await updateRow({
    Key: key,
    UpdateExpression: kept ? 'SET x = :x, previousUntil = :until' : 'SET x = :x REMOVE previousUntil',
    ConditionExpression: 'x = :before',
    ExpressionAttributeValues: {
      ':x': await seal(key, kept ? { secret, previousSecret: current } : { secret }),
      ':before': item['x'],
      ...(kept && { ':until': now + overlap }),
    },
  });
  if ('refused' in outcome)
    throw new OperatorError(`the webhook of partner ${partner} was changed meanwhile: look at it again`);
}
