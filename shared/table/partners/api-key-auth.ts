/**
 * Authentication and rate limit in one conditional update of the partner's auth item
 * (shared/contract/README.md#admission).
 *
 * The item holds the partner's live keys, its limits, and one counter per environment and clock minute. A call adds one
 * to the current minute's counter on the condition that its key's hash is there and that
 *
 *     current < limit - ceil(previous * (60 - second) / 60)
 *
 * the sliding-window counter of rate limiters: the minute before counts for the part of it that still lies within the
 * last 60 seconds. Conditions have no arithmetic, so the right-hand side is computed here, from the limit and the
 * previous count as this container believes them to be; the condition names both beliefs. Three steps:
 *
 *   build     the update and its condition, from the believed values
 *   ask       sends it; a refusal returns the item, and where the real values would admit the call it is sent again
 *   remember  keeps limit and counts for the next call, a refusal until the moment that the caller was told, and the
 *             unit and environment of the keys that were admitted most recently: what is read by them before the answer
 *             to the update is thrown away unless that answer names the same
 *
 * Anyone can make up a key with a right checksum, and each costs the partner's item a write unit. So a container has a brake:
 * after the 30th unknown key of a partner in a minute it sends the update only for keys that it has admitted before, and for
 * keys whose hash stands in the item. It reads the item for that at most once a second, so that one read judges every key
 * that comes in this second: a flood of forged keys cannot use up the reads that a partner's own key needs. A key that is
 * not in an item read before its call may have been made since: it is told to come again after a second.
 *
 * Worst case: two tries for a container's first call in a minute whose predecessor was busy, or after a change of the
 * limit. Around a minute's turn, calls that began before it still raise the finished minute's count; each further try
 * leaves them half of the room that is left, so ATTEMPTS tries are enough for the largest room there is. Each try,
 * refused or not, costs a write unit per started KB of the item.
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
import type { Clock } from '#shared/domain/values/clock.ts';
import { Failure } from '#shared/domain/values/failure.ts';
import { idOf, type PartnerId, type UnitId } from '#shared/domain/values/ids.ts';
import type { Environment, Tenancy } from '#shared/domain/values/tenancy.ts';
import { type Instant, type Milliseconds, minutes, type Seconds, seconds } from '#shared/domain/values/time.ts';
import { RecentMap } from '#shared/runtime/cached.ts';
import type { Primable } from '#shared/runtime/deadline.ts';
import { logWarning } from '#shared/runtime/log.ts';
import { emit } from '#shared/runtime/metrics.ts';
import { getRow, type Item, updateRow } from '../rows/client.ts';
import { authKey } from '../rows/keys.ts';

/** A live key in the auth item. Short names: every call pays a write unit per started KB of this item. */
export interface AuthEntry {
  /** SHA-256 of the whole key. */
  readonly h: Uint8Array;
  /** Scopes as bits. */
  readonly s: number;
  readonly u: UnitId;
}

/** Attributes of the auth item beside the minute counters. */
export const AUTH_KEYS = 'k';
/** Calls a minute, by environment. */
export const AUTH_LIMIT: Readonly<Record<Environment, string>> = { sandbox: 'ls', producao: 'lp' };
const COUNTER: Readonly<Record<Environment, string>> = { sandbox: 's', producao: 'p' };

/** Counters of minutes long past that an item may gather before one call is spent on removing them. */
const STALE_COUNTERS = 8;
/** Attempts; each uses the values from the previous refusal. */
const ATTEMPTS = 5;
/** No partner has this id: ids are never 0. */
const NOBODY = idOf<PartnerId>(0);
/** How many a container remembers of each: admitted keys, unknown keys, partners of unknown keys, items read under the brake. */
const REMEMBERED = 1_000;

/** How long a container refuses an unknown key without asking the table: no key becomes valid later. */
const UNKNOWN_FOR: Milliseconds = minutes(1);

/** Least time between two reads of a partner's item under the brake. */
const READ_EVERY: Milliseconds = seconds(1);
/** What a caller is told to wait until the item may be read again. */
const READ_AGAIN: Seconds = READ_EVERY / seconds(1);

/** One call: its key, its moment, and where the moment lies in the clock's minute. */
interface Call {
  readonly key: ApiKey;
  readonly hash: Uint8Array;
  readonly now: Instant;
  /** Number of the clock minute since 1970. */
  readonly minute: number;
  /** Whole seconds of the clock minute that have passed. */
  readonly second: Seconds;
}

/** What the condition assumes. */
interface Belief {
  readonly limit: number;
  readonly previous: number;
}

/** The auth item as a call finds it. */
interface Seen extends Belief {
  readonly entry: AuthEntry;
  readonly current: number;
}

/** What this container has learned of a partner's environment; nothing about a key. */
interface Memory {
  readonly limit: number;
  /** The minute of the last call, with the calls seen in it and in the one before: lower bounds. */
  readonly minute: number;
  readonly current: number;
  readonly previous: number;
  /** Counters that no one needs any more. */
  readonly stale: readonly string[];
}

const NOTHING_LEARNED: Memory = { limit: DEFAULT_LIMIT, minute: 0, current: 0, previous: 0, stale: [] };

/** Authentication and rate limit in one conditional write. */
export class TableApiKeyAuth implements ApiKeyAuth, Primable {
  readonly #clock: Clock;
  /** What was learned of a partner's environment. */
  readonly #memories = new Map<string, Memory>();
  /** Keys that were refused for their rate, until when they are. */
  readonly #rateRefusals = new Map<string, { readonly until: Instant; readonly limit: number }>();
  /** Until when an unknown key is refused. Anyone can compute a right checksum, and each question costs a write. */
  readonly #unknownKeys = new RecentMap<string, Instant>(REMEMBERED);
  readonly #admittedAs = new RecentMap<string, Tenancy>(REMEMBERED);
  /** Unknown keys that the table was asked about in a clock minute, by partner and environment. */
  readonly #unknownCounts = new RecentMap<string, { readonly minute: number; readonly asked: number }>(REMEMBERED);
  readonly #itemsRead = new RecentMap<PartnerId, { readonly at: Instant; readonly item: Promise<Item | undefined> }>(
    REMEMBERED,
  );

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Asks about a key of nobody. The refusal costs a write unit and opens the connection that the first call needs. */
  async prime(): Promise<void> {
    await ask(callOf(makeApiKey(NOBODY, 'producao').text, this.#clock()), NOTHING_LEARNED);
  }

  async authenticate(text: string, meanwhile: (lastKnown: Tenancy) => void = () => {}): Promise<Caller> {
    const call = callOf(text, this.#clock());
    const keyName = Buffer.from(call.hash).toString('base64');
    const partnerName = `${call.key.partnerId}/${call.key.environment}`;
    this.#refuseFromMemory(keyName, call.now);

    // `take` forgets the tenancy. It is remembered again once the key is admitted again, so that no read starts in vain
    // for the calls after a refusal.
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
    if (refusal && now < refusal.until)
      throw new RateExceeded(refusal.limit, Math.ceil((refusal.until - now) / seconds(1)));
    this.#rateRefusals.delete(keyName);
    const unknownUntil = this.#unknownKeys.take(keyName);
    if (unknownUntil !== undefined && now < unknownUntil) {
      this.#unknownKeys.set(keyName, unknownUntil);
      throw new Failure('auth_invalid');
    }
  }

  /** Remembers a refusal for the rate until the moment that the caller is told, and returns the refusal. */
  #refuseForRate(keyName: string, call: Call, { limit, previous, current }: Seen): RateExceeded {
    const retryAfter = secondsUntilAdmitted(limit, previous, current, call.second);
    const until = (Math.floor(call.now / seconds(1)) + retryAfter) * seconds(1);
    this.#rateRefusals.set(keyName, { until, limit });
    return new RateExceeded(limit, retryAfter);
  }

  /** Sends the counting update. Under the brake, only after the partner's item has shown that it holds the key. */
  async #askWithin(isBraked: boolean, call: Call, memory: Memory) {
    if (isBraked) await this.#expectInItem(call, memory.limit);
    return ask(call, memory);
  }

  /**
   * Judges a key under the brake by a read of the partner's item, at most one a second. Throws `auth_invalid` if an item
   * that was read for this call does not hold the key, and `rate_limited` if an item that was read before does not.
   */
  async #expectInItem(call: Call, limit: number): Promise<void> {
    const { partnerId } = call.key;
    const earlier = this.#itemsRead.take(partnerId);
    const isRecent = earlier !== undefined && call.now - earlier.at < READ_EVERY;
    const read = isRecent ? earlier : { at: call.now, item: getRow(authKey(partnerId)) };
    this.#itemsRead.set(partnerId, read);
    if (entryIn(await read.item, call)) return;
    throw isRecent ? new RateExceeded(limit, READ_AGAIN) : new Failure('auth_invalid');
  }

  /** Returns how many unknown keys of a partner the table was asked about in the minute of a call, `more` included. */
  #unknownAsked(partnerName: string, { minute }: Call, more = 0): number {
    const known = this.#unknownCounts.take(partnerName);
    const asked = (known?.minute === minute ? known.asked : 0) + more;
    if (asked > 0) this.#unknownCounts.set(partnerName, { minute, asked });
    return asked;
  }

  /** Notes a key that the table does not have. The 30th of a partner in a minute puts the brake on, which is logged once. */
  #noteUnknown(keyName: string, partnerName: string, call: Call): void {
    this.#unknownKeys.set(keyName, call.now + UNKNOWN_FOR);
    emit({}, { UnknownKeysAsked: 1 });
    const { partnerId: partner, environment } = call.key;
    if (this.#unknownAsked(partnerName, call, 1) === UNKNOWN_KEYS_ASKED)
      logWarning('unknown_keys_braked', { partner, environment });
  }
}

/** Throws `auth_invalid` for a text that is no key: a mistyped one never reaches the table. */
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

/** What the container believes of this call's minute: of a minute it has seen calls of, and else of nothing. */
function believed({ limit, minute, current, previous }: Memory, call: Call): Belief {
  if (minute === call.minute) return { limit, previous };
  return { limit, previous: minute === call.minute - 1 ? current : 0 };
}

/** The update that counts the call, on the condition that the beliefs hold and admit it. */
function build(call: Call, { limit, previous }: Belief, stale: readonly string[]) {
  const { key, hash, minute, second } = call;
  const allowed = allowance(limit, previous, second);
  const current = counter(call, minute);
  const previousCounter = counter(call, minute - 1);
  const beforePrevious = counter(call, minute - 2);
  const needed = [current, previousCounter, beforePrevious];
  const removed = [beforePrevious].concat(stale.filter((name) => !needed.includes(name)));
  return {
    Key: authKey(key.partnerId),
    UpdateExpression: `ADD #cur :one ${removal(removed)}`,
    // An absent counter stands for zero calls, which a minute that allows nothing must refuse too.
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
      '#limit': AUTH_LIMIT[key.environment],
      '#cur': current,
      '#prev': previousCounter,
      ...removalNames(removed),
    },
    ExpressionAttributeValues: {
      ':hash': hash,
      ':limit': limit,
      ':previous': previous,
      ':allowed': allowed,
      ':one': 1,
    },
  };
}

/** Sends the update, again with a refusal's values as long as those would admit the call. */
async function ask(call: Call, memory: Memory): Promise<{ admitted: boolean; seen: Seen; item: Item }> {
  let belief = believed(memory, call);
  for (let attempt = 1; ; attempt++) {
    const outcome = await updateRow(build(call, belief, memory.stale));
    if ('written' in outcome) {
      return { admitted: true, seen: readAuthItem(outcome.written, call), item: outcome.written };
    }
    const seen = readAuthItem(outcome.refused, call);
    const room = allowance(seen.limit, seen.previous, call.second) - seen.current;
    if (room <= 0 || attempt === ATTEMPTS) return { admitted: false, seen, item: outcome.refused };
    // Half of the room is left to late calls of the finished minute, half to the others of this minute.
    belief = { limit: seen.limit, previous: seen.previous + Math.floor((room - 1) / 2) };
  }
}

/** The entry of a call's key in its partner's item; undefined if the item does not hold that key. */
function entryIn(item: Item | undefined, { key, hash }: Call): AuthEntry | undefined {
  const entry = (item?.[AUTH_KEYS] as Record<string, AuthEntry> | undefined)?.[key.keyId];
  return entry && Buffer.from(entry.h).equals(hash) ? entry : undefined;
}

/** Throws `auth_invalid` where the item does not hold the call's key. */
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

/** Removes stale counters once there are too many for the next call's own update; gives those that are left. */
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
