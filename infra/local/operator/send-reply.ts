import type http from 'node:http';
import type { OperatorReply } from './faults.ts';

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
