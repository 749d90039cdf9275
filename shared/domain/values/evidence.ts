/** The rule for short texts that are kept as evidence, or shown to others: names, reasons, channels, versions. */
import { idsNobody, namesNobody } from './masked-text.ts';
import { holdsNoSecret } from './secret-text.ts';

/**
 * Why a text may not be kept.
 * - `hidden`: it has characters that are invisible, or that turn the text around them. It would show one text and mean
 *   another.
 * - `secret`: it has more of an API key than its start, or the secret of a webhook.
 * - `person`: it identifies a person.
 */
export type EvidenceFault = 'hidden' | 'secret' | 'person';

/** Controls, bidi marks, zero width, the blank of Braille. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Returns a text with ordinary letters, digits and signs in place of those that look like them: ＠, ﹫, ５, –. */
const inOrdinarySigns = (text: string) => text.normalize('NFKC').replace(/\p{Pd}/gu, '-');

function faultOf(text: string, isNameless: (text: string) => boolean): EvidenceFault | undefined {
  if (HIDDEN.test(text) || !text.isWellFormed()) return 'hidden';
  const plain = inOrdinarySigns(text);
  if (!holdsNoSecret(plain)) return 'secret';
  return isNameless(plain) ? undefined : 'person';
}

/** Returns why a text may not be kept. Undefined if it may. */
export const evidenceFault = (text: string): EvidenceFault | undefined => faultOf(text, namesNobody);

/** Returns why a contact may not be kept. Undefined if it may: an e-mail address and a telephone number belong there. */
export const contactFault = (text: string): EvidenceFault | undefined => faultOf(text, idsNobody);
