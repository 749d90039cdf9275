import { type Milliseconds, seconds } from './time.ts';

export type Cpf = string & { readonly __format: 'cpf' };

function checkDigit(digits: string): number {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) sum += Number(digits[i]) * (digits.length + 1 - i);
  return ((sum * 10) % 11) % 10;
}

/**
 * The last two digits are check digits by modulus 11, as the Receita Federal defines them. Eleven equal digits have
 * correct check digits, but no CPF is issued like that.
 */
export function isCpf(text: string): text is Cpf {
  if (!/^\d{11}$/.test(text) || new Set(text).size === 1) return false;
  const nine = text.slice(0, 9);
  const ten = `${nine}${checkDigit(nine)}`;
  return text === `${ten}${checkDigit(ten)}`;
}

/**
 * Undefined unless the text is a CPF with right check digits, as 11 digits or as `000.000.000-00`. Eleven equal digits
 * are no CPF.
 */
export function parseCpf(text: string): Cpf | undefined {
  if (!/^(\d{11}|\d{3}\.\d{3}\.\d{3}-\d{2})$/.test(text)) return undefined;
  const digits = text.replace(/\D/g, '');
  return isCpf(digits) ? digits : undefined;
}

/** Throws a RangeError if the text is not nine digits, or all are equal. */
export function cpfFrom(nine: string): Cpf {
  const ten = `${nine}${checkDigit(nine)}`;
  const text = `${ten}${checkDigit(ten)}`;
  if (!isCpf(text)) throw new RangeError('a CPF begins with nine digits that are not all equal');
  return text;
}

export const formatCpf = (cpf: Cpf): string =>
  `${cpf.slice(0, 3)}.${cpf.slice(3, 6)}.${cpf.slice(6, 9)}-${cpf.slice(9)}`;

/**
 * Eleven digits in any form in which people write a CPF: ordinary or full-width digits, and between two digits up to
 * three characters that are neither letters nor digits. The pattern consumes no characters, so the next search starts
 * only one character later. Therefore the digits of another number just before a CPF cannot hide the CPF.
 */
const WRITTEN = /(?<!\p{Nd})(?=(\p{Nd}(?:[^\p{L}\p{Nd}]{0,3}\p{Nd}){10})(?!\p{Nd}))/gu;

export const MASK = '***';

export function withoutCpfs(text: string): string {
  let masked = '';
  let copiedTo = 0;
  for (const { index, 1: written = '' } of text.matchAll(WRITTEN)) {
    if (parseCpf(written.normalize('NFKC').replace(/\D/g, '')) === undefined) continue;
    masked += text.slice(copiedTo, index) + MASK;
    copiedTo = index + written.length;
  }
  return masked + text.slice(copiedTo);
}

/** A CPF with dots and dash. Nothing else is written like this, so its check digits may be wrong. */
const FORMATTED = /(?<!\d)\d{3}\.\d{3}\.\d{3}[-‐‑–—]\d{2}(?!\d)/g;

/** Also masks CPFs with wrong check digits. */
export const withoutFormattedCpfs = (text: string): string => text.replace(FORMATTED, MASK);

/** The sandbox's test CPFs, each with the outcome that it forces (shared/contract/README.md#sandbox, rule 2). */
export const TEST_CPFS = {
  '90000000175': 'aprovado',
  '90000000256': 'condicionado',
  '90000000337': 'recusado',
  '90000000418': 'cancelado',
  '90000000507': 'erro',
  '90000000680': 'pendente',
  '90000000760': 'aprovado_5min',
  '90000000841': 'entrega_falha',
  '90000000922': 'webhook_falha',
  '90000001066': 'nao_enviada',
} as const;

export const OUTCOME_AFTER: Milliseconds = seconds(10);

export type ForcedOutcome = (typeof TEST_CPFS)[keyof typeof TEST_CPFS];

/** The result may be a text that is not an outcome. Undefined if the note does not begin with `sandbox:`. */
export const outcomeNamed = (note: string | undefined) =>
  /^sandbox:\s*(.*?)\s*$/is.exec(note ?? '')?.[1]?.toLowerCase();

/** No person has a test CPF. */
export const isTestCpf = (cpf: string): cpf is keyof typeof TEST_CPFS => Object.hasOwn(TEST_CPFS, cpf);
