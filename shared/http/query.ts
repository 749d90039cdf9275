import type { APIGatewayProxyEvent } from 'aws-lambda';
import { parametersRepeated } from '../contract/request-failures.ts';

/** Throws 400 if a parameter comes more than once. */
export function parseQuery(event: APIGatewayProxyEvent): Readonly<Record<string, string>> {
  const given = Object.entries(event.multiValueQueryStringParameters ?? {});
  const repeated = given.filter(([, values]) => (values?.length ?? 0) > 1);
  if (repeated.length > 0) throw parametersRepeated(repeated.map(([name]) => name));
  return Object.fromEntries(given.map(([name, values]) => [name, values?.[0] ?? '']));
}
