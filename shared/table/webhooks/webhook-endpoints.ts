import * as z from 'zod/mini';
import { idOf, type PartnerId } from '#shared/domain/values/ids.ts';
import { ENVIRONMENTS } from '#shared/domain/values/tenancy.ts';
import type { Instant } from '#shared/domain/values/time.ts';
import type { AccountEventOf } from '#shared/domain/webhooks/delivery.ts';
import type {
  DisabledBecause,
  DisablingCause,
  EndpointHealth,
  EndpointOwner,
  EndpointView,
  Rotated,
  Rotation,
  WebhookEndpoint,
} from '#shared/domain/webhooks/endpoint.ts';
import { TEST_PAUSE } from '#shared/domain/webhooks/endpoint.ts';
import type {
  BegunTest,
  EnabledEndpoint,
  SeenPartner,
  SentAddress,
  WebhookEndpoints,
  WebhookSettings,
  WebhookTests,
  WebhookViews,
} from '#shared/domain/webhooks/ports.ts';
import type { Primable } from '#shared/runtime/deadline.ts';
import { ChangedMeanwhile, SafeError } from '#shared/runtime/log.ts';
import { accountChanges } from '../rows/account-changes.ts';
import {
  getRow,
  type Item,
  queryAllRows,
  type Refusal,
  type TransactItem,
  transactNamed,
  updateRow,
  winRow,
} from '../rows/client.ts';
import { decrypt, encrypt, ifItOpens, primeEncryption } from '../rows/encryption.ts';
import { addressDigest } from '../rows/index-keys.ts';
import { dueQuery, endpointDisabled, endpointFailing, RELEASES_DUE, releaseDue, webhookKey } from '../rows/keys.ts';
import { updateOf } from '../rows/update.ts';

const webhookFormat = z.object({
  url: z.string(),
  enabled: z.boolean(),
  previousUntil: z.optional(z.number()),
  changedAt: z.number(),
  failures: z.number(),
  failingSince: z.optional(z.number()),
  disabledBecause: z.optional(z.enum(['gone', 'failing', 'manager'])),
  disabledAt: z.optional(z.number()),
  setBy: z.optional(z.string()),
});
const sealedWebhook = z.object({
  secret: z.string(),
  /** Undefined if a rotation has replaced the secret that came with the first address. */
  firstBy: z.optional(z.string()),
  previousSecret: z.optional(z.string()),
  token: z.optional(z.string()),
  /** The newest last. */
  earlierTokens: z._default(z.array(z.string()), []),
});
const EARLIER_TOKENS = 10;

/** A change of the endpoint has another mark: a worker may count a failure between two tries of the change. */
const FAILURE_MARK = 'failureMark';
const TEST_MARK = 'testMark';

const FAILING = ['failingSince', 'listPk', 'listSk'];
/** A disabled endpoint leaves the list of failing endpoints. */
const UNLISTED = 'REMOVE listPk, listSk';

const environmentFormat = z.enum(ENVIRONMENTS);

/** Nothing of this view is sealed, so the keys are neither needed nor fetched ahead. */
export class TableWebhookViews implements WebhookViews {
  async view(owner: EndpointOwner): Promise<EndpointView | undefined> {
    const item = await getRow(webhookKey(owner));
    return item && viewOf(item);
  }
}

export class TableWebhookEndpoints extends TableWebhookViews implements WebhookEndpoints, Primable {
  prime(): Promise<void> {
    return primeEncryption();
  }

  async get(owner: EndpointOwner): Promise<WebhookEndpoint | undefined> {
    const item = await getRow(webhookKey(owner));
    return item && endpointOf(owner, item);
  }

  async enabledLately(): Promise<readonly EnabledEndpoint[]> {
    const items = await queryAllRows(dueQuery(RELEASES_DUE));
    return items.map(({ dueSk }) => {
      const [enabledAt, partnerId, environment] = String(dueSk).split('#');
      return {
        partnerId: idOf<PartnerId>(Number(partnerId)),
        environment: environmentFormat.parse(environment),
        enabledAt: Number(enabledAt),
      };
    });
  }

  async released(enabled: EnabledEndpoint): Promise<void> {
    await updateRow({
      Key: webhookKey(enabled),
      UpdateExpression: 'REMOVE duePk, dueSk',
      // `duePk` and `dueSk` mark the endpoint as enabled lately. If it was enabled again meanwhile, the new mark stays.
      ConditionExpression: 'dueSk = :seen',
      ExpressionAttributeValues: { ':seen': releaseDue(enabled, enabled.enabledAt).dueSk },
    });
  }

  async countFailure(
    owner: EndpointOwner,
    { changedAt }: WebhookEndpoint,
    now: Instant,
  ): Promise<{ readonly enabled: boolean; readonly health: EndpointHealth }> {
    const { listPk, listSk } = endpointFailing(owner, now);
    const update = {
      Key: webhookKey(owner),
      // `failingSince` is the first failure after the last success, however long ago that success was. A later failure
      // changes no key of the index, so that it costs no write there.
      UpdateExpression:
        'SET failingSince = if_not_exists(failingSince, :now), listPk = :listPk, listSk = if_not_exists(listSk, :listSk) ADD failures :one',
      ConditionExpression: 'changedAt = :changedAt AND enabled = :yes',
      ExpressionAttributeValues: {
        ':now': now,
        ':one': 1,
        ':changedAt': changedAt,
        ':yes': true,
        ':listPk': listPk,
        ':listSk': listSk,
      },
    };
    const outcome = await winRow(update, FAILURE_MARK);
    const item = 'written' in outcome ? outcome.written : outcome.refused;
    return { enabled: webhookFormat.parse(item).enabled, health: healthOf(item) };
  }

  async forgetFailures(owner: EndpointOwner, { changedAt }: WebhookEndpoint): Promise<void> {
    await updateRow({
      Key: webhookKey(owner),
      UpdateExpression: `SET failures = :none REMOVE ${FAILING.join(', ')}`,
      ConditionExpression: 'changedAt = :changedAt',
      ExpressionAttributeValues: { ':none': 0, ':changedAt': changedAt },
    });
  }

  async disable(
    owner: EndpointOwner,
    { changedAt, health }: WebhookEndpoint,
    cause: DisablingCause,
    now: Instant,
  ): Promise<boolean> {
    const failing = cause === 'failing';
    const outcome = await winRow({
      Key: webhookKey(owner),
      UpdateExpression: `${DISABLE} ${UNLISTED}`,
      ConditionExpression: `changedAt = :changedAt AND enabled = :yes${failing ? ' AND failingSince = :since' : ''}`,
      ExpressionAttributeValues: {
        ...disabling(owner, cause, now),
        ':changedAt': changedAt,
        ':yes': true,
        ':since': failing ? health.failingSince : undefined,
      },
    });
    return 'written' in outcome || outcome.refused['enabled'] === false;
  }
}

async function endpointOf(owner: EndpointOwner, item: Item): Promise<WebhookEndpoint> {
  const { secret, previousSecret } = await decrypt(webhookKey(owner), item['sealed'], sealedWebhook);
  return { ...viewOf(item), secret, previousSecret };
}

export class TableWebhookTests implements WebhookTests, Primable {
  prime(): Promise<void> {
    return primeEncryption();
  }

  async begin(owner: EndpointOwner, now: Instant): Promise<BegunTest> {
    const update = {
      Key: webhookKey(owner),
      UpdateExpression: 'SET testedAt = :now',
      ConditionExpression: 'attribute_exists(pk) AND (attribute_not_exists(testedAt) OR testedAt <= :before)',
      ExpressionAttributeValues: { ':now': now, ':before': now - TEST_PAUSE },
    };
    const outcome = await winRow(update, TEST_MARK);
    if ('written' in outcome) return { kind: 'begun', endpoint: await endpointOf(owner, outcome.written) };
    const { testedAt } = outcome.refused;
    return testedAt === undefined ? { kind: 'absent' } : { kind: 'too_soon', testedAt: Number(testedAt) };
  }
}

export function viewOf(item: Item): EndpointView {
  const { url, enabled, previousUntil, changedAt, disabledBecause, disabledAt, setBy } = webhookFormat.parse(item);
  return {
    url,
    setBy,
    enabled,
    previousUntil,
    changedAt,
    health: healthOf(item),
    disabledBecause,
    disabledAt,
    enabledLately: item['duePk'] === RELEASES_DUE ? true : undefined,
  };
}

function healthOf(item: Item): EndpointHealth {
  const { failures, failingSince } = webhookFormat.parse(item);
  return { failures, failingSince };
}

/** Also overwrites the mark by which the sweeper finds an enabled endpoint. */
const DISABLE = 'SET enabled = :no, disabledBecause = :cause, disabledAt = :now, duePk = :duePk, dueSk = :dueSk';
function disabling(owner: EndpointOwner, cause: DisabledBecause, now: Instant) {
  const { duePk, dueSk } = endpointDisabled(owner, cause);
  return { ':no': false, ':cause': cause, ':now': now, ':duePk': duePk, ':dueSk': dueSk };
}

interface ChangeOptions {
  /** Undefined if the partner gets no event. */
  readonly eventOf?: AccountEventOf | undefined;
  /** Undefined if the caller has not looked at the partner. */
  readonly seen?: SeenPartner | undefined;
  readonly setBy?: string | undefined;
}

/**
 * If the caller has seen production closed to the partner, it must still be closed: otherwise another person must
 * approve. A validation is never taken back, so nothing is checked for a partner that was in production. A webhook of
 * the sandbox needs no second person.
 */
function stillAsSeen({ environment }: EndpointOwner, seen: SeenPartner | undefined): string {
  const exists = 'attribute_exists(pk)';
  const mustBeClosed = environment === 'producao' && seen?.inProduction === false;
  return mustBeClosed ? `${exists} AND attribute_not_exists(validatedAt)` : exists;
}

function requireSeenPartner(owner: EndpointOwner, refusal: Refusal | undefined): void {
  if (!refusal) return;
  throw new ChangedMeanwhile(
    `production was opened to partner ${owner.partnerId} meanwhile, so another person may have to approve the call: look at the partner again`,
  );
}

export async function setWebhook(
  owner: EndpointOwner,
  url: string,
  secret: string,
  now: Instant,
  { eventOf, seen, setBy }: ChangeOptions = {},
): Promise<boolean> {
  const key = webhookKey(owner);
  const sealed = await encrypt(key, { secret, firstBy: setBy });
  const Item = { ...key, url, enabled: true, changedAt: now, failures: 0, sealed, setBy };
  const account = { ...owner, webhook: undefined, eventOf };
  const change = { change: 'webhook_endereco', now, condition: stillAsSeen(owner, seen) } as const;
  const told = eventOf && accountChanges(account, change);
  const outcome = await transactNamed({
    webhook: { Put: { Item, ConditionExpression: 'attribute_not_exists(pk)' } },
    profile: told?.profile,
    event: told?.event,
  });
  if (outcome === 'written') return true;
  requireSeenPartner(owner, outcome.profile);
  return false;
}

/** The secrets stay, and the endpoint stays enabled or disabled. Returns whether it is enabled. */
export async function changeWebhookUrl(
  owner: EndpointOwner,
  url: string,
  now: Instant,
  before?: EndpointView,
  { eventOf, seen, setBy }: ChangeOptions = {},
): Promise<{ readonly enabled: boolean } | undefined> {
  const item = await getRow(webhookKey(owner));
  if (!item) throw noWebhook(owner);
  const read = viewOf(item);
  const Update = updateOf(webhookKey(owner), {
    set: { url, changedAt: now, failures: 0, setBy },
    remove: setBy === undefined ? FAILING.concat('setBy') : FAILING,
    ...endpointAsSeen(before ?? read),
  });
  const account = { ...owner, webhook: item, eventOf };
  const change = { change: 'webhook_endereco', now, condition: stillAsSeen(owner, seen) } as const;
  const told = eventOf && url !== read.url ? accountChanges(account, change) : undefined;
  const outcome = await transactNamed({ webhook: { Update }, profile: told?.profile, event: told?.event });
  if (outcome === 'written') return { enabled: read.enabled };
  requireSeenPartner(owner, outcome.profile);
  return undefined;
}

async function firstSecret(owner: EndpointOwner, setBy: string): Promise<string | undefined> {
  const key = webhookKey(owner);
  const item = await getRow(key);
  const sealed = item && (await ifItOpens(decrypt(key, item['sealed'], sealedWebhook)));
  return sealed?.firstBy === setBy ? sealed.secret : undefined;
}

const noWebhook = (owner: EndpointOwner) =>
  new SafeError(`partner ${owner.partnerId} has no webhook in ${owner.environment}`);

function endpointAsSeen(seen: EndpointView | undefined) {
  if (!seen) return { condition: 'attribute_exists(pk)', values: {} };
  return {
    condition: 'changedAt = :seenAt AND enabled = :seenEnabled',
    values: { ':seenAt': seen.changedAt, ':seenEnabled': seen.enabled },
  };
}

function refusedBy(owner: EndpointOwner, row: Item, seen: EndpointView | undefined): SafeError {
  if (!seen || !('pk' in row)) return noWebhook(owner);
  const { url, enabled } = viewOf(row);
  const switched = enabled ? 'was enabled' : 'was disabled';
  const changed = enabled === seen.enabled ? 'was changed' : switched;
  const what = url === seen.url ? changed : 'got another address';
  return new ChangedMeanwhile(
    `the webhook of partner ${owner.partnerId} in ${owner.environment} ${what} meanwhile: look at it again`,
  );
}

/** The same write marks the endpoint for the sweeper, which releases the suspended deliveries. */
export async function enableWebhook(owner: EndpointOwner, now: Instant, seen?: EndpointView): Promise<void> {
  const { duePk, dueSk } = releaseDue(owner, now);
  const { condition, values } = endpointAsSeen(seen);
  const outcome = await winRow({
    Key: webhookKey(owner),
    UpdateExpression: `SET enabled = :yes, changedAt = :now, failures = :none, duePk = :duePk, dueSk = :dueSk REMOVE ${FAILING.join(', ')}, disabledBecause, disabledAt`,
    ConditionExpression: condition,
    ExpressionAttributeValues: {
      ...values,
      ':yes': true,
      ':now': now,
      ':none': 0,
      ':duePk': duePk,
      ':dueSk': dueSk,
    },
  });
  if ('refused' in outcome) throw refusedBy(owner, outcome.refused, seen);
}

export async function disableWebhook(
  owner: EndpointOwner,
  reason: DisabledBecause,
  now: Instant,
  seen?: EndpointView,
): Promise<void> {
  const { condition, values } = endpointAsSeen(seen);
  const outcome = await winRow({
    Key: webhookKey(owner),
    UpdateExpression: `${DISABLE}, changedAt = :now ${UNLISTED}`,
    ConditionExpression: condition,
    ExpressionAttributeValues: { ...values, ...disabling(owner, reason, now) },
  });
  if ('refused' in outcome) throw refusedBy(owner, outcome.refused, seen);
}

/**
 * If the secret that signs now was made with the same token, returns that secret. Throws a SafeError if:
 *
 * - there is no webhook;
 * - another call changed the secrets, or the partner is no longer as the caller has seen it (ChangedMeanwhile);
 * - the token's secret was made with another overlap, or was replaced by a later rotation;
 * - the secret to keep does not open;
 * - the rotation before promised to keep a secret for longer, and `dropPrevious` is not set.
 */
export async function rotateWebhookSecret(
  owner: EndpointOwner,
  secret: string,
  { overlap, dropPrevious, token }: Rotation,
  now: Instant,
  { eventOf, seen }: ChangeOptions = {},
): Promise<Rotated> {
  const key = webhookKey(owner);
  const item = await getRow(key);
  if (!item) throw noWebhook(owner);
  const keepsPrevious = overlap > 0;
  const { previousUntil } = viewOf(item);
  const before = await ifItOpens(decrypt(key, item['sealed'], sealedWebhook));
  if (before && token !== undefined && before.token === token) {
    if (keepsPrevious === (previousUntil !== undefined)) return { secret: before.secret, previousUntil };
    throw new SafeError('the token has made the secret that signs, with another overlap: use another token');
  }
  if (before && token !== undefined && before.earlierTokens.includes(token)) {
    throw new SafeError('the secret of this token was replaced since then: use another token');
  }
  if (keepsPrevious && !dropPrevious && previousUntil !== undefined && previousUntil > now) {
    throw new SafeError(
      `the secret before the last rotation signs until ${new Date(previousUntil).toISOString()}: another rotation ends it; wait, or say --drop-previous`,
    );
  }
  if (keepsPrevious && !before) {
    throw new SafeError('the secret that signs now does not open, and cannot be kept: webhook rotate --no-overlap');
  }
  const until = keepsPrevious ? now + overlap : undefined;
  const tokens = (before?.earlierTokens ?? []).concat(before?.token ?? []);
  const secrets = {
    secret,
    previousSecret: keepsPrevious ? before?.secret : undefined,
    token,
    earlierTokens: tokens.slice(-EARLIER_TOKENS),
  };
  const update: TransactItem = {
    Update: {
      Key: key,
      UpdateExpression: keepsPrevious
        ? 'SET sealed = :sealed, previousUntil = :until'
        : 'SET sealed = :sealed REMOVE previousUntil',
      // The event of this change goes to the address that was read.
      ConditionExpression: 'sealed = :before AND #url = :url',
      ExpressionAttributeNames: { '#url': 'url' },
      ExpressionAttributeValues: {
        ':sealed': await encrypt(key, secrets),
        ':before': item['sealed'],
        ':url': item['url'],
        ':until': until,
      },
    },
  };
  const account = { ...owner, webhook: item, eventOf };
  const change = { change: 'webhook_segredo', now, condition: stillAsSeen(owner, seen) } as const;
  const told = eventOf && accountChanges(account, change);
  const outcome = await transactNamed({ webhook: update, profile: told?.profile, event: told?.event });
  if (outcome === 'written') return { secret, previousUntil: until };
  requireSeenPartner(owner, outcome.profile);
  throw new ChangedMeanwhile(
    `the secret or the address of partner ${owner.partnerId} in ${owner.environment} was changed meanwhile: look at the webhook again`,
  );
}

export async function webhookOpens(owner: EndpointOwner): Promise<boolean> {
  const opened = new TableWebhookEndpoints().get(owner).then(() => true);
  return (await ifItOpens(opened)) ?? false;
}

export class TableWebhookSettings implements WebhookSettings {
  readonly #eventOf: AccountEventOf;

  constructor(eventOf: AccountEventOf) {
    this.#eventOf = eventOf;
  }

  set(
    owner: EndpointOwner,
    { url, setBy }: SentAddress,
    secret: string,
    now: Instant,
    seen: SeenPartner,
  ): Promise<boolean> {
    return setWebhook(owner, url, secret, now, { eventOf: this.#eventOf, seen, setBy });
  }

  changeUrl(
    owner: EndpointOwner,
    { url, setBy }: SentAddress,
    now: Instant,
    before: EndpointView,
    seen: SeenPartner,
  ): Promise<{ readonly enabled: boolean } | undefined> {
    return changeWebhookUrl(owner, url, now, before, { eventOf: this.#eventOf, seen, setBy });
  }

  firstSecret(owner: EndpointOwner, setBy: string): Promise<string | undefined> {
    return firstSecret(owner, setBy);
  }

  rotate(owner: EndpointOwner, secret: string, rotation: Rotation, now: Instant, seen: SeenPartner): Promise<Rotated> {
    return rotateWebhookSecret(owner, secret, rotation, now, { eventOf: this.#eventOf, seen });
  }

  enable(owner: EndpointOwner, now: Instant, seen: EndpointView): Promise<void> {
    return enableWebhook(owner, now, seen);
  }

  disable(owner: EndpointOwner, now: Instant, seen: EndpointView): Promise<void> {
    return disableWebhook(owner, 'manager', now, seen);
  }

  opens(owner: EndpointOwner): Promise<boolean> {
    return webhookOpens(owner);
  }

  digest(url: string): Promise<string> {
    return addressDigest(url);
  }
}
