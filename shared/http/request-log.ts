import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { beginLog } from '../runtime/log.ts';
import { takeTableUse } from '../runtime/metrics.ts';
import { type Call, requestIdOf } from './request.ts';

export type Recorder<C> = (call: C, status: number, error?: unknown) => void;

export function requestLog<C extends Call>(
  operation: string,
  record: Recorder<C>,
): MiddlewareObj<C, APIGatewayProxyResult> {
  return {
    before: ({ event: { event } }) => {
      takeTableUse();
      beginLog({ request_id: requestIdOf(event), operation });
    },
    after: ({ event: call, response }) => record(call, statusOf(response)),
    onError: ({ event: call, response, error }) => record(call, statusOf(response), error),
  };
}

/** API Gateway answers 502 for a function that returns nothing. */
const statusOf = (response: APIGatewayProxyResult | null | undefined): number => response?.statusCode ?? 502;
