import type { UnitId } from '#shared/domain/values/ids.ts';
import type { Instant } from '#shared/domain/values/time.ts';
import type { AccountChange, AccountEventOf } from '#shared/domain/webhooks/delivery.ts';
import type { EndpointOwner } from '#shared/domain/webhooks/endpoint.ts';
import { ChangedMeanwhile } from '#shared/runtime/log.ts';
import type { Item, Refusal, TransactItem } from './client.ts';
import { profileKey, webhookKey } from './keys.ts';
import { writeOutbox } from './outbox.ts';

export interface ChangedAccount extends EndpointOwner {
  /** The webhook's row before the change. Undefined if there is no webhook: then no event is sent. */
  readonly webhook: Item | undefined;
  /** Undefined if the partner gets no event. */
  readonly eventOf: AccountEventOf | undefined;
}

export interface AccountEvent {
  readonly change: AccountChange;
  readonly unitId?: UnitId | undefined;
  readonly now: Instant;
  /** Condition on the partner's profile. @default the partner exists */
  readonly condition?: string;
}

interface AccountParts {
  readonly profile: TransactItem;
  readonly event: TransactItem | undefined;
}

/**
 * The event goes to the address that the environment's webhook had before the change. If this change or a later one
 * moves or disables the webhook, the old address still gets the event.
 */
export function accountChanges(
  { partnerId, environment, webhook, eventOf }: ChangedAccount,
  { change, unitId, now, condition = 'attribute_exists(pk)' }: AccountEvent,
): AccountParts {
  const profile = {
    Update: {
      Key: profileKey(partnerId),
      UpdateExpression: 'SET accountChangedAt = :now',
      ConditionExpression: condition,
      ExpressionAttributeValues: { ':now': now },
    },
  };
  const event = webhook && eventOf?.({ partnerId, change, environment, unitId }, now);
  return { profile, event: event && writeOutbox({ ...event, to: String(webhook['url']) }, false) };
}

/**
 * Every change that tells the partner and leaves the webhook as it is has this condition. Without it, the event could
 * go to an address that another call has just replaced, or be missing although another call has just set the first
 * address.
 */
export function webhookAsRead({ partnerId, environment, webhook }: ChangedAccount): TransactItem {
  const Key = webhookKey({ partnerId, environment });
  if (!webhook) return { ConditionCheck: { Key, ConditionExpression: 'attribute_not_exists(pk)' } };
  return {
    ConditionCheck: {
      Key,
      ConditionExpression: '#url = :url',
      ExpressionAttributeNames: { '#url': 'url' },
      ExpressionAttributeValues: { ':url': webhook['url'] },
    },
  };
}

export const webhookChanged = ({ partnerId, environment }: EndpointOwner): ChangedMeanwhile =>
  new ChangedMeanwhile(
    `the webhook of partner ${partnerId} in ${environment} was changed meanwhile: look at it, then make the same call again`,
  );

export function requireWebhookAsRead(account: ChangedAccount, refusal: Refusal | undefined): void {
  if (refusal) throw webhookChanged(account);
}
