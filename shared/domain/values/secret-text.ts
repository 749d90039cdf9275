const API_KEY = /(pmc_(?:sandbox_)?[0-9A-Za-z]{14})[0-9A-Za-z]+/g;
const WEBHOOK_SECRET = /(whsec_)[0-9A-Za-z+/=]+/g;

/** Returns a text in which nothing of an API key is left but its start, and nothing of a webhook's secret. */
export const withoutSecrets = (text: string): string => text.replace(API_KEY, '$1…').replace(WEBHOOK_SECRET, '$1…');

export const holdsNoSecret = (text: string): boolean => withoutSecrets(text) === text;
