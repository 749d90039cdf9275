import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer, type ServerOptions } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import type { Credential } from './certificate.ts';

export interface Receiver {
  readonly port: number;
  /** Returns the number of connections so far. */
  connections(): number;
  /** Ends all connections with a TCP reset. */
  reset(): void;
  stop(): Promise<void>;
}

async function listen(server: Server): Promise<Receiver> {
  const open = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections++;
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    socket.on('error', () => undefined);
  });
  server.on('tlsClientError', () => undefined);
  server.on('clientError', (_: Error, socket: Socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    reset() {
      for (const socket of open) socket.resetAndDestroy();
    },
    async stop() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

/** Starts a partner's endpoint with TLS on the loopback address. */
export function startReceiver(
  credential: Credential,
  answer: RequestListener,
  options: ServerOptions = {},
): Promise<Receiver> {
  return listen(createHttpsServer({ ...options, ...credential }, answer));
}

/** Starts an endpoint without TLS. */
export function startPlainReceiver(answer: RequestListener): Promise<Receiver> {
  return listen(createHttpServer(answer));
}

/** Starts a TCP server without a protocol: `accept` gets each socket. */
export function startRawReceiver(accept: (socket: Socket) => void): Promise<Receiver> {
  return listen(createTcpServer(accept));
}
