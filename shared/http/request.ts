import type { APIGatewayProxyEvent } from 'aws-lambda';

export interface Call {
  readonly event: APIGatewayProxyEvent;
  /** When the call came in, in milliseconds since 1970. */
  readonly startedAt: number;
}

/** Returns the gateway's extended request id, which callers cannot choose. */
export const requestIdOf = (event: APIGatewayProxyEvent): string =>
  event.requestContext.extendedRequestId ?? event.requestContext.requestId;

/** The name is given in lower case, and matches in any case, as HTTP demands. */
export function headerValues(event: APIGatewayProxyEvent, name: string): readonly string[] {
  const headers = event.multiValueHeaders ?? {};
  return Object.keys(headers)
    .filter((key) => key.toLowerCase() === name)
    .flatMap((key) => headers[key] ?? []);
}

/** Returns the stage if the gateway shows it in front of our own paths, else nothing. */
export function basePathOf({ path, requestContext }: APIGatewayProxyEvent): string {
  const whole = requestContext.path ?? '';
  const base = whole.endsWith(path) ? whole.slice(0, whole.length - path.length) : '';
  return /^(\/[\w.-]+)*$/.test(base) ? base : '';
}

/** Only the local run is called by plain HTTP. */
const LOOPBACK = /^(127\.0\.0\.1|localhost)(:\d+)?$/;

/** The gateway lets only its own host names through, so that a caller cannot choose the host. */
export function serviceAddress(event: APIGatewayProxyEvent): string {
  const host = headerValues(event, 'host').at(-1) ?? event.requestContext.domainName ?? 'localhost';
  return `${LOOPBACK.test(host) ? 'http' : 'https'}://${host}${basePathOf(event)}`;
}
