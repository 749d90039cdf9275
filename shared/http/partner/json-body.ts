import type { JsonObject } from '#shared/contract/fields.ts';
import type { Route } from '#shared/contract/routes.ts';
import type { Check } from '../checks.ts';
import { parseBody } from '../json-body.ts';
import type { Call } from '../request.ts';

/** Throws 415, 413 and 400. A GET has no body: whatever comes with it is not read. */
export function jsonBody({ method }: Pick<Route, 'method'>): Check<Call, { readonly body: JsonObject }> {
  return { before: ({ event }) => ({ body: method === 'GET' ? {} : parseBody(event) }) };
}
