import type { UnitId } from '#shared/domain/values/ids.ts';
import type { Instant } from '#shared/domain/values/time.ts';
import type { AccountChange, AccountEventOf } from '#shared/domain/webhooks/delivery.ts';
import type { EndpointOwner } from '#shared/domain/webhooks/endpoint.ts';
import { ChangedMeanwhile } from '#shared/runtime/log.ts';
import type { Item, Refusal, TransactItem } from './client.ts';
import { profileKey, webhookKey } from './keys.ts';
import { writeOutbox } from './outbox.ts';

/** A partner's account that is about to be changed, and the environment of the change. */
export interface ChangedAccount extends EndpointOwner {
  /** The environment's webhook as it was before the change. Undefined if there is none: then no event is sent. */
  readonly webhook: Item | undefined;
  /** Makes the event. Undefined if the partner gets no event. */
  readonly eventOf: AccountEventOf | undefined;
}

/** What happens to an account. */
export interface AccountEvent {
  readonly change: AccountChange;
  /** The unit of the key that is changed. Undefined if the change concerns the whole partner. */
  readonly unitId?: UnitId | undefined;
  readonly now: Instant;
  /** Condition on the partner's profile. @default the partner exists */
  readonly condition?: string;
}

/** Parts of the transaction that changes a partner's account. The event is undefined if the partner gets none. */
interface AccountParts {
  readonly profile: TransactItem;
  readonly event: TransactItem | undefined;
}

/**
 * Transaction parts to write together with a change of a partner's account. The event goes to the address that the environment's webhook had before the
 * change. If this change or a later one moves or disables the webhook, the old address still gets the event. The
 * sweeper sends it.
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
 * Transaction part that is refused unless the webhook's address is as the account was read. It is written with each
 * change that tells the partner and leaves the webhook as it is: without it, the event would go to an address that
 * another call has just replaced, or nobody would be told if another call has just set the first address.
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

/** Returns the error of a change that was decided while the environment's webhook had another address. */
export const webhookChanged = ({ partnerId, environment }: EndpointOwner): ChangedMeanwhile =>
  new ChangedMeanwhile(
    `the webhook of partner ${partnerId} in ${environment} was changed meanwhile: look at it, then make the same call again`,
  );

/** Throws a ChangedMeanwhile if the part `webhookAsRead` was refused. */
export function requireWebhookAsRead(account: ChangedAccount, refusal: Refusal | undefined): void {
  if (refusal) throw webhookChanged(account);
}
