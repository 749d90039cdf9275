import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { failureAnswer } from '../contract/failures.ts';
import type { Failure } from '../domain/values/failure.ts';
import { publicReply } from './public-reply.ts';
import { basePathOf, requestIdOf } from './request.ts';

/** The answer to a failure of an endpoint that needs no key. In a file of its own: failures bring zod into a bundle. */
export function publicFailure(event: APIGatewayProxyEvent, failure: Failure): APIGatewayProxyResult {
  const { status, headers, body } = failureAnswer(failure, requestIdOf(event), basePathOf(event));
  return publicReply(event, status, JSON.stringify(body), headers);
}
