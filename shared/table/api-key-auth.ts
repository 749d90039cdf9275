import { apiKeyHash, parseApiKey } from '../domain/partners/api-key.ts';
import { type Caller, DEFAULT_LIMIT, scopesFromBits } from '../domain/partners/partner.ts';
import type { ApiKeyAuth } from '../domain/partners/ports.ts';
import { allowance, RateExceeded, secondsUntilAdmitted } from '../domain/partners/rate.ts';
import type { Clock } from '../domain/values/clock.ts';
import { Failure } from '../domain/values/failure.ts';
import type { UnitId } from '../domain/values/ids.ts';
import type { Environment } from '../domain/values/tenancy.ts';
import { type Item, updateRow } from './client.ts';
import { authKey } from './keys.ts';

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

/** How often a call is asked for with what the refusal before has told. */
const TRIES = 5;

/** What this container has learned of a partner's environment; nothing about a key. */
interface Learned {
  limit: number;
  /** Calls seen in a minute of the clock: a lower bound of what the next minute has to smooth by. */
  minute: number;
  count: number;
  /** Calls of the minute before that one. */
  previous: number;
  /** Counters that no one needs any more. */
  stale: string[];
}

/** Admission by one conditional write: key and rate at once (contract.md, Admission). */
export function tableApiKeyAuth(clock: Clock): ApiKeyAuth {
  const learned = new Map<string, Learned>();
  const refused = new Map<string, { readonly until: number; readonly limit: number }>();

  return {
    async authenticate(text) {
      const key = parseApiKey(text);
      if (!key) throw new Failure('auth_invalid');
      const hash = apiKeyHash(text);
      const hashText = Buffer.from(hash).toString('base64');
      const now = clock();
      const wait = refused.get(hashText);
      if (wait && now < wait.until) throw new RateExceeded(wait.limit, Math.ceil((wait.until - now) / 1000));
      refused.delete(hashText);

      const minute = Math.floor(now / 60_000);
      const second = Math.floor(now / 1000) % 60;
      const counter = (of: number) => COUNTER[key.environment] + of;
      const name = `${key.partnerId}/${key.environment}`;
      const memory = learned.get(name) ?? { limit: DEFAULT_LIMIT, minute: 0, count: 0, previous: 0, stale: [] };

      const ask = async (limit: number, previous: number) => {
        const allowed = allowance(limit, previous, second);
        const stale = memory.stale.filter(
          (attribute) => attribute !== counter(minute) && attribute !== counter(minute - 1),
        );
        const removed = [counter(minute - 2), ...stale.filter((attribute) => attribute !== counter(minute - 2))];
        return updateRow({
          Key: authKey(key.partnerId),
          UpdateExpression: `ADD #cur :one REMOVE ${removed.map((_, index) => `#r${index}`).join(', ')}`,
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
            '#cur': counter(minute),
            '#prev': counter(minute - 1),
            ...Object.fromEntries(removed.map((attribute, index) => [`#r${index}`, attribute])),
          },
          ExpressionAttributeValues: {
            ':hash': hash,
            ':limit': limit,
            ':previous': previous,
            ':allowed': allowed,
            ':one': 1,
          },
        });
      };

      let limit = memory.limit;
      // What is too low is refused and asked again, so a minute's later calls must know what its first has learned.
      let previous = memory.minute === minute ? memory.previous : memory.minute === minute - 1 ? memory.count : 0;
      let outcome = await ask(limit, previous);
      // IdempotentResult, as a rule: with what the refusal has told.
      for (let tries = 1; 'refused' in outcome && tries < TRIES; tries++) {
        const seen = readAuthItem(outcome.refused, key, hash, counter, minute);
        const room = allowance(seen.limit, seen.previous, second) - seen.current;
        if (room <= 0) break;
        // Around a minute's turn calls that began before it still raise the finished minute's count: half of the room is
        // left to them, half to the others of this minute.
        ({ limit, previous } = { limit: seen.limit, previous: seen.previous + Math.floor((room - 1) / 2) });
        outcome = await ask(limit, previous);
      }
      if ('refused' in outcome) {
        const seen = readAuthItem(outcome.refused, key, hash, counter, minute);
        const seconds = secondsUntilAdmitted(seen.limit, seen.previous, seen.current, second);
        refused.set(hashText, { until: (Math.floor(now / 1000) + seconds) * 1000, limit: seen.limit });
        throw new RateExceeded(seen.limit, seconds);
      }

      const { written } = outcome;
      const seen = readAuthItem(written, key, hash, counter, minute);
      memory.stale = staleCounters(written, key.environment, minute);
      if (memory.stale.length > STALE_COUNTERS) {
        await updateRow({
          Key: authKey(key.partnerId),
          UpdateExpression: `REMOVE ${memory.stale.map((_, index) => `#r${index}`).join(', ')}`,
          ExpressionAttributeNames: Object.fromEntries(
            memory.stale.map((attribute, index) => [`#r${index}`, attribute]),
          ),
        });
        memory.stale = [];
      }
      Object.assign(memory, { limit, minute, count: seen.current, previous: seen.previous });
      learned.set(name, memory);
      const caller: Caller = {
        partnerId: key.partnerId,
        keyId: key.keyId,
        environment: key.environment,
        unitId: seen.entry.u,
        scopes: scopesFromBits(seen.entry.s),
        limit,
        left: Math.max(0, allowance(limit, seen.previous, second) - seen.current),
        resetsIn: 60 - second,
      };
      return caller;
    },
  };
}

function readAuthItem(
  item: Item,
  key: { keyId: string; environment: Environment },
  hash: Uint8Array,
  counter: (minute: number) => string,
  minute: number,
): { entry: AuthEntry; limit: number; previous: number; current: number } {
  const entry = (item[AUTH_KEYS] as Record<string, AuthEntry> | undefined)?.[key.keyId];
  if (!entry || !Buffer.from(entry.h).equals(hash)) throw new Failure('auth_invalid');
  return {
    entry,
    limit: Number(item[AUTH_LIMIT[key.environment]]),
    previous: Number(item[counter(minute - 1)] ?? 0),
    current: Number(item[counter(minute)] ?? 0),
  };
}

function staleCounters(item: Item, environment: Environment, minute: number): string[] {
  const shape = new RegExp(`^${COUNTER[environment]}\\d+$`);
  return Object.keys(item).filter((name) => shape.test(name) && Number(name.slice(1)) < minute - 1);
}
