import { type KeyFault, keyRefused } from '../contract/request-failures.ts';
import type { Route } from '../contract/routes.ts';
import { RateExceeded } from '../domain/partners/api-key.ts';
import { SCOPES } from '../domain/partners/partner.ts';
import type { ApiKeyAuth, Caller } from '../domain/partners/ports.ts';
import { Failure } from '../domain/values/failure.ts';
import { addToLog } from '../runtime/log.ts';
import { type Call, headerValues } from './request.ts';

/** Name of the rate policy in the RateLimit headers (IETF draft RateLimit-11). */
const POLICY = '"padrao"';

const rateHeaders = (limit: number, left: number, seconds: number) => ({
  'RateLimit-Policy': `${POLICY};q=${limit};w=60`,
  RateLimit: `${POLICY};r=${left};t=${seconds}`,
});

/** Whether both headers have a key, and not the same: nobody could say which of them was meant. */
function holdsTwo(own: readonly string[], bearer: readonly (string | undefined)[]): boolean {
  const [one, other] = [own[0]?.trim(), bearer[0]];
  return (
    one !== undefined && other !== undefined && one !== other && [one, other].every((key) => key.startsWith('pmc_'))
  );
}

/** The partner's key: X-API-Key, or else Authorization: Bearer; undefined where there is none, or more than one. */
export function keyIn(event: Call): string | undefined {
  const own = headerValues(event, 'x-api-key');
  const bearer = headerValues(event, 'authorization').map((value) => /^Bearer +(\S+)$/i.exec(value)?.[1]);
  if (holdsTwo(own, bearer)) return undefined;
  const keys = own.length > 0 ? own : bearer;
  return keys.length === 1 ? keys[0]?.trim() || undefined : undefined;
}

/** Why a call has no usable key: none, several, or one sent under another scheme. */
function faultWithoutKey(event: Call): KeyFault {
  const own = headerValues(event, 'x-api-key');
  const other = headerValues(event, 'authorization');
  if (own.length > 1 || (own.length === 0 && other.length > 1)) return 'repeated';
  const text = own.length > 0 ? '' : (other[0] ?? '').trim();
  if (own[0]?.trim()) return 'two';
  if (text === '') return whereElse(event);
  if (/^basic\b/i.test(text)) return 'basic';
  return /^["']?pmc_/.test(text) ? 'noBearer' : 'otherScheme';
}

/** Where a key stands that no header of ours has. */
function whereElse({ multiValueQueryStringParameters: query, multiValueHeaders: headers }: Call): KeyFault {
  const among = (values: Call['multiValueHeaders'] | Call['multiValueQueryStringParameters']) =>
    Object.values(values ?? {}).some((all) => all?.some((value) => value.startsWith('pmc_')));
  if (among(query)) return 'inQuery';
  return among(headers) ? 'otherHeader' : 'missing';
}

/** How a refused key was sent wrongly, as its text shows; undefined where it looks like a key. */
function faultOfKey(key: string): KeyFault | undefined {
  if (/^bearer\b/i.test(key)) return 'bearerInKey';
  if (/^["'\u2018\u201c]/.test(key)) return 'quoted';
  if (key.startsWith('whsec_')) return 'webhookSecret';
  return key.startsWith('pmc_') ? undefined : 'noPrefix';
}

/**
 * Who is calling, and whether the rate allows it. Throws `auth_invalid` (401) and `rate_limited` (429). `meanwhile` as
 * the port has it.
 */
export async function authenticate(
  call: Call,
  auth: ApiKeyAuth,
  meanwhile?: Parameters<ApiKeyAuth['authenticate']>[1],
): Promise<Caller> {
  const key = keyIn(call);
  if (key === undefined) throw keyRefused(faultWithoutKey(call));
  const caller = await auth.authenticate(key, meanwhile).catch((error: unknown) => {
    const fault = error instanceof Failure && error.code === 'auth_invalid' ? faultOfKey(key) : undefined;
    if (fault) throw keyRefused(fault);
    if (!(error instanceof RateExceeded)) throw error;
    const retryAfter = error.retryAfter ?? 1;
    throw new Failure(error.code, { retryAfter, headers: rateHeaders(error.limit, 0, retryAfter) });
  });
  call.steps.caller = caller;
  addToLog({ partner: caller.partnerId, unit: caller.unitId, environment: caller.environment, key: caller.keyId });
  return caller;
}

/** The headers that tell an admitted caller what its rate leaves. */
export const rateHeadersOf = ({ steps: { caller } }: Call): Record<string, string> =>
  caller ? rateHeaders(caller.limit, caller.left, caller.resetsIn) : {};

/** Whether the key's scopes allow the route (403). */
export function authorize({ scopes }: Pick<Caller, 'scopes'>, { scope }: Pick<Route, 'scope'>): void {
  if (scope === 'public' || scope === 'any') return;
  const needed = scope === 'all' ? SCOPES : [scope];
  if (!needed.every((one) => scopes.includes(one))) throw new Failure('sem_permissao');
}
