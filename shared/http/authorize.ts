import type { Route } from '../contract/routes.ts';
import { Failure } from '../domain/values/failure.ts';
import type { Call } from './request.ts';

/** Whether the key's scopes allow the route (403). */
export function authorize({ steps: { caller } }: Call, { scope }: Pick<Route, 'scope'>): void {
  if (scope === 'public' || scope === 'any') return;
  if (!caller?.scopes.includes(scope)) throw new Failure('sem_permissao');
}
