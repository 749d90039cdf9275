import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { EventId } from '#shared/domain/values/ids.ts';
import { newWebhookSecret } from '#shared/domain/webhooks/secret.ts';
import { sign } from '#shared/webhook/sign.ts';

const NOW = 1_763_640_000_000;
const SECRET = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=';
const EVENT = 'evt_01JD4Z0000000000000000TEST' as EventId;
const BODY =
  '{"id":"evt_01JD4Z0000000000000000TEST","type":"analise.resultado","timestamp":"2025-11-20T12:00:00.000Z","data":{"analise_id":9001,"lead_id":7001,"banco":"itau","num_consulta":"IT-123","status_original":"APROVADO","situacao":"aprovado","pendente":false}}';

/**
 * Verifies as partners do that follow GitHub's recipe:
 * https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries
 */
function githubStyle(secret: string, body: Buffer, header: string | undefined): boolean {
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
  const given = Buffer.from(header ?? '');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function standardStyle(secret: string, body: Buffer, headers: Record<string, string>): boolean {
  try {
    new Webhook(secret).verify(body, headers, { jsonParse: false });
    return true;
  } catch {
    return false;
  }
}

/** Whether a receiver with this secret verifies: first by GitHub's recipe, then by the standard. */
const verified = (secret: string, body: Buffer, headers: Record<string, string>) => [
  githubStyle(secret, body, headers['X-Service-Signature']),
  standardStyle(secret, body, headers),
];
const attempt = (body: Uint8Array, number = 1) =>
  ({ eventId: EVENT, type: 'analise.resultado', body, attempt: number }) as const;
const only = (secret: string) => ({ secret, previousSecret: undefined, previousUntil: undefined });

// The package compares the timestamp with the clock, so the clock is fixed.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: NOW }));
afterEach(() => void vi.useRealTimers());

test('sign returns exactly the headers of the contract’s test vector', () => {
  const body = Buffer.from(BODY);
  expect(body.length).toBe(254);
  expect(sign(only(SECRET), attempt(body, 7), NOW + 999)).toEqual({
    'X-Service-Event': 'analise.resultado',
    'X-Service-Attempt': '7',
    'X-Service-Signature': 'sha256=68202f8f6bfb156e2682694638d8698513fa5e00b337a46011eddef04053a68e',
    'webhook-id': EVENT,
    'webhook-timestamp': '1763640000',
    'webhook-signature': 'v1,1Hz+JptKZkxc8qG8CFlv1P+F4jTy01qUTSM/VSJo3p4=',
  });
});

test('a receiver verifies 1,000 random bodies by both schemes, and none of them after one flipped bit', () => {
  const bodies = fc.string({ unit: 'binary', minLength: 1, maxLength: 400 }).map((text) => Buffer.from(text, 'utf8'));
  fc.assert(
    fc.property(bodies, fc.nat(), fc.nat({ max: 7 }), (random, position, bit) => {
      const secret = newWebhookSecret();
      const headers = sign(only(secret), attempt(random), NOW);
      expect(verified(secret, random, headers)).toEqual([true, true]);
      const flipped = Buffer.from(random);
      flipped[position % random.length]! ^= 1 << bit;
      expect(verified(secret, flipped, headers)).toEqual([false, false]);
    }),
    { numRuns: 1000 },
  );
});

describe('a rotation', () => {
  const body = Buffer.from('{"nome_do_evento":"análise — concluída"}');
  const former = newWebhookSecret();
  const secrets = { secret: SECRET, previousSecret: former, previousUntil: NOW + 1 };

  test('a receiver with either secret verifies during the overlap of a rotation', () => {
    const headers = sign(secrets, attempt(body), NOW);
    expect(verified(SECRET, body, headers)).toEqual([true, true]);
    expect(githubStyle(former, body, headers['X-Service-Signature-Anterior'])).toBe(true);
    expect(standardStyle(former, body, headers)).toBe(true);
  });

  test('the previous secret signs nothing from the moment at which its overlap ends', () => {
    expect(sign(secrets, attempt(body), NOW + 1)).toEqual(sign(only(SECRET), attempt(body), NOW + 1));
  });
});

test.each(['', 'whsec_', randomBytes(32).toString('base64')])(
  'sign refuses the secret %j with an error that does not repeat it',
  (secret) => {
    const use = () => sign(only(secret), attempt(Buffer.from('{}')), NOW);
    expect(use).toThrow('whsec_');
    if (secret.length > 6) expect(use).not.toThrow(secret);
  },
);
