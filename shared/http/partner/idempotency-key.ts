import type { APIGatewayProxyEvent } from 'aws-lambda';
import { keyJoined, keyMalformed, keyMissing, keyRepeated } from '#shared/contract/request-failures.ts';
import type { Route } from '#shared/contract/routes.ts';
import { nearestName } from '#shared/domain/values/nearest-name.ts';
import type { Check } from '../checks.ts';
import { type Call, headerValues } from '../request.ts';

export interface KeyFound {
  readonly idempotencyKey: string | undefined;
  readonly misnamedKey: string | undefined;
}

/** Throws 400 if the header is malformed or repeated, or if the route requires it and it is missing. */
export function idempotencyKey({ idempotency }: Pick<Route, 'idempotency'>): Check<Call, KeyFound> {
  return {
    before({ event }) {
      if (idempotency === 'none') return { idempotencyKey: undefined, misnamedKey: undefined };
      const key = parseIdempotencyKey(event);
      if (key !== undefined) return { idempotencyKey: key, misnamedKey: undefined };
      const misnamedKey = misnamedKeyIn(event);
      if (idempotency === 'required') throw keyMissing(misnamedKey);
      return { idempotencyKey: undefined, misnamedKey };
    },
  };
}

/** Undefined if there is no header. A proxy may join equal headers with commas: `K, K` (RFC 9110, 5.3). */
function parseIdempotencyKey(event: APIGatewayProxyEvent): string | undefined {
  const [value, ...others] = headerValues(event, 'idempotency-key');
  if (others.length > 0) throw keyRepeated();
  if (value === undefined) return undefined;
  if (value.includes(',')) throw keyJoined();
  const key = /^"(.*)"$/.exec(value.trim())?.[1] ?? value.trim();
  if (!/^[\x20-\x7e]{1,255}$/.test(key)) throw keyMalformed();
  return key;
}

function misnamedKeyIn({ multiValueHeaders }: APIGatewayProxyEvent): string | undefined {
  const isNear = (name: string) => nearestName(name.replace(/^x-/i, ''), ['Idempotency-Key']) !== undefined;
  return Object.keys(multiValueHeaders ?? {}).find(
    (name) => /^x-idempotency/i.test(name) || (/idem|key/i.test(name) && isNear(name)),
  );
}
