import type * as z from 'zod/mini';
import type { JsonObject } from '#shared/contract/fields.ts';
import type { Notice } from '#shared/contract/notices.ts';
import type { Check } from '../checks.ts';
import { type Beside, noticesOf } from './notices.ts';

interface Fields<Input> {
  readonly input: Input;
  readonly notices: readonly Notice[];
}

/** `parse` throws 400 and 422. A field that the schema does not know is no failure: it becomes a notice. */
export function fields<Found extends Beside & { readonly body: JsonObject }, Input, Ports>(
  schema: z.ZodMiniObject,
  parse: (call: Found, ports: Ports) => Input,
): Check<Found, Fields<Input>, Ports> {
  return {
    before(call, ports) {
      const input = parse(call, ports);
      return { input, notices: noticesOf(call, schema) };
    },
  };
}

/** For a route that takes no fields: each field of the body becomes a notice. */
export function noFields<Found extends Beside & { readonly body: JsonObject }>(
  schema: z.ZodMiniObject,
): Check<Found, Pick<Fields<never>, 'notices'>> {
  return { before: (call) => ({ notices: noticesOf(call, schema) }) };
}

type Query = Readonly<Record<string, string>>;

export function queryFields<Input>(
  parse: (query: Query) => Input,
): Check<{ readonly query: Query }, { readonly input: Input }> {
  return { before: ({ query }) => ({ input: parse(query) }) };
}
