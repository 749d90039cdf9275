import type { MethodPlan } from '../blueprint.ts';

export interface Match {
  /** The path as API Gateway writes it, `/v1/leads/{id}`. */
  readonly resource: string;
  readonly function: string;
  /** Whether the caller has to sign the request. */
  readonly signed: boolean;
  readonly parameters: Readonly<Record<string, string>> | null;
}

/** A path of the API. */
interface Resource {
  readonly path: string;
  readonly pattern: RegExp;
  /** For each part: 0 literal, 1 a parameter, 2 `{name+}`, which takes whatever is left. The lowest is tried first. */
  readonly rank: string;
  /** By HTTP method. */
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

/** The methods that ANY stands for: others reach no function. */
const ANY = new Set(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']);

/**
 * Finds methods as API Gateway does: literal parts before parameters before greedy ones, a named method before ANY. A
 * slash at the end says nothing; a doubled one is an empty part, which only `{proxy+}` takes.
 */
export class Router {
  private readonly resources: readonly Resource[];

  constructor(methods: readonly MethodPlan[]) {
    const byPath = [...Map.groupBy(methods, ({ path }) => path)];
    this.resources = byPath.map(([path, plans]) => resourceOf(path, plans)).sort((a, b) => (a.rank < b.rank ? -1 : 1));
  }

  /** The method for a path as it was sent, percent-encoding untouched; an empty part matches no parameter. */
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
