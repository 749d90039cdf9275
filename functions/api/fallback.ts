import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { nearestRoute } from '#shared/contract/nearest-route.ts';
import { methodNotAllowed, noRouteAtRoot, routeNotFound } from '#shared/contract/request-failures.ts';
import { methodsOf, ROUTES } from '#shared/contract/routes.ts';
import { publicFailure } from '#shared/http/partner/reply.ts';
import { publicReply } from '#shared/http/public-reply.ts';
import { serviceAddress } from '#shared/http/request.ts';

/**
 * If the path exists, OPTIONS gets 204 and any other method 405, both with Allow. Else the answer is 404, with the
 * route that the caller probably meant if one is near enough.
 */
export async function handler(event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> {
  const { httpMethod, path, resource } = event;
  const routes = ROUTES.filter((route) => route.path === resource || route.files?.some((file) => file === resource));
  const methods = routes.flatMap(methodsOf);
  if (methods.length > 0 && httpMethod === 'OPTIONS')
    return publicReply(event, 204, '', { Allow: methods.concat('OPTIONS').join(', ') });
  if (methods.length > 0) return publicFailure(event, methodNotAllowed(httpMethod, methods.concat('OPTIONS')));
  const root = path === '/' && noRouteAtRoot(serviceAddress(event));
  return publicFailure(event, root || routeNotFound(nearestRoute(httpMethod, path)));
}
