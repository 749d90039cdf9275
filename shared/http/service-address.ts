import type { APIGatewayProxyEvent } from 'aws-lambda';
import { basePathOf, headerValues } from './request.ts';

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
