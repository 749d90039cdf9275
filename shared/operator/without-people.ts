import type { AnalysisForm } from '../domain/analyses/analysis.ts';
import { banksWordFits, isBanksWord, isDamaged, wordsOf } from '../domain/analyses/statuses.ts';
import { MASK, withoutFormattedCpfs } from '../domain/values/cpf.ts';
import { nationalPhone } from '../domain/values/phone.ts';

const NAMES = ['nome', 'nome_mae', 'conjuge_nome'] as const;
const CPFS = ['cpf', 'conjuge_cpf'] as const;
const BIRTHS = ['data_nascimento', 'conjuge_data_nascimento'] as const;
const ADDRESS = ['logradouro', 'bairro'] as const;

/** At least five digits, or four and an X, which is the check digit of some RG numbers. */
const DIGITS = /\d(?:[^\p{L}\d]{0,3}\d){3,}[^\p{L}\d]{0,3}[\dXx]/gu;
/** `12/3/85`. */
const DATE = /\d{1,4}[^\p{L}\d]{1,3}\d{1,2}[^\p{L}\d]{1,3}\d{2}/u;
const WORDS = /[\p{L}\p{M}]+/gu;
/** Many streets have a number in their name, such as Rua 25 de Março. */
const WORDS_AND_NUMBERS = /[\p{L}\p{M}\d]+/gu;
/** A damaged letter, after the text was reduced to the closed alphabet: `&atilde;`, `%C3%A3`, `Ã?`. */
const ESCAPE = String.raw`&(?:amp;)?#?\w{1,8};|[%=](?!20)[\dA-Fa-f]{2}|\\u[\dA-Fa-f]{4}|\\x[\dA-Fa-f]{2}`;
const TOKEN = new RegExp(String.raw`(?:[\p{L}\p{M}ªº?_]|${ESCAPE})+`, 'gu');
const DAMAGE = new RegExp(String.raw`(?:${ESCAPE}|[^A-Za-z&%=\\])+`, 'gu');
/** A word with more damages says too little to be compared. */
const MOST_DAMAGES = 3;
/** Shortest name that is looked for inside a longer word: LIMA is part of ELIMINADA. */
const LONG_NAME = 5;
/** Shortest RG or CEP that is masked in a query number. */
const LONG_NUMBER = 8;
const PARTICLES = new Set(['DA', 'DAS', 'DE', 'DO', 'DOS', 'E']);
const STREET_KINDS = new Set(
  'R RUA AV AVENIDA AL ALAMEDA TV TRAVESSA PC PRACA EST ESTRADA ROD RODOVIA BAIRRO'.split(' '),
);
/** In Portuguese and English. */
const MONTHS = 'jan fev|feb mar abr|apr mai|may jun jul ago|aug set|sep out|oct nov dez|dec'.split(' ');

export const mayNamePeople = (text: string): boolean =>
  text.search(DIGITS) >= 0 || DATE.test(text) || text.match(WORDS)?.some((word) => !isBanksWord(word, 3)) === true;

/**
 * A bank's own words stay, even if a person has one as a name: the bank's decision must be read the same. A damaged
 * word leaves `***?`, so that statuses.ts still sees that the text is damaged. The time is linear in the length of the
 * text.
 */
export function textWithoutPeople(form: AnalysisForm, text: string): string {
  const plain = withoutDates(form, withoutNumbers(numbersOf(form), text));
  return withoutHouseNumber(form, withoutNames(form, withoutAddress(form, plain)));
}

/**
 * Returns a query number with `***` for the names, CPFs, telephones and birth dates of the people of a form, for an RG
 * or a CEP of eight digits or more, and for each CPF with dots and dash. Names of five or more letters are found
 * anywhere. Other digits stay.
 */
export function numberWithoutPeople(form: AnalysisForm, queryNumber: string): string {
  const numbers = numbersOf(form).filter((number) => number.length >= LONG_NUMBER);
  const unnumbered = withoutDates(form, withoutNumbers(numbers, withoutFormattedCpfs(queryNumber)));
  // A number has no question mark of its own, so none can be a sign of damage.
  const plain = withoutNames(form, unnumbered).replaceAll('?', '');
  const long = [...namesOf(form)].filter((name) => name.length >= LONG_NAME).sort((a, b) => b.length - a.length);
  return long.length === 0 ? plain : plain.replace(new RegExp(long.join('|'), 'gi'), MASK);
}

const textOf = (form: AnalysisForm, field: string) => String(form[field] ?? '');

function namesOf(form: AnalysisForm): ReadonlySet<string> {
  const written = NAMES.flatMap((field) => textOf(form, field).match(WORDS) ?? []);
  // A program may drop each letter that it does not know: JOO.
  const dropped = written.map((name) => name.replace(/[^A-Za-z]/g, '')).filter((name) => name.length >= 3);
  const words = written.concat(dropped).flatMap(wordsOf);
  return new Set(words.filter((name) => /^\p{L}{2,}$/u.test(name) && !isBanksWord(name)));
}

const digitsOf = (text: string) => text.toUpperCase().replace(/[^\dX]/g, '');

/** Numbers of the people of a form, in every length in which they are written. */
function numbersOf(form: AnalysisForm): readonly string[] {
  const cpfs = CPFS.map((field) => digitsOf(textOf(form, field))).filter((cpf) => cpf.length === 11);
  const phone = digitsOf(textOf(form, 'telefone'));
  const national = nationalPhone(textOf(form, 'telefone'));
  const local = national.length >= 10 ? national.slice(2) : national;
  const numbers = [textOf(form, 'rg'), textOf(form, 'cep'), phone, national, local].map(digitsOf).concat(cpfs);
  // The first nine digits of a CPF show the person even if its check digits are wrong.
  return numbers
    .map((number) => number.replace(/^0+/, ''))
    .concat(cpfs.map((cpf) => cpf.slice(0, 9)))
    .concat(local.length === 9 ? [local.slice(1)] : [])
    .filter((number) => number.length >= 5);
}

/** A number may have zeros before it or be inside a longer number. */
function withoutNumbers(numbers: readonly string[], text: string): string {
  return text.replace(DIGITS, (written) => {
    const places = [...written.matchAll(/[\dx]/gi)].map(({ index }) => index);
    const digits = digitsOf(written);
    const spans: Span[] = [];
    for (const number of numbers) {
      for (let at = digits.indexOf(number); at >= 0; at = digits.indexOf(number, at + number.length)) {
        let [first, last] = [at, at + number.length - 1];
        const isJoined = (left: number) => (places[left] ?? 0) + 1 === places[left + 1];
        while (first > 0 && (isJoined(first - 1) || digits[first - 1] === '0')) first -= 1;
        while (last + 1 < places.length && isJoined(last)) last += 1;
        spans.push({ start: places[first] ?? 0, end: (places[last] ?? 0) + 1 });
      }
    }
    return maskSpans(written, spans);
  });
}

function withoutDates(form: AnalysisForm, text: string): string {
  const patterns = BIRTHS.flatMap((field) => {
    const [, year = '', month = '', day = ''] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(textOf(form, field)) ?? [];
    return year === '' ? [] : datePatterns(year, month, day);
  });
  if (patterns.length === 0) return text;
  return text.replace(new RegExp(String.raw`(?<!\d)(?:${patterns.join('|')})(?!\d)`, 'gi'), MASK);
}

/** No pattern that differs from form to form has \p{L}, which takes milliseconds to compile. */
function datePatterns(year: string, month: string, day: string): readonly string[] {
  const short = (digits: string) => digits.replace(/^0/, '0?');
  const [d, m, y] = [short(day), short(month), `(?:${year.slice(0, 2)})?${year.slice(2)}`];
  const sign = String.raw`[^A-Za-z\d]{1,3}`;
  const name = `(?:${MONTHS[Number(month) - 1]})[^\\d]{0,16}?`;
  return [
    [d, m, y].join(sign),
    [m, d, y].join(sign),
    [year, m, d].join(sign),
    [year, d, m].join(sign),
    `${day}${month}${year}`,
    `${month}${day}${year}`,
    `${year}${month}${day}`,
    `${day}${month}${year.slice(2)}`,
    String.raw`${d}[º°ª?]?[^A-Za-z\d]{0,3}(?:de[^A-Za-z\d]{1,3})?${name}${y}`,
  ];
}

function withoutNames(form: AnalysisForm, text: string): string {
  const names = namesOf(form);
  if (names.size === 0) return text;
  return withoutBlankedNames(form, text).replace(TOKEN, (token) => {
    if (/^[\p{L}\p{M}]+$/u.test(token)) return wordWithoutNames(names, token);
    const asked = /^[?_]*(.*?)[?_]*$/su.exec(token)?.[1] ?? token;
    if (fitsName(names, token) || fitsName(names, asked)) return `${MASK}?`;
    return token.replace(WORDS, (word) => wordWithoutNames(names, word));
  });
}

/** A blank has replaced a letter: `M rcia`. */
function withoutBlankedNames(form: AnalysisForm, text: string): string {
  const blanked = NAMES.flatMap((field) => textOf(form, field).normalize('NFC').match(WORDS) ?? [])
    .filter((name) => /^[A-Za-z]+[^A-Za-z].*[A-Za-z]$/su.test(name) && !isBanksWord(name))
    .map((name) => name.replace(/[^A-Za-z]+/g, ' {1,2}'));
  if (blanked.length === 0) return text;
  return text.replace(new RegExp(`(?<![A-Za-z])(?:${blanked.join('|')})(?![A-Za-z])`, 'gi'), `${MASK}?`);
}

function wordWithoutNames(names: ReadonlySet<string>, word: string): string {
  const [plain = ''] = wordsOf(word);
  if (names.has(plain)) return MASK;
  if (isBanksWord(word, 3)) return word;
  if (/[^A-Za-z]/.test(word) && fitsName(names, word)) return `${MASK}?`;
  const spans = gluedNames(names, word);
  if (spans.length === 0) return word;
  const rest = Math.max(...spans.map(({ end }) => end)) < word.length;
  // Without the `?`, the rest of the word could be read as an approval.
  return maskSpans(word, spans, rest ? `${MASK}?` : MASK) + (isDamaged(word) && !rest ? '?' : '');
}

/** `MariaSouza`, `MARIASOUZA`, `REPROVADAMARIA` */
function gluedNames(names: ReadonlySet<string>, word: string): readonly Span[] {
  const spans: Span[] = [];
  let start = 0;
  for (const piece of word.split(/(?<=\p{Ll})(?=\p{Lu})/u)) {
    const [plain = ''] = wordsOf(piece);
    if (names.has(plain)) spans.push({ start, end: start + piece.length });
    start += piece.length;
  }
  if (spans.length > 0) return spans;
  const places: number[] = [];
  let plain = '';
  for (const { 0: letter, index } of word.matchAll(/./gsu)) {
    const [bare = ''] = wordsOf(letter);
    plain += bare;
    for (let count = 0; count < bare.length; count++) places.push(index);
  }
  places.push(word.length);
  const span = (from: number, to: number): Span => ({ start: places[from] ?? 0, end: places[to] ?? word.length });
  const parts = [...names].filter((name) => name.length >= 3).sort((a, b) => b.length - a.length);
  if (parts.length === 0) return [];
  const any = `(?:${parts.join('|')})`;
  // Programs cut a long name off: the last part may be incomplete.
  const cut = parts.map((name) => nested(name, 3)).join('|');
  const chain = new RegExp(`${any}(?:(?:${[...PARTICLES].join('|')})?${any})*(?:(?:${cut})$)?`, 'g');
  const found: Span[] = [];
  for (const { 0: glued, index } of plain.matchAll(chain)) {
    const isSeveral = glued.length >= 7 && !parts.includes(glued);
    const before = plain.slice(0, index);
    const after = plain.slice(index + glued.length);
    const isNextToBanksWord =
      glued.length >= LONG_NAME &&
      [before, after].every((part) => part === '' || (part.length >= 4 && isBanksWord(part, 3)));
    if (isSeveral || isNextToBanksWord) found.push(span(index, index + glued.length));
  }
  return found;
}

/** `SOU(?:Z(?:A)?)?` for SOUZA. */
function nested(name: string, least: number): string {
  const tail = [...name.slice(least)].reduceRight((inner, letter) => `(?:${letter}${inner})?`, '');
  return name.slice(0, least) + tail;
}

/**
 * The undamaged letters are those of the name, and each damaged place is one or two letters that can have an accent.
 * False if the word may be a bank's: a damaged NÃO must stay.
 */
function fitsName(names: ReadonlySet<string>, token: string): boolean {
  const segments = token.split(DAMAGE);
  const letters = segments.join('').length;
  if (segments.length < 2 || segments.length > MOST_DAMAGES + 1 || letters < 2) return false;
  if (!segments.every((segment) => /^[A-Za-z]*$/.test(segment))) return false;
  const pattern = new RegExp(`^${segments.join('[AEIOUCN]{1,2}')}$`, 'i');
  const fits = (word: string) => pattern.test(word);
  return [...names].some((name) => name.length >= 3 && fits(name)) && !banksWordFits(fits);
}

/**
 * A name of several words is masked if they follow each other; a name of one word only after a word such as RUA. Many
 * streets have the names of ordinary things.
 */
function withoutAddress(form: AnalysisForm, text: string): string {
  const names = ADDRESS.flatMap((field) => addressNames(textOf(form, field)));
  const spans = [WORDS, WORDS_AND_NUMBERS].flatMap((pattern) => {
    const words = contentWords(text, pattern);
    return names.flatMap((name) => addressSpans(name, words));
  });
  return maskSpans(text, spans);
}

function addressNames(written: string): string[][] {
  // Some people write the house number into the field of the street: `Rua João XXIII, 20`.
  const spellings = new Set([written, written.replace(/,\s*\d+\s*$/, '')]);
  const names = Array.from(spellings, (spelling) => {
    const parts = wordsOf(spelling).filter((part) => part !== '' && !PARTICLES.has(part));
    return parts.filter((part, index) => index > 0 || !STREET_KINDS.has(part));
  });
  return names.filter((name) => !name.every((part) => isBanksWord(part)));
}

/** `plain`: in upper case, without accents. */
interface Word extends Span {
  readonly plain: string;
}

function contentWords(text: string, pattern: RegExp): Word[] {
  const words = Array.from(text.matchAll(pattern), ({ 0: word, index }) => {
    const [plain = ''] = wordsOf(word);
    return { plain, start: index, end: index + word.length };
  });
  return words.filter(({ plain }) => !PARTICLES.has(plain));
}

function addressSpans(name: readonly string[], words: readonly Word[]): Span[] {
  return words.flatMap((_, at) => {
    const isWhole = name.every((part, index) => words[at + index]?.plain === part);
    const isAddress = name.length > 1 || STREET_KINDS.has(words[at - 1]?.plain ?? '');
    if (!isWhole || !isAddress) return [];
    return words.slice(at, at + name.length).filter(({ plain }) => !isBanksWord(plain));
  });
}

/** Masks the number only next to a masked street. */
function withoutHouseNumber(form: AnalysisForm, text: string): string {
  const [number = ''] = /^\d+/.exec(textOf(form, 'numero')) ?? [];
  if (number === '') return text;
  const pattern = new RegExp(
    String.raw`(\*\*\*[^A-Za-z\d*]{0,3}(?:n[a-zúº°?]{0,6}[^A-Za-z\d*]{0,3})?)${number}(?!\d)`,
    'gi',
  );
  return text.replace(pattern, `$1${MASK}`);
}

interface Span {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** Spans that meet or overlap become one. */
function maskSpans(text: string, spans: readonly Span[], mask: string = MASK): string {
  let result = '';
  let copiedTo = 0;
  let isOpen = false;
  for (const { start, end } of [...spans].sort((a, b) => a.start - b.start)) {
    if (!isOpen || start > copiedTo) result += text.slice(copiedTo, start) + mask;
    copiedTo = Math.max(copiedTo, end);
    isOpen = true;
  }
  return result + text.slice(copiedTo);
}
