/**
 * HTTP client for calls to the operator, to partners' webhook receivers and, for the probe, to our own public address.
 *
 * The owner of a name can answer the look-up of the vetting with a public address and, a moment later, the look-up of
 * the connection with an internal one such as 169.254.169.254 (DNS rebinding). So a partner's URL is vetted before each
 * request, and only its vetted addresses are dialled. The certificate is still checked against the name, and nothing is
 * sent before that. Redirects are not followed and proxy variables are not read: both would choose another address.
 */
import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import { connect as connectTcp, isIP, type Socket, type TcpSocketConnectOpts } from 'node:net';
import { addAbortSignal } from 'node:stream';
import { type ConnectionOptions, connect as connectTls, createSecureContext, TLSSocket } from 'node:tls';
import type { Clock } from '../domain/values/clock.ts';
import type { Milliseconds } from '../domain/values/time.ts';
import { expectTimeLeft, OutboundError, type OutboundFault, unlessAborted, withTimeLimit } from './time-limit.ts';
import { hostOf, type VettedTarget } from './vetted-target.ts';

/** Opens a connection, by TLS if `secure` is given. The probe wraps it to read the certificate; tests replace it. */
export type Connect = (target: VettedTarget, secure: ConnectionOptions | undefined) => Socket;

export interface HttpClientOptions {
  /** Returns the target of a URL. Throws an OutboundError if the URL must not be called. */
  readonly vet: (url: string) => VettedTarget | Promise<VettedTarget>;
  /** Time limit for a connection: vetting, TCP and TLS together, or the wait for a free connection of the pool. */
  readonly connectTimeout: Milliseconds;
  /** Most bytes that are read of an answer's body. */
  readonly readLimit: number;
  /**
   * Keeps connections to the one host that the client calls. If nothing was sent or received for longer than `idle`,
   * the next request drops them all: a frozen container runs no timers, and a middlebox forgets quiet connections
   * silently. A request on such a connection would fail without anyone knowing whether it arrived.
   * @default a connection for each request
   */
  readonly keepAlive?: { readonly connections: number; readonly idle: Milliseconds };
  readonly clock: Clock;
  /** PEM certificates to trust instead of the usual roots. */
  readonly ca?: string | undefined;
  readonly connect?: Connect | undefined;
}

export interface OutboundRequest {
  readonly url: string;
  readonly method: 'GET' | 'PUT' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | undefined;
  /** Most bytes that are read of the answer's body. @default the client's limit */
  readonly readLimit?: number | undefined;
  /** If false, the connection ends after the headers. @default always */
  readonly needsBody?: (status: number) => boolean;
}

export interface OutboundAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** The bytes that were read. They are never decompressed. */
  readonly body: Buffer;
  /** Why the body is incomplete. Undefined if it is complete or was not read. */
  readonly broken: OutboundError | undefined;
}

export interface HttpClient {
  /**
   * Sends one request, without retries, until `stop` (from `withTimeLimit`) aborts. Throws an OutboundError if no
   * status and headers come back. An answer of any status is no error.
   */
  send(request: OutboundRequest, stop: AbortSignal): Promise<OutboundAnswer>;
  close(): void;
}

type Phase = 'dns' | 'connection' | 'tls' | 'exchange';

export function httpClient(options: HttpClientOptions): HttpClient {
  const { vet, connectTimeout, readLimit, keepAlive, clock, connect = connectPinned } = options;
  const pool = keepAlive && new http.Agent({ keepAlive: true, maxSockets: keepAlive.connections });
  // The pool only keeps connections. A request that needs a new connection opens it.
  if (pool) pool.createConnection = (request) => request.createConnection?.(request, () => undefined);
  let lastUse = clock();
  let secureContext: ConnectionOptions['secureContext'];

  function dropIdleConnections(): void {
    const idle = clock() - lastUse;
    // A negative time means that the clock was put back: nobody knows for how long the connections were idle.
    if (pool && keepAlive && (idle > keepAlive.idle || idle < 0))
      for (const sockets of Object.values(pool.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
    lastUse = clock();
  }

  /** The certificate must match the name, whatever NODE_TLS_REJECT_UNAUTHORIZED says. Undefined for plain http. */
  function tlsOptions({ url }: VettedTarget): ConnectionOptions | undefined {
    if (url.protocol !== 'https:') return undefined;
    secureContext ??= createSecureContext(options.ca ? { ca: options.ca } : {});
    const servername = isIP(hostOf(url)) === 0 ? url.hostname : undefined;
    return { secureContext, rejectUnauthorized: true, ALPNProtocols: ['http/1.1'], servername };
  }

  /** Returns a request that has sent nothing. Neither the pool nor a request without an agent reads proxy variables. */
  function open(target: VettedTarget, { method, headers }: OutboundRequest): ClientRequest {
    const { host, hostname, pathname, search } = target.url;
    return http.request({
      agent: pool,
      createConnection: () => connect(target, tlsOptions(target)),
      host: hostname,
      port: target.port,
      method,
      path: pathname + search,
      headers: { Host: host, ...headers },
      maxHeaderSize: 16_384,
    });
  }

  return {
    async send(request, stop) {
      const at: { phase: Phase; sent?: ClientRequest } = { phase: 'dns' };
      dropIdleConnections();
      try {
        const sent = await withTimeLimit(connectTimeout, stop, async (connecting) => {
          const target = await unlessAborted(vet(request.url), connecting);
          at.phase = 'connection';
          at.sent = open(target, request);
          const socket = await until<Socket>(at.sent, 'socket', connecting);
          if (socket.connecting) await until(socket, 'connect', connecting);
          at.phase = 'tls';
          const isSecure = target.url.protocol === 'https:';
          const isAuthorized = socket instanceof TLSSocket && socket.authorized;
          if (isSecure && !isAuthorized) await until(socket, 'secureConnect', connecting);
          return at.sent;
        });
        at.phase = 'exchange';
        expectTimeLeft();
        sent.end(request.body);
        const response = await until<IncomingMessage>(sent, 'response', stop);
        const { statusCode: status = 0, headers } = response;
        if (request.needsBody?.(status) === false) return { status, headers, body: Buffer.alloc(0), broken: undefined };
        const { body, broken } = await readBody(response, request.readLimit ?? readLimit, stop);
        lastUse = clock();
        return { status, headers, body, broken };
      } catch (error) {
        throw outboundError(error, at.phase);
      } finally {
        // Ends the connection, unless its answer was read completely and it is back in the pool.
        at.sent?.destroy();
      }
    },
    close: () => pool?.destroy(),
  };
}

/** Keeps listening for errors after the event: without a listener, a later error would end the process. */
function until<T>(emitter: ClientRequest | Socket, event: string, signal: AbortSignal): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  emitter.once(event, resolve);
  emitter.on('error', reject);
  emitter.once('close', () => reject(new Error('connection closed')));
  return unlessAborted(promise, signal);
}

/**
 * Leaving the loop early destroys the response and its connection. From Node 26 on, a connection of the pool stays if
 * the answer had arrived completely.
 */
async function readBody(response: IncomingMessage, limit: number, stop: AbortSignal) {
  const chunks: Buffer[] = [];
  let size = 0;
  let broken: OutboundError | undefined;
  try {
    const body: AsyncIterable<Buffer> = addAbortSignal(stop, response);
    for await (const chunk of body) {
      chunks.push(chunk);
      size += chunk.length;
      if (size <= limit) continue;
      broken = new OutboundError('too_large', `more than ${limit} bytes`);
      break;
    }
  } catch (error) {
    broken = outboundError(stop.aborted ? stop.reason : error, 'exchange');
  }
  return { body: Buffer.concat(chunks).subarray(0, limit), broken };
}

function outboundError(error: unknown, phase: Phase): OutboundError {
  if (!(error instanceof OutboundError)) {
    const failure = error instanceof Error ? error : new Error(String(error));
    return new OutboundError(faultOf(failure, phase), describe(failure), error);
  }
  if (error.fault !== 'timeout') return error;
  return new OutboundError(phase === 'dns' ? 'dns' : 'timeout', `${phase}: ${error.message}`);
}

function faultOf({ code, syscall }: NodeJS.ErrnoException, phase: Phase): OutboundFault {
  if (code === 'ETIMEDOUT') return 'timeout';
  if (syscall === 'getaddrinfo') return 'dns';
  const cut = code === undefined || ['ECONNRESET', 'EPIPE', 'ECONNABORTED'].includes(code);
  if (phase === 'tls') return cut ? 'connection' : 'tls';
  return code?.startsWith('ERR_SSL_') ? 'tls' : 'connection';
}

function describe(error: NodeJS.ErrnoException): string {
  const message =
    error instanceof AggregateError ? error.errors.map((cause: Error) => cause.message).join('; ') : error.message;
  return error.code && !message.includes(error.code) ? `${error.code}: ${message}` : message;
}

/** Tries the vetted addresses one after the other, one second each before the next. */
export function connectPinned(target: VettedTarget, secure: ConnectionOptions | undefined): Socket {
  const options = { port: target.port, autoSelectFamily: true, autoSelectFamilyAttemptTimeout: 1000, ...route(target) };
  return (secure ? connectTls({ ...options, ...secure }) : connectTcp(options)).setNoDelay(true);
}

/** Leaves out a name that was vetted, so that nothing can look it up again, and tries at most four of its addresses. */
function route({ url, addresses }: VettedTarget): Pick<TcpSocketConnectOpts, 'host' | 'lookup'> {
  const host = hostOf(url);
  if (!addresses || isIP(host)) return { host };
  const pinned = addresses.slice(0, 4).map((address) => ({ address, family: isIP(address) }));
  return {
    host: 'vetted.invalid',
    // With autoSelectFamily, Node asks for all addresses.
    lookup: (_host, _options, callback) => process.nextTick(callback, null, pinned),
  };
}
