import { parseCpf } from '#shared/domain/values/cpf.ts';
import { newAnalysisOfCouple, newLead } from '#shared/partner/openapi/example-bodies.ts';
import { analysisBody, leadBody } from './people.ts';

/** Personal data found in a text. */
export interface FoundPersonalData {
  /** Name of the field in the API, or what the value looks like. */
  readonly kind: string;
  readonly value: string;
}

/** Fields that say who a person is, where the person is, or who employs the person. */
const PERSONAL =
  /^(conjuge_)?(nome|nome_mae|cpf|telefone|email|data_nascimento|empresa|rg|cep|logradouro|consentimento_ip|observacao)$/;
/** Least number of letters of a name's part that is looked for. Shorter parts also occur in other words. */
const SHORTEST_NAME = 5;

const digitsOf = (value: string) => value.replace(/\D/g, '');

/** Returns a value as it is written, and in the other forms that reveal as much. */
function formsOf(kind: string, value: string): string[] {
  if (kind.includes('nome')) return value.split(' ').filter((part) => part.length >= SHORTEST_NAME);
  const digits = digitsOf(value);
  const isNumber = digits.length >= 8 && /^[\d().\s-]+$/.test(value) && kind !== 'data_nascimento';
  return isNumber ? [value, digits] : [value];
}

/** Personal data of the people in tests and examples, in lower case, each form with its field. */
export const KNOWN_PERSONAL_DATA: readonly FoundPersonalData[] = [
  leadBody(),
  analysisBody(1),
  newLead,
  newAnalysisOfCouple,
].flatMap((body) =>
  Object.entries(body)
    .filter(([name, value]) => PERSONAL.test(name) && typeof value === 'string')
    .flatMap(([kind, value]) => formsOf(kind, String(value)).map((form) => ({ kind, value: form.toLowerCase() }))),
);

/** Shapes of personal data, for people that no test knows. */
const SHAPES: readonly {
  readonly kind: string;
  readonly shape: RegExp;
  readonly isValid?: (text: string) => boolean;
}[] = [
  {
    kind: 'a CPF',
    // Not next to a letter: one UUID in ten thousand contains eleven digits that form a valid CPF.
    shape: /(?<![\da-z])(?:\d{3}\.\d{3}\.\d{3}-\d{2}|\d{11})(?![\da-z])/gi,
    isValid: (text) => parseCpf(text) !== undefined,
  },
  { kind: 'an e-mail address', shape: /[\w.+-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+/gi },
  { kind: 'a birth date', shape: /(?<![\d-])(?:19[2-9]\d|200\d)-\d\d-\d\d(?!\d)/g },
  { kind: 'a telephone number', shape: /\(\d{2}\) ?\d{4,5}-\d{4}/g },
];

/**
 * Least length of a value that is also found inside a word. Shorter values count only as whole words: one in ten
 * thousand random ids contains a name of five letters.
 */
const SHORTEST_INSIDE = 11;

function occursIn(value: string, text: string): boolean {
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
    if (value.length >= SHORTEST_INSIDE) return true;
    const around = text.slice(Math.max(0, at - 1), at) + text.slice(at + value.length, at + value.length + 1);
    if (!/[\p{L}\p{N}_]/u.test(around)) return true;
  }
  return false;
}

/** Returns the values of the known people that a text contains. */
export function knownPersonalDataIn(text: string): FoundPersonalData[] {
  const lower = text.toLowerCase();
  return KNOWN_PERSONAL_DATA.filter(({ value }) => occursIn(value, lower));
}

/** Returns the values of the known people in a text, and everything that looks like personal data. */
export function personalDataIn(text: string): FoundPersonalData[] {
  const lookalikes = SHAPES.flatMap(({ kind, shape, isValid = () => true }) =>
    [...text.matchAll(shape)].map(([value]) => ({ kind, value })).filter(({ value }) => isValid(value)),
  );
  return [...knownPersonalDataIn(text), ...lookalikes];
}
