import { scopesMissing } from '#shared/contract/request-failures.ts';
import type { Route } from '#shared/contract/routes.ts';
import { type Caller, SCOPES } from '#shared/domain/partners/partner.ts';
import type { Check } from '../checks.ts';

/** Throws 403 `sem_permissao` if the key's scopes do not allow the route. */
export function authorize({ scope }: Pick<Route, 'scope'>): Check<{ readonly caller: Caller }, object> {
  return {
    before({ caller: { scopes } }) {
      if (scope === 'public' || scope === 'any') return {};
      const needed = scope === 'all' ? SCOPES : [scope];
      const missing = needed.filter((one) => !scopes.includes(one));
      if (missing.length > 0) throw scopesMissing(missing);
      return {};
    },
  };
}
