import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { cacheableReply, type Edition, editionOf } from '../../../shared/http/cacheable-reply.ts';
import document from '../../../shared/partner/openapi/openapi.json' with { type: 'json' };

/** Seconds for which a copy serves without asking again. */
const MAX_AGE = 300;

let edition: Edition | undefined;

/** The interface's description, the same for everyone. */
export async function handler(event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> {
  edition ??= editionOf(JSON.stringify(document));
  return cacheableReply(event, edition, MAX_AGE);
}
