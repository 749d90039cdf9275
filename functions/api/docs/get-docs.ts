import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { Failure } from '#shared/domain/values/failure.ts';
import { publicFailure } from '#shared/http/partner/reply.ts';
import { publicCall } from '#shared/http/public-call.ts';
import { cacheableReply, inBase64 } from '#shared/http/public-reply.ts';
import { headerValues, serviceAddress } from '#shared/http/request.ts';
import { fileNamed } from '#shared/partner/docs/packed.ts';
import { partnerFacts } from '#shared/runtime/env.ts';

export const handler = publicCall('get-docs', serve, (event) => publicFailure(event, new Failure('erro_interno')));

function serve(event: APIGatewayProxyEvent): APIGatewayProxyResult {
  const accepts = headerValues(event, 'accept-encoding').join(',');
  const name =
    event.pathParameters?.['file'] ?? (event.resource === '/docs' ? '' : (event.resource.split('/').at(-1) ?? ''));
  const isPackage = event.resource === '/docs/pacotes/{file}';
  const file = fileNamed(isPackage ? `pacotes/${name}` : name, {
    accepts,
    facts: { baseUrl: serviceAddress(event), ...partnerFacts() },
  });
  if (!file) return publicFailure(event, new Failure('rota_nao_encontrada'));
  const { edition, maxAge, headers } = file;
  return inBase64(cacheableReply(event, edition, maxAge, headers));
}
