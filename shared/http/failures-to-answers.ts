import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyResult } from 'aws-lambda';

/** Last of the outer list, so that it sees an error first. */
export function failuresToAnswers<C>(
  answer: (call: C, error: unknown) => APIGatewayProxyResult,
): MiddlewareObj<C, APIGatewayProxyResult> {
  return {
    // Set and not returned: Middy would leave out the middlewares before this one, which record the call.
    onError: (request) => {
      request.response = answer(request.event, request.error);
    },
  };
}
