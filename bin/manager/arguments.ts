import { InvalidArgumentError } from 'commander';
import {
  contactOrEmpty,
  eventId,
  keyId as keyIdField,
  name as nameField,
  nameOrEmpty,
  token as tokenField,
} from '#shared/administration/fields.ts';
import { AUDITED } from '#shared/administration/operations.ts';
import { type KeyStart, NEEDED, readKeyStart } from '#shared/domain/partners/key-start.ts';
import { SCOPES, type Scope } from '#shared/domain/partners/partner.ts';
import { timestamp } from '#shared/domain/values/clock.ts';
import { isKeyId, type KeyId } from '#shared/domain/values/ids.ts';
import { CommandError, UsageError } from './errors.ts';

/** Returns the id that a text names. Throws an InvalidArgumentError if it is not a positive whole number. */
export function id(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < 1) {
    throw new InvalidArgumentError('An id is a positive whole number.');
  }
  return value;
}

/** Returns a parser of whole numbers between two bounds. It throws an InvalidArgumentError for any other text. */
export function wholeNumber(least: number, most: number) {
  return (text: string): number => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < least || value > most) {
      throw new InvalidArgumentError(`A whole number from ${least} to ${most} is needed.`);
    }
    return value;
  };
}

/** Returns the scopes of a text with commas. Throws an InvalidArgumentError if a word is not a scope. */
export function scopes(text: string): Scope[] {
  const names = text.split(',').map((name) => name.trim());
  const found = SCOPES.filter((scope) => names.includes(scope));
  if (new Set(names).size > found.length) {
    throw new InvalidArgumentError(`Scopes are ${SCOPES.join(', ')}, separated by commas.`);
  }
  return found;
}

const EVENT = eventId();
const KEY_ID = keyIdField();
const TOKEN = tokenField('');

/** Returns a parser of texts by a field's schema. It throws an InvalidArgumentError, which says what is wrong. */
const textAs =
  (field: typeof nameField) =>
  (text: string): string => {
    const { data, error } = field('').safeParse(text);
    if (data === undefined) throw new InvalidArgumentError(`It ${error?.issues[0]?.message}.`);
    return data;
  };

export const name = textAs(nameField);
/** Parses the registration of a unit. An empty text removes the stored one. */
export const registration = textAs(nameOrEmpty);
/** Parses a contact. An empty text removes the stored one. */
export const contact = textAs(contactOrEmpty);

/** Returns a text that is looked for. Throws an InvalidArgumentError if it is blank. */
export function searched(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It must not be empty.');
  return text;
}

/** A key as a person names it: by its start, or only by its id. */
export type KeyNamed =
  | { readonly kind: 'id'; readonly keyId: KeyId }
  | Extract<KeyStart, { readonly kind: 'key' | 'partner' }>;

/**
 * Returns the key that a text names: by any start that is long enough for the partner, or by its id. Throws a UsageError
 * for any other text. Its message does not repeat the text, which may be a whole key.
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

/** Returns how many characters of a key are needed, in the environment if it is known. */
function neededText(environment: 'producao' | 'sandbox' | undefined): string {
  const { producao, sandbox } = NEEDED;
  const { partner, key } = environment === 'sandbox' ? sandbox : producao;
  const which = environment === undefined ? 'a key' : `a ${environment === 'sandbox' ? 'sandbox' : 'production'} key`;
  const other = environment === undefined ? ` (sandbox: ${sandbox.partner} and ${sandbox.key})` : '';
  return `${which} needs ${partner} characters to name its partner and ${key} to name the key${other}`;
}

/**
 * Returns a token: a text that lets a call be repeated if its answer was lost. Throws an
 * InvalidArgumentError if its length is wrong.
 */
export function token(text: string): string {
  if (!TOKEN.safeParse(text).success) throw new InvalidArgumentError('A token has 16 to 255 characters.');
  return text;
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Returns a parser of moments: ISO 8601 with an offset, or a time ago (`90m`, `2h`, `3d`). The result is in
 * milliseconds since 1970. Any other text throws an InvalidArgumentError.
 */
export function since(now: () => number = Date.now) {
  return (text: string): number => {
    const [, count, unit = ''] = /^(\d+)([mhd])$/.exec(text) ?? [];
    const length = UNITS[unit];
    if (length !== undefined) return now() - Number(count) * length;
    const at = /^\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:\d{2})$/.test(text) ? Date.parse(text) : Number.NaN;
    if (Number.isNaN(at)) {
      throw new InvalidArgumentError('A moment is 2026-11-20T09:00:00-03:00, or so long ago: 90m, 2h, 3d.');
    }
    return at;
  };
}

/** Returns a parser of moments like that of `since`. The result is the API's text, in UTC. */
export function momentText(now: () => number) {
  const parse = since(now);
  return (text: string): string => timestamp(parse(text));
}

/** Returns an event's id. Throws a CommandError for a text that no event can have as its id. */
export function event(text: string): string {
  if (!EVENT.safeParse(text).success) throw new CommandError(`there is no event ${text}`);
  return text;
}

/** Returns a key's id. Throws an InvalidArgumentError for a text that no key can have as its id. */
export function keyId(text: string): string {
  if (!KEY_ID.safeParse(text).success) throw new InvalidArgumentError('A key is 5 letters and digits: see keys list.');
  return text;
}

/** Returns the name of an operation that the audit notes. Throws an InvalidArgumentError for any other text. */
export function auditedOperation(text: string): string {
  if (!AUDITED.includes(text))
    throw new InvalidArgumentError('An operation is named as in the column ACTION of audit list: create-key.');
  return text;
}

/** Returns a month as `2026-11`. Throws an InvalidArgumentError for any other text. */
export function month(text: string): string {
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(text)) throw new InvalidArgumentError('A month is 2026-11.');
  return text;
}
