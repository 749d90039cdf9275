/** Whether a text can name a channel of a consent or of its withdrawal: it has at least two letters. */
export const isChannel = (text: string): boolean => /\p{L}.*\p{L}/u.test(text);
