import type { EventEmitter } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext } from 'node:tls';
import type { VettedTarget } from './address.ts';

/** Opens a TCP connection to one of the target's vetted addresses. Tests put a recorder here; nothing configures it. */
export type Connect = (target: VettedTarget) => Socket;

export interface PostLimits {
  /** Milliseconds from the start of the attempt until the connection must stand: name, TCP and TLS together. */
  readonly connect: number;
  /** Milliseconds for the whole attempt, headers and body of the answer included. */
  readonly total: number;
  /** Bytes of the answer's body after which no more is read. */
  readonly read: number;
}

/** The clock of one attempt: `signal` aborts at either limit; its reason is a `LimitReached`. */
export class AttemptTimer {
  readonly #abort = new AbortController();
  readonly #connect: NodeJS.Timeout;
  readonly #total: NodeJS.Timeout;

  constructor(limits: Pick<PostLimits, 'connect' | 'total'>) {
    this.#connect = setTimeout(() => this.#abort.abort(new LimitReached('connect')), limits.connect);
    this.#total = setTimeout(() => this.#abort.abort(new LimitReached('total')), limits.total);
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** From here on only the whole attempt's limit runs. */
  connected(): void {
    clearTimeout(this.#connect);
  }

  stop(): void {
    clearTimeout(this.#connect);
    clearTimeout(this.#total);
  }
}

export class LimitReached extends Error {
  readonly limit: 'connect' | 'total';

  constructor(limit: 'connect' | 'total') {
    super(limit === 'connect' ? 'no connection in time' : 'no complete answer in time');
    this.limit = limit;
  }
}

export interface PostAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** As much of the body as was read, never decompressed. */
  readonly start: Buffer;
  /** Why the body did not come to its end; undefined where it did, or where reading stopped on purpose. */
  readonly broken: Error | undefined;
}

/** The connection or the exchange failed before there was a status. */
export class PostFailed extends Error {
  readonly failure: 'timeout' | 'tls' | 'conexao';

  constructor(failure: 'timeout' | 'tls' | 'conexao', cause: Error) {
    super(describe(cause), { cause });
    this.failure = failure;
  }
}

/**
 * One POST over a connection of its own to a vetted target; throws PostFailed where no status comes back.
 *
 * A connection is never kept for a later attempt: each send vets the name anew and must go where the name points then;
 * a partner gets few events an hour, and a container that was frozen between two would find the kept connection dead
 * in the middle of an attempt that counts. No agent takes part, so no proxy variable is read either.
 */
export async function post(
  target: VettedTarget,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array,
  connection: { connect: Connect; secureContext: () => SecureContext; timer: AttemptTimer },
  limits: Pick<PostLimits, 'read'>,
): Promise<PostAnswer> {
  const { signal } = connection.timer;
  let phase: 'connection' | 'tls' | 'exchange' = 'connection';
  const socket = connection.connect(target);
  try {
    await until(socket, 'connect', signal);
    let stream = socket;
    if (target.url.protocol === 'https:') {
      phase = 'tls';
      stream = secure(socket, target, connection.secureContext());
      await until(stream, 'secureConnect', signal);
    }
    connection.timer.connected();
    phase = 'exchange';
    const sent = request({
      createConnection: () => stream,
      method: 'POST',
      path: target.url.pathname + target.url.search,
      headers: { Host: target.url.host, ...headers },
      maxHeaderSize: 16_384,
    });
    sent.end(body);
    const response = await until<IncomingMessage>(sent, 'response', signal);
    const { start, broken } = await readStart(response, limits, signal);
    return { status: response.statusCode ?? 0, headers: response.headers, start, broken };
  } catch (error) {
    throw new PostFailed(failureOf(error as NodeJS.ErrnoException, phase), error as Error);
  } finally {
    socket.destroy();
  }
}

/** Listens for errors for good: one that comes after the awaited event must not end the process. */
function until<T>(emitter: EventEmitter, event: string, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    emitter.once(event, resolve);
    emitter.on('error', reject);
    emitter.once('close', () => reject(new Error('connection closed')));
  });
}

/** The name is checked against the certificate whatever NODE_TLS_REJECT_UNAUTHORIZED says. */
function secure(socket: Socket, target: VettedTarget, secureContext: SecureContext): Socket {
  const host = target.url.hostname.replace(/^\[|\]$/g, '');
  return connectTls({
    socket,
    secureContext,
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
    host,
    ...(isIP(host) === 0 && { servername: host }),
  });
}

async function readStart(
  response: IncomingMessage,
  limits: Pick<PostLimits, 'read'>,
  signal: AbortSignal,
): Promise<{ start: Buffer; broken: Error | undefined }> {
  const kept: Buffer[] = [];
  let read = 0;
  let broken: Error | undefined;
  const stop = () => response.destroy(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      kept.push(chunk);
      read += chunk.length;
      if (read >= limits.read) break;
    }
  } catch (error) {
    broken = error as Error;
  }
  return { start: Buffer.concat(kept), broken };
}

function failureOf(error: NodeJS.ErrnoException, phase: 'connection' | 'tls' | 'exchange'): PostFailed['failure'] {
  if (error instanceof LimitReached || error.code === 'ETIMEDOUT') return 'timeout';
  const cut = error.code === undefined || ['ECONNRESET', 'EPIPE', 'ECONNABORTED'].includes(error.code);
  if (phase === 'tls') return cut ? 'conexao' : 'tls';
  return error.code?.startsWith('ERR_SSL_') ? 'tls' : 'conexao';
}

function describe(error: NodeJS.ErrnoException): string {
  const message =
    error instanceof AggregateError ? error.errors.map((one: Error) => one.message).join('; ') : error.message;
  return error.code && !message.includes(error.code) ? `${error.code}: ${message}` : message;
}

/**
 * The real connection: the vetted addresses one after the other, a second each before the next is tried. The name is
 * not looked up again; whatever it says by now, only these addresses are dialled.
 */
export function connectPinned({ port, addresses }: VettedTarget): Socket {
  const pinned = addresses.slice(0, MOST_ADDRESSES).map((address) => ({ address, family: isIP(address) }));
  return connectTcp({
    host: 'vetted.invalid',
    port,
    lookup: (_host, options, callback) => {
      if (options.all) process.nextTick(callback, null, pinned);
      else process.nextTick(callback, null, pinned[0]!.address, pinned[0]!.family);
    },
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: 1000,
    noDelay: true,
  });
}

/** A name with a thousand addresses must not make us knock at a thousand doors. */
const MOST_ADDRESSES = 4;
