import { createHmac } from 'node:crypto';
import type { EventId } from '../domain/values/ids.ts';
import { type Instant, type Seconds, seconds } from '../domain/values/time.ts';
import type { Message } from '../domain/webhooks/delivery.ts';
import type { WebhookEndpoint } from '../domain/webhooks/endpoint.ts';
import { SECRET_PREFIX } from '../domain/webhooks/secret.ts';

export interface SignedAttempt {
  readonly eventId: EventId;
  readonly type: Message['type'];
  readonly body: Uint8Array;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
}

/**
 * `X-Service-Signature` is HMAC-SHA256 over the raw body, with the UTF-8 bytes of the whole secret as the key. The key
 * of Standard Webhooks (https://www.standardwebhooks.com) is the base64-decoded bytes of the secret. During the overlap
 * of a rotation the previous secret signs too. Throws an Error for a malformed secret.
 */
export function sign(
  secrets: Pick<WebhookEndpoint, 'secret' | 'previousSecret' | 'previousUntil'>,
  attempt: SignedAttempt,
  now: Instant,
): Record<string, string> {
  const timestamp: Seconds = Math.floor(now / seconds(1));
  const overlap = secrets.previousUntil !== undefined && now < secrets.previousUntil;
  const previous = overlap ? secrets.previousSecret : undefined;
  const signWith = (secret: string) => signStandard(secret, `${attempt.eventId}.${timestamp}.`, attempt.body);
  const headers: Record<string, string> = {
    'X-Service-Event': attempt.type,
    'X-Service-Attempt': String(attempt.attempt),
    'X-Service-Signature': signBody(secrets.secret, attempt.body),
    'webhook-id': attempt.eventId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signWith(secrets.secret),
  };
  if (previous) {
    headers['X-Service-Signature-Anterior'] = signBody(previous, attempt.body);
    headers['webhook-signature'] = `${signWith(secrets.secret)} ${signWith(previous)}`;
  }
  return headers;
}

const signBody = (secret: string, body: Uint8Array): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

function signStandard(secret: string, head: string, body: Uint8Array): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  if (!secret.startsWith(SECRET_PREFIX) || key.length === 0)
    throw new Error(`a webhook secret must start with ${SECRET_PREFIX}`);
  return `v1,${createHmac('sha256', key).update(head).update(body).digest('base64')}`;
}
