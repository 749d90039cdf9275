import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyResult } from 'aws-lambda';

/** The last middleware of the outer list sees an error first. */
export function failuresToAnswers<C>(
  answer: (call: C, error: unknown) => APIGatewayProxyResult,
): MiddlewareObj<C, APIGatewayProxyResult> {
  return {
    // The response is set and not returned: otherwise Middy would leave out the earlier middlewares, which record the
    // call.
    onError: (request) => {
      request.response = answer(request.event, request.error);
    },
  };
}
