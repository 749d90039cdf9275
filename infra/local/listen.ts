import { randomInt } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import { gzipSync } from 'node:zlib';
import { type ForeignHeader, foreignHeader, REFUSALS } from './foreign-header.ts';

/** Why the local run cannot start, in one line that also says what to do. */
export class StartError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StartError';
  }
}

/** `close` calls the closers in reverse order. A closer that is added later is called at once. */
export class Closers {
  private readonly closers: (() => unknown)[] = [];
  private readonly ending = new AbortController();

  get signal(): AbortSignal {
    return this.ending.signal;
  }

  /** Throws a StartError if `close` was called before. */
  add(closer: () => unknown): void {
    this.closers.push(closer);
    if (!this.signal.aborted) return;
    void this.close();
    throw new StartError('ended while it started');
  }

  async close(): Promise<void> {
    this.ending.abort();
    for (let closer = this.closers.pop(); closer; closer = this.closers.pop()) await closer();
  }
}

export interface LocalServer {
  readonly url: string;
  close(): Promise<void>;
}

export interface ServeOptions {
  readonly port?: number;
  /** Address in 127/8. @default 127.0.0.1 */
  readonly address?: string;
  readonly server?: ServerOptions;
}

/**
 * Serves HTTP on this machine only. Every local server of our own starts here, so that calls with a foreign Host or
 * Origin reach none of them (`foreignHeader`). Throws a StartError if the port is in use.
 */
export async function serve(
  answer: RequestListener,
  { port = 0, address = '127.0.0.1', server: options = {} }: ServeOptions = {},
): Promise<LocalServer> {
  const server = createServer(options, (request, response) => {
    const header = foreignHeader(request.headers);
    if (header === undefined) answer(request, response);
    else refuseCall(response, header);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE'
          ? new StartError(`port ${port} is in use: end what listens there or choose another with --port`)
          : error,
      ),
    );
    server.listen(port, address, resolve);
  });
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('a server on a loopback address has no port');
  const url = `http://${address}:${bound.port}`;
  return {
    url,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function refuseCall(response: ServerResponse, header: ForeignHeader): void {
  response.writeHead(403, { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' });
  response.end(REFUSALS[header]);
}

const answerNothing: RequestListener = (_, response) => response.destroy();

/** Throws a StartError if a port of 127.0.0.1 is in use. */
export async function checkPort(port: number): Promise<void> {
  await (await serve(answerNothing, { port })).close();
}

/** Returns a random address in 127/8, so that no page can know it. macOS has only 127.0.0.1. */
export async function drawAddress(): Promise<string> {
  const address = `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(2, 255)}`;
  try {
    await (await serve(answerNothing, { address })).close();
    return address;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRNOTAVAIL') return '127.0.0.1';
    throw error;
  }
}

/** Avoids the ports that systems give out by themselves: another program could get the port before the caller does. */
export async function freePort(address = '127.0.0.1'): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    const server = await serve(answerNothing, { port, address }).catch(() => undefined);
    if (!server) continue;
    await server.close();
    return port;
  }
}

/** Undefined if the body has more than `limit` bytes. Reads such a body to its end, so that the caller is answered. */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Without an encoding, a request yields buffers.
  for await (const chunk of request) {
    size += chunk.length;
    if (size <= limit) chunks.push(chunk);
  }
  return size <= limit ? Buffer.concat(chunks) : undefined;
}

/** A small body fits into one packet, and is sent as it is. */
const SMALL = 1_400;

export function encodedBody({ headers }: IncomingMessage, content: string | Uint8Array) {
  const body = Buffer.from(content);
  if (body.length < SMALL || !/\bgzip\b/.test(String(headers['accept-encoding'])))
    return { body, headers: { vary: 'accept-encoding' } };
  return { body: gzipSync(body), headers: { vary: 'accept-encoding', 'content-encoding': 'gzip' } };
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Undefined if the text is not JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
