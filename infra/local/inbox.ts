import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import type { Clock } from '#shared/domain/values/clock.ts';
import type { AttemptResult, Message } from '#shared/domain/webhooks/delivery.ts';
import { newWebhookSecret } from '#shared/domain/webhooks/secret.ts';
import { vetPublicUrl } from '#shared/outbound/vet-public-url.ts';
import { HttpWebhookSender } from '#shared/webhook/send.ts';
import { parsedJson, serve } from './listen.ts';

const MOST_EVENTS = 1000;

export interface InboxEvent {
  readonly id: string;
  readonly type: string;
  readonly attempt: number;
  /** Time of arrival in ISO 8601. */
  readonly receivedAt: string;
  readonly status: number;
  readonly verified: { readonly service: boolean; readonly standard: boolean };
  readonly headers: Readonly<Record<string, string>>;
  /** The exact text that was signed. */
  readonly raw: string;
  readonly body: unknown;
}

/**
 * A receiver as a partner would write one.
 * - POST takes an event: 200 if both signatures are valid, else 401.
 * - GET lists the events, newest last.
 * - `POST /fail-next?n=2&status=503` makes the next n deliveries fail with a status.
 *
 * `answer`: status for all deliveries. `arrived` is called after the answer to an event.
 */
export async function startInbox(arrived: (event: InboxEvent) => void, { answer }: { readonly answer?: number } = {}) {
  const events: InboxEvent[] = [];
  const failing = { left: 0, status: 500 };
  let secrets: readonly string[] = [];

  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', 'http://inbox');
    if (request.method === 'GET') return sendJson(response, 200, events);
    if (request.method !== 'POST') return sendJson(response, 405, {});
    const raw = await text(request);
    if (url.pathname === '/fail-next') {
      failing.left = Number(url.searchParams.get('n') ?? 1);
      failing.status = Number(url.searchParams.get('status') ?? 500);
      return sendJson(response, 200, failing);
    }
    const verified = verifyAny(secrets, request.headers, raw);
    const usual = answer ?? (verified.service && verified.standard ? 200 : 401);
    const status = failing.left > 0 ? failing.status : usual;
    if (failing.left > 0) failing.left -= 1;
    const event = eventOf(request.headers, raw, verified, status);
    events.push(event);
    if (events.length > MOST_EVENTS) events.shift();
    response.once('close', () => arrived(event));
    sendJson(response, status, { ok: status === 200 });
  };

  const { url, close } = await serve((request, response) => {
    receive(request, response).catch(() => sendJson(response, 500, {}));
  });
  return {
    url: `${url}/webhooks`,
    expect: (...expected: readonly string[]) => {
      secrets = expected;
    },
    close,
  };
}
export type Inbox = Awaited<ReturnType<typeof startInbox>>;

function verifyAny(secrets: readonly string[], headers: IncomingHttpHeaders, raw: string): InboxEvent['verified'] {
  const checks = secrets.map((secret) => verify(secret, headers, raw));
  return { service: checks.some(({ service }) => service), standard: checks.some(({ standard }) => standard) };
}

const STANDARD_HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];

/** Checks the service's signature (HMAC-SHA256 of the raw body, keyed with the whole secret) and Standard Webhooks'. */
export function verify(secret: string, headers: IncomingHttpHeaders, raw: string): InboxEvent['verified'] {
  if (!secret) return { service: false, standard: false };
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(raw).digest('hex')}`);
  // During a rotation both secrets sign, so that a receiver with either of them accepts the event.
  const service = ['x-service-signature', 'x-service-signature-anterior'].some((name) => {
    const signature = Buffer.from(String(headers[name] ?? ''));
    return signature.length === expected.length && timingSafeEqual(signature, expected);
  });
  const signed = Object.fromEntries(STANDARD_HEADERS.map((name) => [name, String(headers[name] ?? '')]));
  try {
    new Webhook(secret).verify(raw, signed);
    return { service, standard: true };
  } catch {
    return { service, standard: false };
  }
}

function eventOf(
  headers: IncomingHttpHeaders,
  raw: string,
  verified: InboxEvent['verified'],
  status: number,
): InboxEvent {
  const body = parsedJson(raw) ?? null;
  const fields: { readonly id?: unknown; readonly type?: unknown } =
    typeof body === 'object' && body !== null ? body : {};
  return {
    id: String(headers['webhook-id'] ?? fields.id ?? ''),
    type: String(headers['x-service-event'] ?? fields.type ?? ''),
    attempt: Number(headers['x-service-attempt'] ?? 0),
    receivedAt: new Date().toISOString(),
    status,
    verified,
    headers: Object.fromEntries(
      Object.entries(headers)
        .filter(([name]) => /^(webhook-|x-service-|content-type$|user-agent$)/.test(name))
        .map(([name, value]) => [name, String(value)]),
    ),
    raw,
    body,
  };
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

// The service's own webhook sender, limited to this machine: it resolves no name.

const resolveNothing = async () => [];

export const isOnThisMachine = async (url: string): Promise<boolean> =>
  (await vetPublicUrl(url, resolveNothing, { allowLocal: true })).vetted;

interface LocalSending {
  readonly url: string;
  /** The current secret comes first. The second secret signs, too, as during a rotation. */
  readonly secrets: readonly [string, ...string[]];
  readonly forged: boolean;
  readonly attempt: number;
}

export function sendToThisMachine(message: Message, to: LocalSending, clock: Clock): Promise<AttemptResult> {
  const secrets: LocalSending['secrets'] = to.forged ? [newWebhookSecret()] : to.secrets;
  const [secret, previousSecret] = secrets;
  const now = clock();
  const sender = new HttpWebhookSender({ resolve: resolveNothing, allowLocal: true, clock });
  return sender.send({ url: to.url, secret, previousSecret, previousUntil: now + 1 }, message, to.attempt, now);
}
