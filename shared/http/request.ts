import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { Caller } from '../domain/partners/partner.ts';

/** A call on its way through the stack: the gateway's event, and what the log and the answer need of it. */
export interface Call extends APIGatewayProxyEvent {
  steps: {
    /** When the call came in, in milliseconds. */
    startedAt: number;
    caller?: Caller;
    /** Whether the answer is one that an earlier call was given. */
    replayed?: boolean;
  };
}

/** The id of a call: the gateway's extended request id, which callers cannot choose. */
export const requestIdOf = (event: APIGatewayProxyEvent): string =>
  event.requestContext.extendedRequestId ?? event.requestContext.requestId;

/** The values of a header, whose name is given in lower case; HTTP's names know no case. */
export function headerValues(event: APIGatewayProxyEvent, name: string): readonly string[] {
  const headers = event.multiValueHeaders ?? {};
  return Object.keys(headers)
    .filter((key) => key.toLowerCase() === name)
    .flatMap((key) => headers[key] ?? []);
}

/** What stands before our own paths in the address of a call: the stage where the gateway shows it, else nothing. */
export function basePathOf({ path, requestContext }: APIGatewayProxyEvent): string {
  const whole = requestContext.path ?? '';
  const base = whole.endsWith(path) ? whole.slice(0, whole.length - path.length) : '';
  return /^(\/[\w.-]+)*$/.test(base) ? base : '';
}

/** Hosts of this machine: the local run alone is called by plain HTTP. */
const LOOPBACK = /^(127\.0\.0\.1|localhost)(:\d+)?$/;

/**
 * The address at which the caller reached the service, `https://host` and the stage's path where the gateway has one,
 * without a slash at its end. The gateway lets only its own host names through, so that a caller cannot choose it.
 */
export function serviceAddress(event: APIGatewayProxyEvent): string {
  const host = headerValues(event, 'host').at(-1) ?? event.requestContext.domainName ?? 'localhost';
  return `${LOOPBACK.test(host) ? 'http' : 'https'}://${host}${basePathOf(event)}`;
}
