import { InvalidArgumentError } from 'commander';
import { type KeyStart, NEEDED, readKeyStart } from '#shared/domain/partners/key-start.ts';
import { type Clock, timestamp } from '#shared/domain/values/clock.ts';
import { isKeyId, type KeyId } from '#shared/domain/values/ids.ts';
import type { Instant } from '#shared/domain/values/time.ts';
import { UsageError } from './errors.ts';

/** Throws an InvalidArgumentError if the text is not a positive whole number. */
export function id(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < 1) {
    throw new InvalidArgumentError('An id is a positive whole number.');
  }
  return value;
}

/** The parser throws an InvalidArgumentError if the text is no such number. */
export function wholeNumber(least: number, most: number) {
  return (text: string): number => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < least || value > most) {
      throw new InvalidArgumentError(`A whole number from ${least} to ${most} is needed.`);
    }
    return value;
  };
}

export type KeyNamed =
  | { readonly kind: 'id'; readonly keyId: KeyId }
  | Extract<KeyStart, { readonly kind: 'key' | 'partner' }>;

/**
 * Takes a key's id, or a start of the key that is long enough to name the partner. Throws a UsageError for any other
 * text. The message does not repeat the text, which may be a whole key.
 */
export function keyNamed(text: string): KeyNamed {
  if (isKeyId(text)) return { kind: 'id', keyId: text };
  const start = readKeyStart(text);
  if (start.kind === 'none')
    throw new UsageError(
      'no key begins like this: a start is pmc_ or pmc_sandbox_ with letters and digits, an id has 5 of them (see keys list)',
    );
  if (start.kind === 'short') throw new UsageError(`${neededText(start.environment)}; ${start.given} were given`);
  return start;
}

function neededText(environment: 'producao' | 'sandbox' | undefined): string {
  const { producao, sandbox } = NEEDED;
  const { partner, key } = environment === 'sandbox' ? sandbox : producao;
  const which = environment === undefined ? 'a key' : `a ${environment === 'sandbox' ? 'sandbox' : 'production'} key`;
  const other = environment === undefined ? ` (sandbox: ${sandbox.partner} and ${sandbox.key})` : '';
  return `${which} needs ${partner} characters to name its partner and ${key} to name the key${other}`;
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Takes ISO 8601 with an offset, or a time ago (`90m`, `2h`, `3d`). Any other text throws an InvalidArgumentError. */
export function since(now: Clock) {
  return (text: string): Instant => {
    const at = momentOf(text, now);
    if (at === undefined)
      throw new InvalidArgumentError('A moment is 2026-11-20T09:00:00-03:00, or so long ago: 90m, 2h, 3d.');
    return at;
  };
}

/** The result is in UTC. A text that is no moment stays as it is. */
export function momentText(text: string, now: Clock): string {
  const at = momentOf(text, now);
  return at === undefined ? text : timestamp(at);
}

function momentOf(text: string, now: Clock): Instant | undefined {
  const [, count, unit = ''] = /^(\d+)([mhd])$/.exec(text) ?? [];
  const length = UNITS[unit];
  if (length !== undefined) return now() - Number(count) * length;
  const at = /^\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:\d{2})$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}
