import { AdministrationFailure } from '#shared/administration/failures.ts';
import { Failure } from '#shared/domain/values/failure.ts';

/**
 * Returns the code with which a call is refused, and the wrong fields in their order. Throws if the call is not
 * refused.
 */
export function refusalOf(call: () => unknown): { code: string; fields: readonly string[] } {
  const { code, fields } = failureOf(call);
  return { code, fields: (fields ?? []).map(({ field }) => field) };
}

/** Returns the failure that a call throws. Throws if the call throws nothing, or anything else. */
export function failureOf(call: () => unknown): Failure {
  let result: unknown;
  try {
    result = call();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error(`not refused: ${typeof result}`);
}

/** Returns the code and the fields with which the administration refuses a call. Throws if the call is not refused. */
export function administrationRefusal(call: () => unknown): readonly unknown[] {
  try {
    call();
  } catch (error) {
    if (error instanceof AdministrationFailure) return [error.code, error.fields];
    throw error;
  }
  throw new Error('not refused');
}

/** The refusal of a body in which these fields are wrong. */
export const wrongFields = (...fields: string[]) => ({ code: 'campo_invalido', fields });
/** The refusal of a body that lacks these fields. */
export const missingFields = (...fields: string[]) => ({ code: 'campo_obrigatorio', fields });

type Case = readonly [what: string, value: unknown];
/** Bad values for each field of a body. */
export type BadInput = Readonly<Record<string, readonly Case[]>>;

/** Returns the same bad values for several fields. `fields` are names with blanks between them. */
export const sameValuesFor = (fields: string, cases: readonly Case[]): BadInput =>
  Object.fromEntries(fields.split(' ').map((field) => [field, cases]));

/** Returns the bad values of some fields as rows for `it.each`. */
export const casesOf = (bad: BadInput, fields = Object.keys(bad)) =>
  fields.flatMap((field) => bad[field]!.map(([what, value]) => ({ field, what, value })));

const nested = (open: string, close: string) => JSON.parse(open.repeat(20_000) + close.repeat(20_000)) as unknown;

/** JSON values that are neither text nor number nor null. Some of them break code that turns its input into text. */
export const JUNK: readonly Case[] = [
  ['true', true],
  ['an object', {}],
  ['an array', []],
  ['an array with a valid value', ['900.000.001-75']],
  ['an object that cannot become text', JSON.parse('{"toString": 1, "valueOf": 1}')],
  ['an object with a prototype of its own', JSON.parse('{"__proto__": {"length": 3}}')],
  ['an array 20,000 deep', nested('[', ']')],
];

/** Bad values for each kind of field. */
export const BAD = {
  lines: [
    ...JUNK,
    ['a number', 7],
    ['an empty text', ''],
    ['only blanks', ' \t\u00a0 '],
    ['201 characters', 'a'.repeat(201)],
    ['a NUL', 'a\u0000b'],
    ['a line break', 'a\nb'],
    ['a C1 control character', 'a\u0085b'],
    ['half a surrogate pair', 'a\ud800'],
  ],
  amounts: [
    ...JUNK,
    ['a number as text', '15000'],
    ['NaN as text', 'NaN'],
    ['an empty text', ''],
    ['a negative number', -1],
    ['a third decimal', 0.001],
    ['three decimals that a binary float only approximates', 1.005],
    ['a centavo more than the largest amount', 100_000_000_000.01],
    ['a number beyond every double', JSON.parse('1e400')],
    ['a tiny number', 1e-7],
  ],
  integers: [
    ...JUNK,
    ['zero', 0],
    ['a negative number', -1],
    ['a fraction', 1.5],
    ['a number as text', '360'],
    ['a number beyond safe integers', 2 ** 53],
    ['a number beyond every double', JSON.parse('1e400')],
  ],
  days: [
    ...JUNK,
    ['a number', 19880314],
    ['an empty text', ''],
    ['a day that does not exist', '1988-02-30'],
    ['29 February of a common year', '2023-02-29'],
    ['day, month and year in another order', '14/03/1988'],
    ['a day with a time', '1988-03-14T00:00:00Z'],
    ['a day before 1900', '1899-12-31'],
    ['a year with six digits', '+001988-03-14'],
  ],
  cpfs: [
    ...JUNK,
    ['a number', 90000000175],
    ['an empty text', ''],
    ['a wrong check digit', '900.000.001-76'],
    ['eleven equal digits', '111.111.111-11'],
    ['ten digits', '9000000017'],
    ['a blank between the digits', '900.000.001 75'],
    ['digits of another script', '９０００００００１７５'],
  ],
  emails: [
    ...JUNK,
    ['a number', 7],
    ['an empty text', ''],
    ['a name without @', 'marina'],
    ['nothing after the @', 'marina@'],
    ['two dots in a row', 'marina..lima@example.com'],
    ['a dot at the beginning', '.marina@example.com'],
    ['an IP address after the @', 'marina@127.0.0.1'],
    ['letters outside ASCII', 'maria@açaí.com.br'],
    ['a line break', 'a@example.com\nbcc: b@example.com'],
    ['255 characters', `a@${'abcdefghi.'.repeat(25)}com`],
    ['65 characters before the @', `${'a'.repeat(65)}@example.com`],
    ['half a surrogate pair', '\ud800@example.com'],
  ],
  phones: [
    ...JUNK,
    ['a number', 11900000001],
    ['an empty text', ''],
    ['seven digits', '9000000'],
    ['sixteen digits', '1234567890123456'],
    ['letters', '11 90000-000a'],
    ['digits of another script', '１１９００００００００'],
    ['only punctuation', '(–) ·_·'],
    ['201 characters', '11900000001'.padEnd(201, '-')],
  ],
  postalCodes: [
    ...JUNK,
    ['a number', 1310100],
    ['an empty text', ''],
    ['seven digits', '0131010'],
    ['a misplaced hyphen', '013-10100'],
    ['a dot', '01.310-100'],
    ['a letter', '01310-10a'],
    ['only zeros', '00000-000'],
  ],
  choices: [
    ...JUNK,
    ['a number', 1],
    ['an empty text', ''],
    ['an unknown word', 'outro'],
    ['the name of a property of Object', 'constructor'],
  ],
} as const satisfies BadInput;
