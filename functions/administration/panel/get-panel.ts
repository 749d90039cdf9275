import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import {
  type AdministrationCode,
  AdministrationFailure,
  administrationAnswer,
} from '#shared/administration/failures.ts';
import { panelHeaders } from '#shared/administration/panel-page.ts';
import { publicCall } from '#shared/http/public-call.ts';
import { cacheableReply, inBase64, publicReply } from '#shared/http/public-reply.ts';
import { headerValues, requestIdOf } from '#shared/http/request.ts';
import { fileNamed } from '#shared/partner/docs/packed.ts';
import { panelFacts } from '#shared/runtime/env.ts';

/** The page may call only its own API and the sign-in. */
export const handler = publicCall('administration-panel', serve, (event) => failed(event, 'internal_error'));

function serve(event: APIGatewayProxyEvent): APIGatewayProxyResult {
  const name = event.pathParameters?.['file'] ?? '';
  const facts = panelFacts();
  const { issuer, login, identityUrl } = facts.signIn;
  const origins = new Set([issuer, login, identityUrl].map((url) => new URL(url).origin));
  const headers = panelHeaders(Array.from(origins));
  if (name === 'sobre') return publicReply(event, 200, JSON.stringify(facts), headers);
  const file = fileNamed(name, { accepts: headerValues(event, 'accept-encoding').join(',') });
  if (!file) return failed(event, 'route_not_found');
  return inBase64(cacheableReply(event, file.edition, file.maxAge, { ...file.headers, ...headers }));
}

function failed(event: APIGatewayProxyEvent, code: AdministrationCode): APIGatewayProxyResult {
  const { status, body } = administrationAnswer(new AdministrationFailure(code), requestIdOf(event));
  return publicReply(event, status, JSON.stringify(body), panelHeaders());
}
