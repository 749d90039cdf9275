import type http from 'node:http';
import type { OperatorReply, OperatorSubmission } from './faults.ts';

/** Where the operator sends outcomes by itself. */
export interface PushTarget {
  /** The administration's API, with its stage. */
  readonly url: string;
  /** In place of the signature by its own AWS credentials. */
  readonly token: string;
}

export interface PushAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Sends the service how submissions stand now (operator.openapi.yaml, `resultados`). Rejects where nothing answers. */
export async function push(
  { url, token }: PushTarget,
  submissions: readonly OperatorSubmission[],
): Promise<PushAnswer> {
  const response = await fetch(`${url}/resultados`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ submissions }),
  });
  return { status: response.status, body: await response.json() };
}

/** Writes a reply, or ends the connection as it says instead. */
export function sendReply(response: http.ServerResponse, reply: OperatorReply, headers: Record<string, string>): void {
  const socket = response.socket;
  if (reply.instead === 'close') return void socket?.destroy();
  if (reply.instead === 'reset') return void socket?.resetAndDestroy();
  const payload = Buffer.from(reply.instead === 'garbage' ? '<html>200 OK</html>' : JSON.stringify(reply.body));
  const length = { 'content-type': 'application/json', 'content-length': payload.length };
  response.writeHead(reply.status, { ...headers, ...length });
  if (reply.instead === 'stall') response.write(payload.subarray(0, 10));
  else response.end(payload);
}

/** Waits. Never ends once the operator has cleared `waits` and closed: the connection is gone by then. */
export function pause(milliseconds: number, waits: Set<NodeJS.Timeout>): Promise<void> {
  return new Promise((resolve) => {
    const wait = setTimeout(() => {
      waits.delete(wait);
      resolve();
    }, milliseconds);
    waits.add(wait);
  });
}
