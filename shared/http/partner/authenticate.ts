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

/** Whether a call has two different keys: nobody could say which of them the caller meant. */
function holdsTwo(own: readonly string[], bearer: readonly (string | undefined)[]): boolean {
  const ownKey = own[0]?.trim() ?? '';
  const bearerKey = bearer[0] ?? '';
  return ownKey !== bearerKey && ownKey.startsWith('pmc_') && bearerKey.startsWith('pmc_');
}

/** Undefined if there is no key, or more than one. */
export function keyIn(event: APIGatewayProxyEvent): string | undefined {
  const own = headerValues(event, 'x-api-key');
  const bearer = headerValues(event, 'authorization').map((value) => /^Bearer +(\S+)$/i.exec(value)?.[1]);
  if (holdsTwo(own, bearer)) return undefined;
  const keys = own.length > 0 ? own : bearer;
  return keys.length === 1 ? keys[0]?.trim() || undefined : undefined;
}

function faultWithoutKey(event: APIGatewayProxyEvent): KeyFault {
  const own = headerValues(event, 'x-api-key');
  const other = headerValues(event, 'authorization');
  if (own.length > 1 || (own.length === 0 && other.length > 1)) return 'repeated';
  const text = own.length > 0 ? '' : (other[0] ?? '').trim();
  if (own[0]?.trim()) return 'two';
  if (text === '') return findKeyElsewhere(event);
  if (/^Bearer [^,]*,/i.test(text)) return 'repeated';
  if (/^basic\b/i.test(text)) return 'basic';
  return /^["']?pmc_/.test(text) ? 'noBearer' : 'otherScheme';
}

function findKeyElsewhere({
  multiValueQueryStringParameters: query,
  multiValueHeaders: headers,
}: APIGatewayProxyEvent): KeyFault {
  const among = (values: typeof headers | typeof query) =>
    Object.values(values ?? {}).some((all) => all?.some((value) => value.startsWith('pmc_')));
  if (among(query)) return 'inQuery';
  return among(headers) ? 'otherHeader' : 'missing';
}

function faultOfKey(key: string): KeyFault | undefined {
  if (/^bearer\b/i.test(key)) return 'bearerInKey';
  if (/^["'\u2018\u201c]/.test(key)) return 'quoted';
  if (key.startsWith('whsec_')) return 'webhookSecret';
  if (key.includes(',')) return 'repeated';
  return key.startsWith('pmc_') ? undefined : 'noPrefix';
}

/** Checks the key and its rate in one conditional write. Throws 401 `auth_invalid` and 429 `rate_limited`. */
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

function refusalOf(error: unknown, key: string): unknown {
  const fault = error instanceof Failure && error.code === 'auth_invalid' ? faultOfKey(key) : undefined;
  if (fault) return keyRefused(fault);
  if (!(error instanceof RateExceeded)) return error;
  const retryAfter = error.retryAfter ?? 1;
  return new Failure(error.code, { retryAfter, headers: rateHeaders(error.limit, 0, retryAfter) });
}

export const rateHeadersOf = ({ caller }: Pick<PartnerCall, 'caller'>): Record<string, string> =>
  caller ? rateHeaders(caller.limit, caller.left, caller.resetsIn) : {};
