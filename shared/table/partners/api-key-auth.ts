/**
 * Authentication and rate limit in one conditional update of the partner's auth item
 * (shared/contract/README.md#admission). Conditions of DynamoDB have no arithmetic, so a container computes the
 * right-hand side of `current < limit - ceil(previous * (60 - second) / 60)` from the limit and the previous count that
 * it believes. The condition also checks these beliefs. A refusal returns the item's real values, and the call tries
 * again if they admit it.
 *
 * Anyone can make up a key with a right checksum, and each update for such a key costs the partner's item a write unit.
 * So after 30 unknown keys of a partner in a minute, a container first reads the item if it has not admitted the key
 * before. It reads at most once a second for all keys. A key that was made since the last read gets 429 for a second.
 */
import {
  type ApiKey,
  allowance,
  apiKeyHash,
  makeApiKey,
  parseApiKey,
  RateExceeded,
  secondsUntilAdmitted,
  UNKNOWN_KEYS_ASKED,
} from '#shared/domain/partners/api-key.ts';
import { type Caller, DEFAULT_LIMIT, scopesFromBits } from '#shared/domain/partners/partner.ts';
import type { ApiKeyAuth } from '#shared/domain/partners/ports.ts';
import {
  addDays,
  type Clock,
  type Day,
  dayInSaoPaulo,
  dayOf,
  daysBetween,
  isWithin,
} from '#shared/domain/values/clock.ts';
import { Failure } from '#shared/domain/values/failure.ts';
import { idOf, type PartnerId, type UnitId } from '#shared/domain/values/ids.ts';
import type { Environment, Tenancy } from '#shared/domain/values/tenancy.ts';
import { type Instant, type Milliseconds, minutes, type Seconds, seconds } from '#shared/domain/values/time.ts';
import { RecentMap } from '#shared/runtime/cached.ts';
import type { Primable } from '#shared/runtime/deadline.ts';
import { logWarning } from '#shared/runtime/log.ts';
import { emit } from '#shared/runtime/metrics.ts';
import { getRow, type Item, updateRow, winRow } from '../rows/client.ts';
import { authKey } from '../rows/keys.ts';

/** Short names, since admitting a call costs a write unit for each started KB of this item. */
export interface AuthEntry {
  /** SHA-256 of the whole key. */
  readonly h: Uint8Array;
  readonly s: number;
  readonly u: UnitId;
  /** Days since 1970 (`dayNumber`). Undefined if no call was admitted. */
  readonly d?: number | undefined;
}

/** Days since 1970, by the day in São Paulo: 4 bytes in the auth item. */
export const dayNumber = (now: Instant): number => daysBetween(FIRST_DAY, dayInSaoPaulo(now));
export const dayWithNumber = (number: number): Day => addDays(FIRST_DAY, number);

export const AUTH_KEYS = 'k';
export const AUTH_LIMIT: Readonly<Record<Environment, string>> = { sandbox: 'ls', producao: 'lp' };
/** A change of the limits has another mark, because calls would overwrite this mark. */
const CALL_MARK = 'n';
const COUNTER: Readonly<Record<Environment, string>> = { sandbox: 's', producao: 'p' };

const FIRST_DAY = dayOf('1970-01-01');

/** If an item gathers more counters of past minutes, one more write removes them. */
const STALE_COUNTERS = 8;
/**
 * Each try uses the values from the refusal before. At the turn of a minute, late calls still raise the finished
 * minute's count, so each try leaves them half of the remaining room: five tries are enough for the largest room.
 */
const ATTEMPTS = 5;
/** No partner has this id: ids are never 0. */
const NOBODY = idOf<PartnerId>(0);
const REMEMBERED = 1_000;

const UNKNOWN_FOR: Milliseconds = minutes(1);

const READ_EVERY: Milliseconds = seconds(1);
/** After this time the item may be read again. */
const READ_AGAIN: Seconds = READ_EVERY / seconds(1);

interface Call {
  readonly key: ApiKey;
  readonly hash: Uint8Array;
  readonly now: Instant;
  /** Since 1970. */
  readonly minute: number;
  readonly second: Seconds;
}

interface Belief {
  readonly limit: number;
  readonly previous: number;
}

interface Seen extends Belief {
  readonly entry: AuthEntry;
  readonly current: number;
}

/** Learned from the partner's item. It says nothing about a key. */
interface Memory {
  readonly limit: number;
  readonly minute: number;
  /** The real counts may be higher than `current` and `previous`. */
  readonly current: number;
  readonly previous: number;
  readonly stale: readonly string[];
}

interface RateRefusal {
  readonly since: Instant;
  readonly until: Instant;
  readonly limit: number;
}

const NOTHING_LEARNED: Memory = { limit: DEFAULT_LIMIT, minute: 0, current: 0, previous: 0, stale: [] };

export class TableApiKeyAuth implements ApiKeyAuth, Primable {
  readonly #clock: Clock;
  readonly #memories = new Map<string, Memory>();
  /** Each refusal is kept for the time of its Retry-After. */
  readonly #rateRefusals = new Map<string, RateRefusal>();
  /** Moment at which the table did not have the key. */
  readonly #unknownKeys = new RecentMap<string, Instant>(REMEMBERED);
  readonly #admittedAs = new RecentMap<string, Tenancy>(REMEMBERED);
  readonly #unknownCounts = new RecentMap<string, { readonly minute: number; readonly asked: number }>(REMEMBERED);
  readonly #itemsRead = new RecentMap<PartnerId, { readonly at: Instant; readonly item: Promise<Item | undefined> }>(
    REMEMBERED,
  );

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The refusal costs a write unit and opens the connection that the first call needs. */
  async prime(): Promise<void> {
    await ask(callOf(makeApiKey(NOBODY, 'producao').text, this.#clock()), NOTHING_LEARNED);
  }

  async authenticate(text: string, meanwhile: (lastKnown: Tenancy) => void = () => {}): Promise<Caller> {
    const call = callOf(text, this.#clock());
    const keyName = Buffer.from(call.hash).toString('base64');
    const partnerName = `${call.key.partnerId}/${call.key.environment}`;
    this.#refuseFromMemory(keyName, call.now);

    // `take` forgets the tenancy until the key is admitted again, so that no read is started for the calls after a
    // refusal.
    const lastKnown = this.#admittedAs.take(keyName);
    const isBraked = !lastKnown && this.#unknownAsked(partnerName, call) >= UNKNOWN_KEYS_ASKED;
    const memory = this.#memories.get(partnerName) ?? NOTHING_LEARNED;
    const asked = this.#askWithin(isBraked, call, memory).catch((error: unknown) => {
      if (error instanceof Failure && error.code === 'auth_invalid') this.#noteUnknown(keyName, partnerName, call);
      throw error;
    });
    if (lastKnown) meanwhile(lastKnown);
    const { admitted, seen, item } = await asked;
    if (!admitted) throw this.#refuseForRate(keyName, call, seen);

    const stale = await withoutExcess(call, staleCounters(item, call));
    const { limit, previous, current } = seen;
    this.#memories.set(partnerName, { limit, minute: call.minute, current, previous, stale });
    this.#admittedAs.set(keyName, { unitId: seen.entry.u, environment: call.key.environment });
    return callerOf(call, seen);
  }

  /** Throws if this container has refused the key before and the refusal still holds. */
  #refuseFromMemory(keyName: string, now: Instant): void {
    const refusal = this.#rateRefusals.get(keyName);
    if (refusal && isWithin(now, refusal.since, refusal.until - refusal.since))
      throw new RateExceeded(refusal.limit, Math.ceil((refusal.until - now) / seconds(1)));
    this.#rateRefusals.delete(keyName);
    const unknownSince = this.#unknownKeys.take(keyName);
    if (unknownSince !== undefined && isWithin(now, unknownSince, UNKNOWN_FOR)) {
      this.#unknownKeys.set(keyName, unknownSince);
      throw new Failure('auth_invalid');
    }
  }

  #refuseForRate(keyName: string, call: Call, { limit, previous, current }: Seen): RateExceeded {
    const retryAfter = secondsUntilAdmitted(limit, previous, current, call.second);
    const until = (Math.floor(call.now / seconds(1)) + retryAfter) * seconds(1);
    this.#rateRefusals.set(keyName, { since: call.now, until, limit });
    return new RateExceeded(limit, retryAfter);
  }

  /** Under the brake, asks only after the partner's item has shown that it holds the key. */
  async #askWithin(isBraked: boolean, call: Call, memory: Memory) {
    if (isBraked) await this.#expectInItem(call);
    return ask(call, memory);
  }

  /**
   * Throws `auth_invalid` if an item that was read for this call does not hold the key. Throws `rate_limited` if an
   * item that was read earlier does not.
   */
  async #expectInItem(call: Call): Promise<void> {
    const { partnerId } = call.key;
    const earlier = this.#itemsRead.take(partnerId);
    const isRecent = earlier !== undefined && isWithin(call.now, earlier.at, READ_EVERY);
    const read = isRecent ? earlier : { at: call.now, item: getRow(authKey(partnerId)) };
    this.#itemsRead.set(partnerId, read);
    if (entryIn(await read.item, call)) return;
    // Names the usual limit, because the partner's own limit would show a stranger that the partner exists.
    throw isRecent ? new RateExceeded(DEFAULT_LIMIT, READ_AGAIN) : new Failure('auth_invalid');
  }

  /** Adds `more` to the count of this minute. */
  #unknownAsked(partnerName: string, { minute }: Call, more = 0): number {
    const known = this.#unknownCounts.take(partnerName);
    const asked = (known?.minute === minute ? known.asked : 0) + more;
    if (asked > 0) this.#unknownCounts.set(partnerName, { minute, asked });
    return asked;
  }

  /** The 30th unknown key of a partner in a minute puts the brake on, which is logged once. */
  #noteUnknown(keyName: string, partnerName: string, call: Call): void {
    this.#unknownKeys.set(keyName, call.now);
    emit({}, { UnknownKeysAsked: 1 });
    const { partnerId: partner, environment } = call.key;
    if (this.#unknownAsked(partnerName, call, 1) === UNKNOWN_KEYS_ASKED)
      logWarning('unknown_keys_braked', { partner, environment });
  }
}

/** Throws `auth_invalid` if the text is not a key: a mistyped key never reaches the table. */
function callOf(text: string, now: Instant): Call {
  const key = parseApiKey(text);
  if (!key) throw new Failure('auth_invalid');
  const minute = Math.floor(now / minutes(1));
  const second = Math.floor((now % minutes(1)) / seconds(1));
  return { key, hash: apiKeyHash(text), now, minute, second };
}

function callerOf({ key, second }: Call, { entry, limit, previous, current }: Seen): Caller {
  return {
    partnerId: key.partnerId,
    keyId: key.keyId,
    environment: key.environment,
    unitId: entry.u,
    scopes: scopesFromBits(entry.s),
    limit,
    left: Math.max(0, allowance(limit, previous, second) - current),
    resetsIn: 60 - second,
  };
}

const counter = ({ key }: Call, minute: number) => COUNTER[key.environment] + minute;

/** If the container has seen no call in this minute or the one before, the minute before counts as empty. */
function believed({ limit, minute, current, previous }: Memory, call: Call): Belief {
  if (minute === call.minute) return { limit, previous };
  return { limit, previous: minute === call.minute - 1 ? current : 0 };
}

function build(call: Call, { limit, previous }: Belief, stale: readonly string[]) {
  const { key, hash, now, minute, second } = call;
  const allowed = allowance(limit, previous, second);
  const current = counter(call, minute);
  const previousCounter = counter(call, minute - 1);
  const beforePrevious = counter(call, minute - 2);
  const needed = [current, previousCounter, beforePrevious];
  const removed = [beforePrevious].concat(stale.filter((name) => !needed.includes(name)));
  return {
    Key: authKey(key.partnerId),
    // The day of the last call costs no write of its own. The condition makes sure that the item has the key's entry.
    UpdateExpression: `SET #keys.#key.#day = :day ADD #cur :one ${removal(removed)}`,
    // An absent counter means zero calls. A minute that allows nothing must refuse a first call, too.
    ConditionExpression: [
      '#keys.#key.#hash = :hash',
      '#limit = :limit',
      '(attribute_not_exists(#prev) OR #prev <= :previous)',
      allowed > 0 ? '(attribute_not_exists(#cur) OR #cur < :allowed)' : '#cur < :allowed',
    ].join(' AND '),
    ExpressionAttributeNames: {
      '#keys': AUTH_KEYS,
      '#key': key.keyId,
      '#hash': 'h',
      '#day': 'd',
      '#limit': AUTH_LIMIT[key.environment],
      '#cur': current,
      '#prev': previousCounter,
      ...removalNames(removed),
    },
    ExpressionAttributeValues: {
      ':hash': hash,
      ':day': dayNumber(now),
      ':limit': limit,
      ':previous': previous,
      ':allowed': allowed,
      ':one': 1,
    },
  };
}

/** Throws `auth_invalid` if the item does not hold the call's key. */
async function ask(call: Call, memory: Memory): Promise<{ admitted: boolean; seen: Seen; item: Item }> {
  let belief = believed(memory, call);
  for (let attempt = 1; ; attempt++) {
    const outcome = await winRow(build(call, belief, memory.stale), CALL_MARK);
    if ('written' in outcome) {
      return { admitted: true, seen: readAuthItem(outcome.written, call), item: outcome.written };
    }
    const seen = readAuthItem(outcome.refused, call);
    const room = allowance(seen.limit, seen.previous, call.second) - seen.current;
    if (room <= 0 || attempt === ATTEMPTS) return { admitted: false, seen, item: outcome.refused };
    // Half of the room is left for late calls of the finished minute, the other half for other calls of this minute.
    belief = { limit: seen.limit, previous: seen.previous + Math.floor((room - 1) / 2) };
  }
}

/** Undefined if the item does not hold the call's key. */
function entryIn(item: Item | undefined, { key, hash }: Call): AuthEntry | undefined {
  const entry = (item?.[AUTH_KEYS] as Record<string, AuthEntry> | undefined)?.[key.keyId];
  return entry && Buffer.from(entry.h).equals(hash) ? entry : undefined;
}

/** Throws `auth_invalid` if the item does not hold the call's key. */
function readAuthItem(item: Item, call: Call): Seen {
  const { key, minute } = call;
  const entry = entryIn(item, call);
  if (!entry) throw new Failure('auth_invalid');
  return {
    entry,
    limit: Number(item[AUTH_LIMIT[key.environment]]),
    previous: Number(item[counter(call, minute - 1)] ?? 0),
    current: Number(item[counter(call, minute)] ?? 0),
  };
}

function staleCounters(item: Item, { key, minute }: Call): readonly string[] {
  const shape = new RegExp(`^${COUNTER[key.environment]}\\d+$`);
  return Object.keys(item).filter((name) => shape.test(name) && Number(name.slice(1)) < minute - 1);
}

/** Removes the counters only if there are too many for the next call's own update. */
async function withoutExcess({ key }: Call, stale: readonly string[]): Promise<readonly string[]> {
  if (stale.length <= STALE_COUNTERS) return stale;
  await updateRow({
    Key: authKey(key.partnerId),
    UpdateExpression: removal(stale),
    ExpressionAttributeNames: removalNames(stale),
  });
  return [];
}

const removal = (names: readonly string[]) => `REMOVE ${names.map((_, index) => `#r${index}`).join(', ')}`;
const removalNames = (names: readonly string[]) => Object.fromEntries(names.map((name, index) => [`#r${index}`, name]));
