/** The 11 digits of a Brazilian taxpayer id whose check digits hold. */
export type Cpf = string & { readonly __format: 'cpf' };

function checkDigit(digits: string): number {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) sum += Number(digits[i]) * (digits.length + 1 - i);
  return ((sum * 10) % 11) % 10;
}

/**
 * The CPF written as `ddd.ddd.ddd-dd` or as 11 digits; undefined for any other text, for wrong check digits and for
 * eleven equal digits, which pass the arithmetic but are never issued. Modulus 11, Receita Federal.
 */
export function parseCpf(text: string): Cpf | undefined {
  if (!/^(\d{11}|\d{3}\.\d{3}\.\d{3}-\d{2})$/.test(text)) return undefined;
  const digits = text.replace(/\D/g, '');
  if (new Set(digits).size === 1) return undefined;
  const first = checkDigit(digits.slice(0, 9));
  const second = checkDigit(digits.slice(0, 9) + first);
  return digits.endsWith(`${first}${second}`) ? (digits as Cpf) : undefined;
}

/** The CPF as people read it: `ddd.ddd.ddd-dd`. */
export function formatCpf(cpf: Cpf): string {
  return `${cpf.slice(0, 3)}.${cpf.slice(3, 6)}.${cpf.slice(6, 9)}-${cpf.slice(9)}`;
}
