import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { beginLog, logError } from '../runtime/log.ts';
import { emit } from '../runtime/metrics.ts';
import { requestIdOf } from './request.ts';

/**
 * For calls without a key or a port. An error of `work` is logged and counted. An answer writes no log line, since the
 * gateway writes one.
 */
export function publicCall(
  operation: string,
  work: (event: APIGatewayProxyEvent) => APIGatewayProxyResult,
  failed: (event: APIGatewayProxyEvent) => APIGatewayProxyResult,
) {
  return async (event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> => {
    try {
      return work(event);
    } catch (error) {
      beginLog({ request_id: requestIdOf(event), operation });
      logError('request_failed', error);
      emit({ operation }, { ServerErrors: 1 });
      return failed(event);
    }
  };
}
