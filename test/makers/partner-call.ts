import type { APIGatewayProxyResult } from 'aws-lambda';
import { vi } from 'vitest';
import { getAccount, type Route } from '#shared/contract/routes.ts';
import type { RefusedCall } from '#shared/domain/partners/partner.ts';
import { type Caller, SCOPES } from '#shared/domain/partners/partner.ts';
import type { ApiKeyAuth, RefusedCalls } from '#shared/domain/partners/ports.ts';
import { Failure } from '#shared/domain/values/failure.ts';
import type { KeyId, PartnerId, UnitId } from '#shared/domain/values/ids.ts';
import type { Tenancy } from '#shared/domain/values/tenancy.ts';
import type { Handler } from '#shared/http/lambda.ts';
import type { PartnerCall } from '#shared/http/partner/call.ts';
import { type CallOptions, gatewayEvent, lambdaContext } from './call.ts';

/** Returns a caller as admission finds it, in the sandbox and with all scopes. */
export const makeCaller = (changes: Partial<Caller> = {}): Caller => ({
  partnerId: 3 as PartnerId,
  keyId: 'abcde' as KeyId,
  unitId: 11 as UnitId,
  environment: 'sandbox',
  scopes: SCOPES,
  limit: 120,
  left: 117,
  resetsIn: 42,
  ...changes,
});

/** Returns a partner's call as the middlewares see it. */
export function makeCall(
  options: CallOptions = {},
  { route = getAccount, caller }: { route?: Route; caller?: Caller | undefined } = {},
): PartnerCall {
  return { event: gatewayEvent(route, options), route, startedAt: Date.now(), caller };
}

/**
 * API keys in memory, each with a function that returns its caller. Like the table's adapter, the port calls
 * `meanwhile` while it checks a key, with the tenancy that the key had last time.
 */
export function memoryAuth(keys: Readonly<Record<string, () => Caller | Promise<Caller>>>): ApiKeyAuth {
  const admitted = new Map<string, Tenancy>();
  return {
    async authenticate(key, meanwhile) {
      const answerQuestion = keys[key];
      if (!answerQuestion) throw new Failure('auth_invalid');
      const answer = answerQuestion();
      const lastTenancy = admitted.get(key);
      if (lastTenancy) meanwhile?.(lastTenancy);
      const caller = await answer;
      admitted.set(key, { unitId: caller.unitId, environment: caller.environment });
      return caller;
    },
  };
}

/** Refused calls in memory. `noted` lists them with their tenancies. */
export function memoryRefusals(): RefusedCalls & { readonly noted: { tenancy: Tenancy; call: RefusedCall }[] } {
  const noted: { tenancy: Tenancy; call: RefusedCall }[] = [];
  return {
    noted,
    note: async ({ unitId, environment }, call) => void noted.push({ tenancy: { unitId, environment }, call }),
    newest: async () => noted.map(({ call }) => call).toReversed(),
  };
}

/** Calls a handler in this process, as the gateway would. Returns its answer. */
export function invokeHandler(
  handler: Handler,
  route: Pick<Route, 'method' | 'path'>,
  options: CallOptions = {},
): Promise<APIGatewayProxyResult> {
  return handler(gatewayEvent(route, options), lambdaContext(options.remaining));
}

/** Runs a function. Returns the JSON lines that the function has written to the log, messages and metrics, in order. */
export async function captureLogLines(run: () => unknown): Promise<Readonly<Record<string, unknown>>[]> {
  const written: string[] = [];
  const write = process.stdout.write.bind(process.stdout);
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written.push(String(text));
    return write(text);
  });
  try {
    await run();
  } finally {
    spy.mockRestore();
  }
  return written.filter((text) => text.startsWith('{')).map((text) => JSON.parse(text));
}
