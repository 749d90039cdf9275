import { Failure } from '#shared/domain/values/failure.ts';
import { isClockRight } from '#shared/runtime/background-runs.ts';
import { SafeError } from '#shared/runtime/log.ts';
import type { Check } from './checks.ts';
import type { Call } from './request.ts';

/**
 * Later runs judge by the moments that a call writes. So a call that may write is refused (`servico_indisponivel`) if
 * the clock differs by more than five minutes from the gateway's.
 */
export const rightClock: Check<Call, object> = {
  before({ event }) {
    const { httpMethod, requestContext } = event;
    if (httpMethod === 'GET' || isClockRight(Date.now() - requestContext.requestTimeEpoch)) return {};
    throw new Failure('servico_indisponivel', {
      cause: new SafeError("the clock of this function's container is wrong: see RUNBOOK.md, runs-wrong"),
    });
  },
};
