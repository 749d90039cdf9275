import type { MethodPlan } from '../blueprint.ts';

export interface Match {
  readonly resource: string;
  readonly function: string;
  readonly signed: boolean;
  readonly parameters: Readonly<Record<string, string>> | null;
}

interface Resource {
  readonly path: string;
  readonly pattern: RegExp;
  /** One digit for each part of the path: 0 literal, 1 a parameter, 2 `{name+}`. Lower ranks are tried first. */
  readonly rank: string;
  readonly methods: ReadonlyMap<string, MethodPlan>;
}

function resourceOf(path: string, plans: readonly MethodPlan[]): Resource {
  const parts = path.split('/').filter((part) => part !== '');
  const named = parts.map((part) => /^\{(\w+)(\+?)\}$/.exec(part));
  const patterns = parts.map((part, index) => {
    const [, name, greedy] = named[index] ?? [];
    if (name === undefined) return `/${part.replace(/\W/g, '\\$&')}`;
    return greedy ? `/(?<${name}>.*)` : `/(?<${name}>[^/]+)`;
  });
  return {
    path,
    pattern: new RegExp(`^${patterns.join('')}$`, 's'),
    rank: named.map((name) => (name === null ? 0 : name[2] ? 2 : 1)).join(''),
    methods: new Map(plans.map((plan) => [plan.method, plan])),
  };
}

/** The methods that ANY covers. Other methods reach no function. */
const ANY = new Set(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']);

/**
 * Finds methods as API Gateway does: literal parts before parameters before greedy parameters, and a named method
 * before ANY. A slash at the end is ignored. A doubled slash makes an empty part, which only `{proxy+}` matches.
 */
export class Router {
  private readonly resources: readonly Resource[];

  constructor(methods: readonly MethodPlan[]) {
    const byPath = [...Map.groupBy(methods, ({ path }) => path)];
    this.resources = byPath.map(([path, plans]) => resourceOf(path, plans)).sort((a, b) => (a.rank < b.rank ? -1 : 1));
  }

  /** The path is not decoded. An empty part matches no parameter. */
  match(method: string, path: string): Match | undefined {
    const trimmed = path.replace(/(?<=.)\/$/, '');
    const sent = trimmed === '/' ? '' : trimmed;
    for (const { path: resource, pattern, methods } of this.resources) {
      const found = pattern.exec(sent);
      if (!found) continue;
      const plan = methods.get(method) ?? (ANY.has(method) ? methods.get('ANY') : undefined);
      if (!plan) return undefined;
      const parameters = found.groups ? { ...found.groups } : null;
      return { resource, function: plan.function, signed: plan.signed ?? false, parameters };
    }
    return undefined;
  }
}
