/** The 11 digits of a Brazilian taxpayer id whose check digits hold. */
export type Cpf = string & { readonly __format: 'cpf' };

function checkDigit(digits: string): number {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) sum += Number(digits[i]) * (digits.length + 1 - i);
  return ((sum * 10) % 11) % 10;
}

/** Whether a text is the 11 digits of a CPF. Eleven equal digits pass the arithmetic but are never issued. Modulus 11, Receita Federal. */
export function isCpf(text: string): text is Cpf {
  if (!/^\d{11}$/.test(text) || new Set(text).size === 1) return false;
  const nine = text.slice(0, 9);
  const ten = `${nine}${checkDigit(nine)}`;
  return text === `${ten}${checkDigit(ten)}`;
}

/**
 * The CPF written as `ddd.ddd.ddd-dd` or as 11 digits; undefined for any other text, for wrong check digits and for
 * eleven equal digits.
 */
export function parseCpf(text: string): Cpf | undefined {
  if (!/^(\d{11}|\d{3}\.\d{3}\.\d{3}-\d{2})$/.test(text)) return undefined;
  const digits = text.replace(/\D/g, '');
  return isCpf(digits) ? digits : undefined;
}

/** Nine digits with their check digits. Throws a RangeError if they are not nine digits, or nine equal digits. */
export function cpfFrom(nine: string): Cpf {
  const ten = `${nine}${checkDigit(nine)}`;
  const text = `${ten}${checkDigit(ten)}`;
  if (!isCpf(text)) throw new RangeError('a CPF begins with nine digits that are not all equal');
  return text;
}

/** The CPF as people read it: `ddd.ddd.ddd-dd`. */
export const formatCpf = (cpf: Cpf): string =>
  `${cpf.slice(0, 3)}.${cpf.slice(3, 6)}.${cpf.slice(6, 9)}-${cpf.slice(9)}`;

/**
 * Eleven digits as people write a CPF: of any width, set off from each other by up to three characters that are no letters.
 * Looks ahead, since the digits of another number just before a CPF must not hide it.
 */
const WRITTEN = /(?<!\p{Nd})(?=(\p{Nd}(?:[^\p{L}\p{Nd}]{0,3}\p{Nd}){10})(?!\p{Nd}))/gu;

/** What stands where something of a person stood. */
export const MASK = '***';

/** A text of others with `***` for each CPF in it, however it is written. */
export function withoutCpfs(text: string): string {
  let kept = '';
  let from = 0;
  for (const { index, 1: written = '' } of text.matchAll(WRITTEN)) {
    if (parseCpf(written.normalize('NFKC').replace(/\D/g, '')) === undefined) continue;
    kept += text.slice(from, index) + MASK;
    from = index + written.length;
  }
  return kept + text.slice(from);
}

/**
 * What each test CPF of the sandbox forces (shared/contract/README.md#sandbox, rule 2). The analysis stores it
 * instead of the CPF.
 */
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
} as const;

export type ForcedOutcome = (typeof TEST_CPFS)[keyof typeof TEST_CPFS];

/** The outcome that a lead's note asks of the sandbox, in small letters; undefined where it asks for none. */
export const outcomeNamed = (note: string | undefined) =>
  /^sandbox:\s*(.*?)\s*$/is.exec(note ?? '')?.[1]?.toLowerCase();

/** Whether a CPF, as its 11 digits, belongs to the sandbox and to nobody else. */
export const isTestCpf = (cpf: string): cpf is keyof typeof TEST_CPFS => Object.hasOwn(TEST_CPFS, cpf);
