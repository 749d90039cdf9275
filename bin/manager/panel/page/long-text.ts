const WHOLE = 96;
const START = 40;
const END = 20;

export interface Shortened {
  readonly text: string;
  readonly length: number;
}

/** Undefined if the text is short. */
export function shortened(text: string): Shortened | undefined {
  // By code points: half of a pair of surrogates is no character.
  const characters = [...text];
  const { length } = characters;
  if (length <= WHOLE) return undefined;
  return { text: `${characters.slice(0, START).join('')}…${characters.slice(-END).join('')}`, length };
}

/** The result has the host in ASCII. A text that is no address stays as it is. */
export const calledAddress = (text: string): string => (URL.canParse(text) ? new URL(text).href : text);

/** Undefined if the text is no address. */
export const hostOf = (text: string): string | undefined => (URL.canParse(text) ? new URL(text).host : undefined);
