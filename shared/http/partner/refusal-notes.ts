import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { fieldsToKeep } from '#shared/domain/partners/partner.ts';
import type { RefusedCalls } from '#shared/domain/partners/ports.ts';
import type { Clock } from '#shared/domain/values/clock.ts';
import { Failure } from '#shared/domain/values/failure.ts';
import { withDeadline } from '#shared/runtime/deadline.ts';
import { logError } from '#shared/runtime/log.ts';
import { timeLeft } from '../deadline.ts';
import { requestIdOf } from '../request.ts';
import type { PartnerCall } from './call.ts';

const PATIENCE_MS = 500;
const NOT_NOTED: readonly number[] = [401, 429];

interface Ports {
  readonly refusals: RefusedCalls;
  readonly clock: Clock;
}

/** Notes a refused sandbox call for GET /v1/erros, but no 401, 429 or 5xx. Never throws. */
export function refusalNotes(ports: () => Ports): MiddlewareObj<PartnerCall, APIGatewayProxyResult> {
  return {
    onError: async ({ event: call, response, error, context }) => {
      const { caller } = call;
      if (!(error instanceof Failure) || !response || caller?.environment !== 'sandbox') return;
      const left = timeLeft(context);
      if (response.statusCode >= 500 || NOT_NOTED.includes(response.statusCode) || left <= 0) return;
      try {
        const { refusals, clock } = ports();
        const refused = {
          at: clock(),
          method: call.route.method,
          path: call.route.path,
          code: error.code,
          fields: fieldsToKeep(error),
          requestId: requestIdOf(call.event),
        };
        await withDeadline(Math.min(PATIENCE_MS, left), () => refusals.note(caller, refused));
      } catch (failure) {
        logError('refusal_not_noted', failure);
      }
    },
  };
}
