/** Blanks of every kind, without tab and line break. Those of Braille and of Hangul are letters or signs for Unicode. */
const BLANKS = /[\p{Z}\u115f\u1160\u2800\u3164\uffa0]/gu;

/** Characters that show nothing: zero-width blanks and joiners, soft hyphens, marks that turn the direction of a text. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;

/** Returns a text without invisible characters. */
export const withoutInvisible = (text: string): string => text.replace(INVISIBLE, '');

/** Returns a text without invisible characters, and with a space for each blank of any kind. */
export const visibleText = (text: string): string => withoutInvisible(text.replace(BLANKS, ' '));
