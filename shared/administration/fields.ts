import * as z from 'zod/mini';
import en from 'zod/v4/locales/en.js';
import { described } from '../contract/described.ts';
import { keptAs } from '../contract/kept-as.ts';
import { isChannel } from '../domain/values/channel.ts';
import { type Day, isDay, parseDay } from '../domain/values/clock.ts';
import { parseCpf } from '../domain/values/cpf.ts';
import { contactFault, type EvidenceFault, evidenceFault } from '../domain/values/evidence.ts';
import type { EventId, KeyId } from '../domain/values/ids.ts';
import { holdsNoSecret } from '../domain/values/secret-text.ts';
import { ENVIRONMENTS } from '../domain/values/tenancy.ts';
import type { Instant } from '../domain/values/time.ts';

// zod/mini has no sentences of its own.
z.config(en());

export const okay = () => described(z.literal(true), 'Always true in an answer that is not an error.');

export const answered = <Shape extends z.core.$ZodLooseShape>(shape: Shape) => z.object({ ok: okay(), ...shape });

export const previewed = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  answered({ dry_run: described(z.literal(true), 'Nothing was changed.'), ...shape });

const WHOLE = 'must be a positive whole number';

const isId = <Id extends number>(value: unknown): value is Id =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0;

export const id = <Id extends number = number>(what: string) =>
  described(z.custom<Id, number>(isId<Id>, WHOLE), { type: 'integer', exclusiveMinimum: 0, description: what });

function wholeNumber(least: number, most: number) {
  const fault = `must be a whole number from ${least} to ${most}`;
  return z
    .pipe(z.string().check(z.regex(/^\d{1,16}$/, fault)), z.transform(Number))
    .check(z.refine((value) => value >= least && value <= most, fault));
}

export const wholeText = (least: number, most: number, what: string) => described(wholeNumber(least, most), what);

export const idText = <Id extends number = number>(what: string) =>
  described(z.pipe(wholeNumber(1, Number.MAX_SAFE_INTEGER), z.custom<Id, number>(isId<Id>)), what);

export const flagText = (what: string) =>
  described(
    z.pipe(
      z.enum(['true', 'false'], { error: 'must be true or false' }),
      z.transform((text) => text === 'true'),
    ),
    what,
  );

const EVIDENCE_FAULTS: Readonly<Record<EvidenceFault, string>> = {
  hidden: 'must be one line without invisible characters',
  secret: 'is kept for good: of a key, write only the start that lists show, and no secret',
  person: 'is kept for good: leave CPFs, RGs, telephones and e-mail addresses out',
};
const CONTACT_FAULTS: Readonly<Record<EvidenceFault, string>> = {
  ...EVIDENCE_FAULTS,
  person: 'is kept for good: leave CPFs and RGs out, and write a telephone as (11) 98888-7777',
};

const kept = () => keptAs(evidenceFault, EVIDENCE_FAULTS);

const line = (...checks: readonly z.core.$ZodCheck<string>[]) =>
  z.pipe(
    z.pipe(
      z.string().check(z.trim()),
      z.transform((text) => text.normalize('NFC')),
    ),
    z.string().check(z.maxLength(200, 'has at most 200 characters'), ...checks),
  );

export const name = (what: string) => described(line(z.minLength(1, 'must not be empty'), kept()), what);

/** A channel is evidence that nobody can erase. */
export const channelName = (what: string) =>
  described(name('').check(z.refine(isChannel, 'has at least two letters: web, letter, telephone')), what);

export const nameOrEmpty = (what: string) => described(line(kept()), `${what}; an empty text removes it.`);

export const contactOrEmpty = (what: string) =>
  described(line(keptAs(contactFault, CONTACT_FAULTS)), `${what}; an empty text removes it.`);

/** The audit keeps the address. */
export const webhookUrl = (what: string) =>
  described(z.string().check(z.maxLength(2000), z.refine(holdsNoSecret, EVIDENCE_FAULTS.secret)), what);

export const environment = (what = 'Which environment.') => described(z.enum(ENVIRONMENTS), what);

const idOfPattern = <Id extends string>(pattern: RegExp, fault: string, description?: string) =>
  described(
    z.custom<Id>((value) => typeof value === 'string' && pattern.test(value), fault),
    { type: 'string', pattern: pattern.source, description },
  );

export const eventId = () => idOfPattern<EventId>(/^evt_[a-z2-7]{32}$/, 'must be evt_ and 32 letters', 'The event.');

/** Unique inside its partner. */
export const keyId = () => idOfPattern<KeyId>(/^[0-9A-Za-z]{5}$/, 'must be 5 letters and digits');

/** With a token, a change whose answer was lost can be repeated. */
export const token = (what: string) =>
  described(
    z.optional(z.string().check(z.minLength(16, 'has 16 to 255 characters: it must not be guessed'), z.maxLength(255))),
    what,
  );

/** A moment in an answer: ISO 8601, ending in `Z`. */
export const moment = (what: string) => described(z.iso.datetime(), what);

export const day = (description: string) =>
  described(
    z.custom<Day, string>((value) => typeof value === 'string' && isDay(value), 'must be a day'),
    { type: 'string', format: 'date', description },
  );

/** A moment until which another step is needed. After it, the next operation is possible. */
export const nextStepAt = (what: string) => described(moment(what), { 'x-next-step': true });

/** A moment in a call: ISO 8601 with an offset. */
export const momentMeant = (what: string) =>
  described(
    z.pipe(
      z.iso.datetime({ offset: true, error: 'must be a moment with an offset: 2026-11-20T09:00:00-03:00' }),
      z.transform((text): Instant => Date.parse(text)),
    ),
    what,
  );

/** Only the body of a POST may hold a CPF. */
export const cpf = () =>
  described(
    z.pipe(
      z.string(),
      z.transform((text, context) => {
        const digits = parseCpf(text.trim());
        if (digits) return digits;
        context.issues.push({ code: 'custom', message: 'is no CPF: 11 digits, or ddd.ddd.ddd-dd', input: text });
        return z.NEVER;
      }),
    ),
    { description: "The person's CPF. It is stored nowhere, and is in no log.", writeOnly: true },
  );

const isFrom1900 = (text: string): text is Day => text >= '1900-01-01' && parseDay(text) !== undefined;

/** The operation checks that the day is not in the future, since it knows the time. */
export const pastDay = () =>
  described(
    z.pipe(
      z.iso.date('must be a day that exists, YYYY-MM-DD'),
      z.custom<Day, string>(isFrom1900, 'must be from 1900 on'),
    ),
    { type: 'string', format: 'date', writeOnly: true },
  );

/** Clients do not read a cursor's content. */
export const cursor = () =>
  described(
    z.string().check(z.regex(/^[\w-]{1,2048}$/, 'must be the next_cursor of the page before')),
    'The next_cursor of the previous page. Left out: the first page.',
  );

export const nextCursor = () =>
  described(z.nullable(z.string()), 'Send it as cursor to get the next page. null on the last page.');

/** Clients add up the numbers of all pages. */
export const ofPage = (what: string) => described(z.int(), { description: what, 'x-of-page': true });

export const shownOnce = (what: string) => described(z.string(), { description: what, 'x-shown-once': true });

export const total = (what: string) => described(z.nullable(z.int()), `${what}; null if it was not counted.`);

export const pageSize = (most: number, usual: number) =>
  z._default(wholeText(1, most, `Most entries on a page. Left out: ${usual}.`), usual);

/** Kept for good, so it must name no person and hold no secret. */
export const reason = () =>
  described(
    z.string().check(
      z.overwrite((text) => text.replace(/[ \t\r\n]+/g, ' ').trim()),
      z.minLength(1, 'is blank: say why, for the audit'),
      z.maxLength(500, 'has at most 500 characters'),
      kept(),
    ),
    'Why the change is made, for the audit. A ticket number, never a name, a CPF or an address.',
  );

export const confirm = () =>
  described(z.string().check(z.maxLength(100)), 'Repeats the id or the word that the operation asks for.');

export const dryRun = () => described(z.boolean(), 'true: answers what would be done, and does nothing.');

export const tableRun = () => ({
  units_per_second: described(
    z._default(z.int().check(z.minimum(1), z.maximum(40_000)), 200),
    'Table capacity units that the call may use in a second.',
  ),
  cursor: described(z.optional(cursor()), 'The place is kept in the table too. Left out: the last run continues.'),
});
