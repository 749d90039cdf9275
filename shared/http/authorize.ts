import type { Route } from '../contract/routes.ts';
import type { Caller } from '../domain/partners/ports.ts';
import { Failure } from '../domain/values/failure.ts';

/** Whether the key's scopes allow the route (403). */
export function authorize({ scopes }: Pick<Caller, 'scopes'>, { scope }: Pick<Route, 'scope'>): void {
  if (scope === 'public' || scope === 'any') return;
  if (!scopes.includes(scope)) throw new Failure('sem_permissao');
}
