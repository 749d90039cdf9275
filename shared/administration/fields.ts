import * as z from 'zod';
import { parseCpf } from '../domain/values/cpf.ts';
import type { EventId, KeyId } from '../domain/values/ids.ts';
import { ENVIRONMENTS } from '../domain/values/tenancy.ts';

// Fields that several resources share. Schemas of bodies read what came; those of answers say what leaves.

/** The schemas of one operation: what it takes and what it answers with. */
export interface Exchange {
  /** Path parameters, read from text. */
  readonly params?: z.ZodObject;
  /** Query parameters, read from text. */
  readonly query?: z.ZodObject;
  /** The body beside `reason`, `confirm` and `dry_run`, which follow from the route's row. */
  readonly body?: z.ZodObject;
  /** The answer of 200; all but the document begin with `ok: true`. */
  readonly answer: z.ZodObject;
  /** The answer to `dry_run: true`. */
  readonly preview?: z.ZodObject;
}

export const okay = () => z.literal(true).describe('Always true in an answer that is no error.');

/** An answer: `ok: true` and its fields. */
export const answered = <Shape extends z.core.$ZodLooseShape>(shape: Shape) => z.object({ ok: okay(), ...shape });

/** The answer to `dry_run: true`. */
export const previewed = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  answered({ dry_run: z.literal(true).describe('Nothing was changed.'), ...shape });

const WHOLE = 'must be a positive whole number';

/** An id in a body or an answer: a positive safe integer. `Id` is what it names. */
export const id = <Id extends number = number>(what: string) =>
  z.int(WHOLE).positive(WHOLE).describe(what) as unknown as z.ZodType<Id, number>;

/** A whole number in a path or a query, from its text. */
export const wholeText = (least: number, most: number, what: string) => {
  const fault = `must be a whole number from ${least} to ${most}`;
  return z
    .string()
    .regex(/^\d{1,16}$/, fault)
    .transform(Number)
    .refine((value) => value >= least && value <= most, fault)
    .describe(what);
};

/** An id in a path or a query, from its text. */
export const idText = <Id extends number = number>(what: string) =>
  wholeText(1, Number.MAX_SAFE_INTEGER, what) as unknown as z.ZodType<Id, string>;

/** true or false in a query. */
export const flagText = (what: string) =>
  z
    .enum(['true', 'false'], { error: 'must be true or false' })
    .transform((text) => text === 'true')
    .describe(what);

/** A name as people write it, on one line: 1 to 200 characters, trimmed, in NFC. */
export const name = (what: string) =>
  z
    .string()
    .trim()
    .transform((text) => text.normalize('NFC'))
    .pipe(
      z
        .string()
        .min(1, 'must not be empty')
        .max(200, 'has at most 200 characters')
        .refine((text) => !/\p{Cc}/u.test(text) && text.isWellFormed(), 'stands on one line'),
    )
    .describe(what);

export const environment = (what = 'Which environment.') => z.enum(ENVIRONMENTS).describe(what);

/** An event's id. */
export const eventId = () =>
  z
    .custom<EventId>(
      (value) => typeof value === 'string' && /^evt_[a-z2-7]{32}$/.test(value),
      'must be evt_ and 32 letters',
    )
    .meta({
      type: 'string',
      pattern: '^evt_[a-z2-7]{32}$',
    });

/** A key's id inside its partner. */
export const keyId = () =>
  z
    .custom<KeyId>(
      (value) => typeof value === 'string' && /^[0-9A-Za-z]{5}$/.test(value),
      'must be 5 letters and digits',
    )
    .meta({
      type: 'string',
      pattern: '^[0-9A-Za-z]{5}$',
    });

/** A moment of an answer: ISO 8601 ending in `Z`. */
export const moment = (what: string) => z.iso.datetime().describe(what);

/** A moment that a call names, ISO 8601 with an offset, as milliseconds since 1970. */
export const momentMeant = (what: string) =>
  z.iso
    .datetime({ offset: true, error: 'must be a moment with an offset: 2026-11-20T09:00:00-03:00' })
    .transform((text) => Date.parse(text))
    .describe(what);

/** A CPF with or without punctuation, as its 11 digits. Bodies of POST alone carry one. */
export const cpf = () =>
  z
    .string()
    .transform((text, context) => {
      const digits = parseCpf(text.trim());
      if (digits) return digits;
      context.issues.push({ code: 'custom', message: 'is no CPF: 11 digits, or ddd.ddd.ddd-dd', input: text });
      return z.NEVER;
    })
    .describe("The person's CPF; kept nowhere, and in no log.");

/** Where the next page goes on; opaque. */
export const cursor = () =>
  z
    .string()
    .regex(/^[\w-]{1,2048}$/, 'must be the next_cursor of the page before')
    .describe('The next_cursor of the page before; left out for the first.');

export const nextCursor = () =>
  z.string().nullable().describe('Sent as cursor it gives the next page; null on the last.');

/** What the work as a whole comes to. */
export const total = (what: string) => z.int().nullable().describe(`${what}; null where nobody has counted.`);

/** How many a page holds. */
export const pageSize = (most: number, usual: number) =>
  wholeText(1, most, `How many a page holds at most; ${usual} where left out.`).default(usual);

const CPFS = /\d{3}\.?\d{3}\.?\d{3}-?\d{2}/g;

/** Why a change is made. It is kept for good, so it must name no person. */
export const reason = () =>
  z
    .string()
    .trim()
    .min(1, 'say why, for the audit')
    .max(500, 'has at most 500 characters')
    .refine(
      (text) => !text.includes('@') && !(text.match(CPFS) ?? []).some((found) => parseCpf(found.replace(/\D/g, ''))),
      'is kept for good: leave CPFs and e-mail addresses out, a ticket number will do',
    )
    .describe('Why, for the audit: a ticket number, never a name, a CPF or an address.');

export const confirm = () => z.string().max(100).describe('Repeats the name of what this ends.');

export const dryRun = () => z.boolean().describe('true answers what would be done, and does nothing.');
