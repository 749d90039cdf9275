export type PostalCode = string & { readonly __format: 'cep' };

const isPostalCode = (text: string): text is PostalCode => /^\d{8}$/.test(text) && text !== '00000000';

/** Undefined unless the text is eight digits, with or without a hyphen. 00000000 is no CEP. */
export function parsePostalCode(text: string): PostalCode | undefined {
  if (!/^\d{5}-?\d{3}$/.test(text)) return undefined;
  const digits = text.replace('-', '');
  return isPostalCode(digits) ? digits : undefined;
}

export const STATES = 'AC AL AP AM BA CE DF ES GO MA MT MS MG PA PB PR PE PI RJ RN RS RO RR SC SP SE TO'.split(' ');
