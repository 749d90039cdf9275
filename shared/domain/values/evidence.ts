import { idsNobody, namesNobody } from './masked-text.ts';
import { holdsNoSecret } from './secret-text.ts';

/** `hidden`: characters that are invisible or turn the reading direction, so that a text shows other than it is. */
export type EvidenceFault = 'hidden' | 'secret' | 'person';

const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;

const inOrdinarySigns = (text: string) => text.normalize('NFKC').replace(/\p{Pd}/gu, '-');

function faultOf(text: string, isNameless: (text: string) => boolean): EvidenceFault | undefined {
  if (HIDDEN.test(text) || !text.isWellFormed()) return 'hidden';
  const plain = inOrdinarySigns(text);
  if (!holdsNoSecret(plain)) return 'secret';
  return isNameless(plain) ? undefined : 'person';
}

export const evidenceFault = (text: string): EvidenceFault | undefined => faultOf(text, namesNobody);

/** Unlike evidence, a contact may have an e-mail address and a telephone number. */
export const contactFault = (text: string): EvidenceFault | undefined => faultOf(text, idsNobody);
