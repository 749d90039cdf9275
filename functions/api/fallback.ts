import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { nearestRoute } from '../../shared/contract/nearest-route.ts';
import { routeNotFound } from '../../shared/contract/request-failures.ts';
import { ROUTES } from '../../shared/contract/routes.ts';
import { Failure } from '../../shared/domain/values/failure.ts';
import { publicFailure } from '../../shared/http/public-failure.ts';

/** Answers what no route does: 405 with Allow where the path exists, else 404 with the route that was probably meant. */
export async function handler(event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> {
  const methods = ROUTES.filter(({ path, files = [] }) =>
    [path, ...files].includes(event.resource as `/${string}`),
  ).map(({ method }) => method);
  const failure =
    methods.length > 0
      ? new Failure('metodo_nao_permitido', { headers: { Allow: methods.join(', ') } })
      : routeNotFound(nearestRoute(event.httpMethod, event.path));
  return publicFailure(event, failure);
}
