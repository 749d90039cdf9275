import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { failureAnswer } from '../../../shared/contract/failures.ts';
import { Failure } from '../../../shared/domain/values/failure.ts';
import { cacheableReply } from '../../../shared/http/cacheable-reply.ts';
import { publicReply } from '../../../shared/http/public-reply.ts';
import { headerValues, requestIdOf } from '../../../shared/http/request.ts';
import { serviceAddress } from '../../../shared/http/service-address.ts';
import { fileNamed } from '../../../shared/partner/docs/packed.ts';
import { partnerFacts } from '../../../shared/runtime/env.ts';

/** A page or a file of the partners' documentation, of those packed beside this code. */
export async function handler(event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> {
  const accepts = headerValues(event, 'accept-encoding').join(',');
  const path = event.pathParameters?.['file'] ?? (event.resource === '/docs' ? '' : event.resource.slice(1));
  const brotli = /(^|[\s,])br\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(accepts);
  const file = fileNamed(path, { brotli, facts: { baseUrl: serviceAddress(event), ...partnerFacts() } });
  if (!file) {
    const { status, headers, body } = failureAnswer(new Failure('rota_nao_encontrada'), requestIdOf(event));
    return publicReply(event, status, JSON.stringify(body), headers);
  }
  const { edition, maxAge, headers } = file;
  return { ...cacheableReply(event, edition, maxAge, headers), isBase64Encoded: true };
}
