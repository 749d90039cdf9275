import { randomBytes } from 'node:crypto';

/** Start of every signing secret, as Standard Webhooks (https://www.standardwebhooks.com) writes it. */
export const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;

export const newWebhookSecret = (random: (bytes: number) => Uint8Array = randomBytes): string =>
  SECRET_PREFIX + Buffer.from(random(SECRET_BYTES)).toString('base64');
