/**
 * Blanks of every kind, without tab and line break. For Unicode, the blanks of Braille and Hangul are signs or letters.
 */
const BLANKS = /[\p{Z}\u115f\u1160\u2800\u3164\uffa0]/gu;

const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;

export const withoutInvisible = (text: string): string => text.replace(INVISIBLE, '');

export const visibleText = (text: string): string => withoutInvisible(text.replace(BLANKS, ' '));
