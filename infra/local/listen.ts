import { randomInt } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Why the local run cannot start, in one line that names the cure. */
export class StartError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StartError';
  }
}

/** What has to be ended, the last begun first. Once the end has begun, whatever is added is ended at once. */
export class Closers {
  private readonly closers: (() => unknown)[] = [];
  private readonly ending = new AbortController();

  /** Aborts as soon as the end begins. */
  get signal(): AbortSignal {
    return this.ending.signal;
  }

  /** Throws a StartError where the end has begun. */
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

/** A server on 127.0.0.1. */
export interface LocalServer {
  /** `http://<address>:<port>`. */
  readonly url: string;
  /** Ends all connections and the server. */
  close(): Promise<void>;
}

/** Listens on 127.0.0.1, or on another address of this machine; port 0 is any free one. Throws a StartError where the port is taken. */
export async function listen(server: Server, port: number, host = '127.0.0.1'): Promise<LocalServer> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE'
          ? new StartError(`port ${port} is in use: end what listens there or choose another with --port`)
          : error,
      ),
    );
    server.listen(port, host, resolve);
  });
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/**
 * A port of 127.0.0.1 that nothing listens on, for a program that has to be told one: none of those that systems give out by
 * themselves, since somebody else would be given it before the program listens.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    const server = await listen(createServer(), port).catch(() => undefined);
    if (!server) continue;
    await server.close();
    return port;
  }
}

/** A call's whole body; undefined above `most` bytes. It is read to its end, so that the caller hears the answer. */
export async function readBody(request: IncomingMessage, most: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= most) chunks.push(chunk);
  }
  return size <= most ? Buffer.concat(chunks) : undefined;
}

/** The value of a JSON text; undefined where it is none. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
