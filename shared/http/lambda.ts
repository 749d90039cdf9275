import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type { LazyPorts } from './ports.ts';

export interface Handler {
  (event: APIGatewayProxyEvent, context: Context): Promise<APIGatewayProxyResult>;
  /** Awaited by the entry of a bundle before the first call. Takes a second at most, and never fails. */
  prime(): Promise<void>;
}

export function lambda<Start, Ports extends object>(
  ports: LazyPorts<Ports>,
  receive: (event: APIGatewayProxyEvent) => Start,
  list: (call: Start, context: Context) => Promise<APIGatewayProxyResult>,
): Handler {
  const handler = (event: APIGatewayProxyEvent, context: Context) => list(receive(event), context);
  return Object.assign(handler, { prime: ports.prime });
}
