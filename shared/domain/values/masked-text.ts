/** Texts of others (banks, partners' receivers, people of the service) without what identifies a person. */
import { MASK, withoutCpfs } from './cpf.ts';

/** Begins where a word begins, so that a text without @ is looked at once. */
const EMAIL = /(?<![\w.+%-])[\p{L}\p{N}_.+%-]{1,64}[@＠][\p{L}\p{N}.-]{1,255}/gu;
/** In the ways in which Brazilians write one; eleven digits in a row only as a mobile's: others are numbers of proposals. */
const PHONE =
  /(?<![\d.,])(?:\+?55[\s.-]?)?(?:\(0?[1-9]\d\)[\s.-]?9?[\s.]?\d{4}[\s.-]?\d{4}|[1-9]\d[\s.-]9?\d{4}[\s.-]\d{4}|9?\d{4}-\d{4}|[1-9]\d9\d{8})(?!\d|[.,]\d)/g;
/** With its check digit, with its state before it, or after the word itself. */
const RG =
  /(?<![\d.])\d{1,2}\.\d{3}\.\d{3}-[\dx]\b|\b[a-z]{2}-?\d{1,2}\.\d{3}\.\d{3}(?!\d|[.,]\d)|(?<=(?<!\p{L})(?:rg|identidade)(?:[^\p{L}\p{N}]|n[º°o]|n[uú]mero){0,4})(?:[a-z]{2}[\s-]?)?\d[\d.-]{3,12}[\dx](?!\d)/giu;

const FORMAT = /\p{Cf}+/gu;

/** A text with `***` for each CPF, e-mail address, telephone and RG in it. */
export const masked = (text: string): string =>
  [EMAIL, RG, PHONE].reduce((left, pattern) => left.replace(pattern, MASK), withoutCpfs(text));

/** A text of others as it may be kept: what splits words unseen goes first, so that no mask misses what it hid. */
export const keptText = (text: string): string => inClosedAlphabet(masked(text.replace(FORMAT, '')));

/**
 * A text in a closed alphabet: what stands on a Brazilian keyboard, line breaks and tabs. Format characters go, since they
 * split words unseen; anything else becomes `?`, never a blank: what is damaged must look so (operator/statuses.ts).
 */
export function inClosedAlphabet(text: string): string {
  return (
    text
      .toWellFormed()
      .replace(FORMAT, '')
      // Ã and a hard blank is UTF-8 read as Latin-1.
      .replace(/(?<!Ã)[^\S\t\n]/gu, ' ')
      .replace(/[^\t\n\x20-\x7eÀ-ÖØ-öø-ſ\p{M}ºª…‐‑–—]/gu, '?')
  );
}
