import { MASK, withoutCpfs, withoutFormattedCpfs } from './cpf.ts';

/** A match starts only at the start of a word: a long word without @ is searched once. */
const EMAIL = /(?<![\w.+%-])[\p{L}\p{N}_.+%-]{1,64}[@＠﹫][\p{L}\p{N}.-]{1,255}/gu;
/**
 * A telephone number in the forms that Brazilians write, and any number with the `+` of a country. Eleven digits in a row
 * count only if they can be a mobile number. Other eleven digits are taken for the number of a proposal, and `2026-0001`
 * for the number of a document.
 */
const WRITTEN_PHONE =
  /(?<![\d.,])(?:\+[1-9](?:[\s().-]{0,2}\d){7,14}|(?:\+?55[\s.-]?)?(?:\(0?[1-9]\d\)[\s.-]?9?[\s.]?\d{4}[\s.-]?\d{4}|[1-9]\d[\s.-]9?\d{4}[\s.-]\d{4}|[1-9]\d[\s.-]?9[\s.-]?\d{4}[\s.-]\d{4}|9[\s.-]?\d{4}[\s.]\d{4}|9\d{4}-\d{4}|(?!20[0-4])[2-9]\d{3}-\d{4}(?!-\w)))(?!\d|[.,]\d)/g;
const BARE_PHONE = /(?<![\d.,])(?:\+?55)?[1-9]\d9\d{8}(?!\d|[.,]\d)/g;
/**
 * An RG (identity card number): with its check digit, or after the letters of its state, or after the word `RG` or
 * `identidade`.
 */
const RG =
  /(?<![\d.])\d{1,2}\.\d{3}\.\d{3}-[\dx]\b|\b[a-z]{2}-?\d{1,2}\.\d{3}\.\d{3}(?!\d|[.,]\d)|(?<=(?<!\p{L})(?:rg|identidade)(?:[^\p{L}\p{N}]|n[º°o]|n[uú]mero){0,4})(?:[a-z]{2}[\s-]?)?\d[\d.-]{3,12}[\dx](?!\d)/giu;

const FORMAT = /\p{Cf}+/gu;

export const masked = (text: string): string =>
  [EMAIL, RG, WRITTEN_PHONE, BARE_PHONE].reduce(
    (result, pattern) => result.replace(pattern, MASK),
    withoutFormattedCpfs(withoutCpfs(text)),
  );

/** A mere @ counts as an address. */
export const namesNobody = (text: string): boolean => !text.includes('@') && masked(text) === text;

/**
 * Whether a text has no CPF and no RG. Digits that are written like a telephone number are neither. Eleven digits in a
 * row are a CPF if they have its check digits.
 */
export function idsNobody(text: string): boolean {
  const phoneless = withoutFormattedCpfs(text).replace(WRITTEN_PHONE, '+');
  return withoutFormattedCpfs(text) === text && withoutCpfs(phoneless).replace(RG, MASK) === phoneless;
}

/** Format characters are removed first, because inside a CPF they would hide the CPF from the mask. */
export const keptText = (text: string): string => inClosedAlphabet(masked(text.replace(FORMAT, '')));

/**
 * Format characters are removed, because they can split a word that looks whole. Every other character becomes `?`,
 * never a blank: shared/domain/analyses/statuses.ts looks for damage, so a damaged text must look damaged.
 */
export function inClosedAlphabet(text: string): string {
  return (
    text
      .toWellFormed()
      .replace(FORMAT, '')
      // A no-break space after `Ã` is half of an `à` whose UTF-8 was read as Latin-1. This line leaves the no-break
      // space, and the next line makes it `?`.
      .replace(/(?<!Ã)[^\S\t\n]/gu, ' ')
      .replace(/[^\t\n\x20-\x7eÀ-ÖØ-öø-ſ\p{M}ºª…‐‑–—]/gu, '?')
  );
}
