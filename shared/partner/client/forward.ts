import { createHmac } from 'node:crypto';
import { type Item, type PartnerClient, PartnerError, verifyWebhook, WebhookError } from './client.ts';

// Forwards the events of a sandbox to a receiver on this machine, without a public address: polls the list of
// deliveries, signs the body of each new event as the service does, and sends it to the receiver.

/** A delivery as the list of the API shows it. */
type Listed = Item<'list-own-deliveries'>;

/** Seconds between two polls: 12 calls a minute, a tenth of the usual limit. */
export const POLL_SECONDS = 5;
/** Seconds that the receiver has for its answer, as for an event of the service. */
const ANSWER_SECONDS = 15;
/** The largest page that the API has. */
const PAGE = 100;
/** The list may show an event later than a newer one, but not by more than this. */
const LATE_MILLISECONDS = 120_000;

/** The only 4xx statuses after which the next poll may succeed. */
const PASSING: readonly number[] = [408, 429];

export interface Forwarding {
  readonly client: Pick<PartnerClient, 'iterate'>;
  /** Address of the receiver. */
  readonly to: URL;
  /** The secret that signs. During a rotation, both secrets. */
  readonly secrets: readonly string[];
  /** How many of the events that are there at the start are forwarded, too. */
  readonly last: number;
  /** Ends the forwarding. */
  readonly signal: AbortSignal;
  /** Called when the events of the start are known, so that each later event is forwarded. */
  readonly ready: () => void;
  readonly print: (line: string) => void;
  /** Waits until the next poll. Returns early once the signal is aborted. */
  readonly pause: () => Promise<void>;
  /** The moment in milliseconds. */
  readonly now: () => number;
}

/** Why no further poll can succeed, as a sentence for the developer. */
export class ForwardingError extends Error {
  override readonly name = 'ForwardingError';
}

/**
 * Returns the address of a receiver on this machine, given as `localhost:3000/webhooks` or as a URL. Undefined for
 * another machine: the events and their signatures stay here.
 */
export function receiverAddress(text: string): URL | undefined {
  const address = /^https?:\/\//i.test(text) ? text : `http://${text}`;
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  const isLocal = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(url.hostname);
  return isLocal && url.username === '' && url.password === '' ? url : undefined;
}

/** Returns why events cannot be forwarded with this API key. Undefined if they can. */
export function keyRefusal(key: string): string | undefined {
  if (key === '') return 'Falta CHAVE: ponha nela a chave do sandbox, que começa com pmc_sandbox_.';
  if (key.startsWith('pmc_sandbox_')) return undefined;
  return 'CHAVE não é uma chave do sandbox, que começa com pmc_sandbox_. Eventos da produção não são encaminhados: chegam só ao endereço dela.';
}

/**
 * Forwards events until the signal is aborted. An event that the receiver does not take is printed and not sent again.
 * If the API does not answer, says so once and polls again. Throws a ForwardingError if the API refuses the poll, and a
 * WebhookError if a secret is malformed.
 */
export async function forwardEvents(forwarding: Forwarding): Promise<void> {
  const { signal, ready, print, pause } = forwarding;
  const feed = new EventFeed(forwarding);
  let complaint = '';
  while (!signal.aborted) {
    try {
      const isFirst = !feed.isOpen;
      const events = await feed.next();
      if (isFirst) ready();
      complaint = '';
      await sendEvents(events, forwarding);
    } catch (error) {
      if (signal.aborted) return;
      const sentence = complaintAbout(error);
      if (sentence !== complaint) print(sentence);
      complaint = sentence;
    }
    await pause();
  }
}

/** The new events of each poll. */
class EventFeed {
  readonly #client: Pick<PartnerClient, 'iterate'>;
  readonly #signal: AbortSignal;
  readonly #last: number;
  readonly #known = new Set<string>();
  /** Only events since this moment can be new. Undefined until the first poll succeeds. */
  #since: number | undefined;

  constructor({ client, signal, last }: Pick<Forwarding, 'client' | 'signal' | 'last'>) {
    this.#client = client;
    this.#signal = signal;
    this.#last = last;
  }

  /** Whether the first poll has succeeded, so that the events of the start are known. */
  get isOpen(): boolean {
    return this.#since !== undefined;
  }

  /**
   * Polls the API and returns the new events, oldest first. The first time, returns the newest `last` events. Throws
   * what `iterate` throws. After that the same events are still new.
   */
  async next(): Promise<readonly Listed[]> {
    const wanted = this.isOpen ? 0 : this.#last;
    // The list begins with the newest event.
    const found: Listed[] = [];
    let since = this.#since;
    let newest = Number.NEGATIVE_INFINITY;
    const list = this.#client.iterate('list-own-deliveries', { query: { limit: PAGE }, signal: this.#signal });
    for await (const event of list) {
      const at = Date.parse(event.criada_em);
      newest = Math.max(newest, at);
      since ??= at - LATE_MILLISECONDS;
      if (at < since && found.length >= wanted) break;
      if (!this.#known.has(event.id)) found.push(event);
    }
    const events = this.isOpen ? found : found.slice(0, wanted);
    for (const { id } of found) this.#known.add(id);
    this.#since = Math.max(this.#since ?? Number.NEGATIVE_INFINITY, newest - LATE_MILLISECONDS);
    return events.reverse();
  }
}

/**
 * Sends events to the receiver, one after another, and prints the answer to each. Ends early once the signal is aborted.
 */
async function sendEvents(events: readonly Listed[], forwarding: Forwarding): Promise<void> {
  for (const event of events) {
    const answer = await sendEvent(event, forwarding);
    if (forwarding.signal.aborted) return;
    forwarding.print(`${event.tipo}  ${event.id}  análise ${event.analise_id}: ${answer}`);
  }
}

/**
 * Sends an event to the receiver. Returns the receiver's answer, or why there was none. Throws a ForwardingError if the
 * API did not send the body, and a WebhookError if a secret is malformed.
 */
async function sendEvent(event: Listed, { to, secrets, signal, now }: Forwarding): Promise<string> {
  if (event.corpo === undefined) throw new ForwardingError('A API não trouxe o corpo do evento, que só o sandbox tem.');
  const body = Buffer.from(event.corpo, 'utf8');
  const headers = signedHeaders(event, body, secrets, now());
  // The check of every receiver, so that a 401 is about the receiver and not about this command.
  await verifyWebhook(body, headers, secrets, now());
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_SECONDS * 1000)]);
    const response = await fetch(to, { method: 'POST', headers, body, redirect: 'manual', signal: limit });
    await response.body?.cancel();
    return String(response.status);
  } catch (error) {
    return `sem resposta (${causeOf(error)})`;
  }
}

/** Returns the headers with which the service sends an event at its first attempt. */
function signedHeaders(
  { id, tipo }: Listed,
  body: Buffer,
  secrets: readonly string[],
  now: number,
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const ofBody = secrets.map((secret) => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
  const standard = secrets.map((secret) => {
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    const signature = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
    return `v1,${signature}`;
  });
  const [current = '', previous] = ofBody;
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    'User-Agent': 'pmc-webhooks/1.0',
    'X-Service-Event': tipo,
    'X-Service-Attempt': '1',
    'X-Service-Signature': current,
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': standard.join(' '),
  };
  if (previous !== undefined) headers['X-Service-Signature-Anterior'] = previous;
  return headers;
}

/**
 * Returns the sentence about a failed poll, if the next poll may succeed. Throws a ForwardingError if the API refused
 * the poll, and any error that is about an event.
 */
function complaintAbout(error: unknown): string {
  if (error instanceof ForwardingError || error instanceof WebhookError) throw error;
  const next = `Nova consulta em ${POLL_SECONDS} s.`;
  if (!(error instanceof PartnerError)) return `A API não respondeu (${causeOf(error)}). ${next}`;
  const { status, message } = error;
  if (status >= 400 && status < 500 && !PASSING.includes(status))
    throw new ForwardingError(`A API recusou a consulta: ${message}`);
  return `A API respondeu ${message} ${next}`;
}

/** Returns the code of the failed connection, such as ECONNREFUSED, or the text of another error of `fetch`. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause, name, message } = error;
  if (cause instanceof Error) return 'code' in cause ? String(cause.code) : cause.message;
  return name === 'TimeoutError' ? 'tempo esgotado' : message;
}
