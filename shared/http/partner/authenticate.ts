import type { APIGatewayProxyEvent } from 'aws-lambda';
import { type KeyFault, keyRefused } from '#shared/contract/request-failures.ts';
import { RateExceeded } from '#shared/domain/partners/api-key.ts';
import type { ApiKeyAuth, Caller } from '#shared/domain/partners/ports.ts';
import { Failure } from '#shared/domain/values/failure.ts';
import { addToLog } from '#shared/runtime/log.ts';
import type { Check } from '../checks.ts';
import { headerValues } from '../request.ts';
import type { PartnerCall } from './call.ts';

/** Name of the rate policy in the RateLimit headers (IETF draft RateLimit-11). */
const POLICY = '"padrao"';

const rateHeaders = (limit: number, left: number, seconds: number) => ({
  'RateLimit-Policy': `${POLICY};q=${limit};w=60`,
  RateLimit: `${POLICY};r=${left};t=${seconds}`,
});

/** Whether the two headers have different keys. Nobody could say which of them the caller meant. */
function holdsTwo(own: readonly string[], bearer: readonly (string | undefined)[]): boolean {
  const ownKey = own[0]?.trim() ?? '';
  const bearerKey = bearer[0] ?? '';
  return ownKey !== bearerKey && ownKey.startsWith('pmc_') && bearerKey.startsWith('pmc_');
}

/**
 * Returns the partner's key: X-API-Key, or else Authorization: Bearer. Undefined if there is no key, or more than one.
 */
export function keyIn(event: APIGatewayProxyEvent): string | undefined {
  const own = headerValues(event, 'x-api-key');
  const bearer = headerValues(event, 'authorization').map((value) => /^Bearer +(\S+)$/i.exec(value)?.[1]);
  if (holdsTwo(own, bearer)) return undefined;
  const keys = own.length > 0 ? own : bearer;
  return keys.length === 1 ? keys[0]?.trim() || undefined : undefined;
}

/** Returns why a call has no usable key: there is none, there are several, or the key has another scheme or place. */
function faultWithoutKey(event: APIGatewayProxyEvent): KeyFault {
  const own = headerValues(event, 'x-api-key');
  const other = headerValues(event, 'authorization');
  if (own.length > 1 || (own.length === 0 && other.length > 1)) return 'repeated';
  const text = own.length > 0 ? '' : (other[0] ?? '').trim();
  if (own[0]?.trim()) return 'two';
  if (text === '') return whereElse(event);
  if (/^Bearer [^,]*,/i.test(text)) return 'repeated';
  if (/^basic\b/i.test(text)) return 'basic';
  return /^["']?pmc_/.test(text) ? 'noBearer' : 'otherScheme';
}

/** Returns `inQuery` or `otherHeader` if a key was sent in the wrong place, else `missing`. */
function whereElse({
  multiValueQueryStringParameters: query,
  multiValueHeaders: headers,
}: APIGatewayProxyEvent): KeyFault {
  const among = (values: typeof headers | typeof query) =>
    Object.values(values ?? {}).some((all) => all?.some((value) => value.startsWith('pmc_')));
  if (among(query)) return 'inQuery';
  return among(headers) ? 'otherHeader' : 'missing';
}

/** Returns the mistake that the text of a refused key shows. Undefined if the text looks like a key. */
function faultOfKey(key: string): KeyFault | undefined {
  if (/^bearer\b/i.test(key)) return 'bearerInKey';
  if (/^["'\u2018\u201c]/.test(key)) return 'quoted';
  if (key.startsWith('whsec_')) return 'webhookSecret';
  if (key.includes(',')) return 'repeated';
  return key.startsWith('pmc_') ? undefined : 'noPrefix';
}

/**
 * Checks the key and its rate in one conditional write, and adds the caller. Throws 401 `auth_invalid` and 429
 * `rate_limited`.
 */
export const authenticate: Check<PartnerCall, { readonly caller: Caller }, { readonly auth: ApiKeyAuth }> = {
  async before({ event, meanwhile }, { auth }) {
    const key = keyIn(event);
    if (key === undefined) throw keyRefused(faultWithoutKey(event));
    const caller = await auth.authenticate(key, meanwhile).catch((error: unknown) => {
      throw refusalOf(error, key);
    });
    addToLog({ partner: caller.partnerId, unit: caller.unitId, environment: caller.environment, key: caller.keyId });
    return { caller };
  },
};

/**
 * Returns the failure for a key that was not admitted. For a key with a visible mistake, its text says how to correct
 * the key. For a spent rate, it has the RateLimit headers.
 */
function refusalOf(error: unknown, key: string): unknown {
  const fault = error instanceof Failure && error.code === 'auth_invalid' ? faultOfKey(key) : undefined;
  if (fault) return keyRefused(fault);
  if (!(error instanceof RateExceeded)) return error;
  const retryAfter = error.retryAfter ?? 1;
  return new Failure(error.code, { retryAfter, headers: rateHeaders(error.limit, 0, retryAfter) });
}

/** Returns headers that tell an admitted caller how many calls are left. Empty before the key has been checked. */
export const rateHeadersOf = ({ caller }: Pick<PartnerCall, 'caller'>): Record<string, string> =>
  caller ? rateHeaders(caller.limit, caller.left, caller.resetsIn) : {};
