import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { cacheableReply, type Edition, editionOf } from './cacheable-reply.ts';

/** Seconds for which a copy serves without asking again. */
const MAX_AGE = 300;

/** The handler that answers one JSON document, the same for everyone, made into text at its first call. */
export function documentEndpoint(document: object) {
  let edition: Edition | undefined;
  return async (event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> => {
    edition ??= editionOf(JSON.stringify(document));
    return cacheableReply(event, edition, MAX_AGE);
  };
}
