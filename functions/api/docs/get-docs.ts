import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { Failure } from '../../../shared/domain/values/failure.ts';
import { cacheableReply } from '../../../shared/http/cacheable-reply.ts';
import { publicFailure } from '../../../shared/http/public-failure.ts';
import { headerValues, serviceAddress } from '../../../shared/http/request.ts';
import { fileNamed } from '../../../shared/partner/docs/packed.ts';
import { partnerFacts } from '../../../shared/runtime/env.ts';

/** A page or a file of the partners' documentation, of those packed beside this code. */
export async function handler(event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> {
  const accepts = headerValues(event, 'accept-encoding').join(',');
  const path = event.pathParameters?.['file'] ?? (event.resource === '/docs' ? '' : event.resource.slice(1));
  const brotli = /(^|[\s,])br\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(accepts);
  const file = fileNamed(path, { brotli, facts: { baseUrl: serviceAddress(event), ...partnerFacts() } });
  if (!file) return publicFailure(event, new Failure('rota_nao_encontrada'));
  const { edition, maxAge, headers } = file;
  return { ...cacheableReply(event, edition, maxAge, headers), isBase64Encoded: true };
}
