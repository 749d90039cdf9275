import type { MethodPlan } from '../blueprint.ts';

interface Node {
  readonly path: string;
  readonly children: Map<string, Node>;
  parameter: { readonly name: string; readonly node: Node } | undefined;
  /** `{name+}`: whatever is left of the path. */
  greedy: { readonly name: string; readonly node: Node } | undefined;
  /** By HTTP method. */
  readonly methods: Map<string, MethodPlan>;
}

export interface Match {
  /** The path as API Gateway writes it, `/v1/leads/{id}`. */
  readonly resource: string;
  readonly function: string;
  /** Whether the caller has to sign the request. */
  readonly signed: boolean;
  readonly parameters: Readonly<Record<string, string>> | null;
}

function emptyNode(path: string): Node {
  return { path, children: new Map(), parameter: undefined, greedy: undefined, methods: new Map() };
}

function childOf(node: Node, part: string): Node {
  const path = node.path === '/' ? `/${part}` : `${node.path}/${part}`;
  const name = /^\{(\w+)(\+?)\}$/.exec(part);
  if (!name) {
    const child = node.children.get(part) ?? emptyNode(path);
    node.children.set(part, child);
    return child;
  }
  if (name[2]) {
    node.greedy ??= { name: name[1]!, node: emptyNode(path) };
    return node.greedy.node;
  }
  node.parameter ??= { name: name[1]!, node: emptyNode(path) };
  return node.parameter.node;
}

/** The methods that ANY stands for: others reach no function. */
const ANY = new Set(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']);

/**
 * Finds methods as API Gateway does: literal parts before parameters before greedy ones, a named method before ANY. A
 * slash at the end says nothing; a doubled one is an empty part, which only `{proxy+}` takes.
 */
export class Router {
  private readonly root: Node = emptyNode('/');

  constructor(methods: readonly MethodPlan[]) {
    for (const plan of methods) {
      let node = this.root;
      for (const part of plan.path.split('/').slice(1)) if (part) node = childOf(node, part);
      node.methods.set(plan.method, plan);
    }
  }

  /** The method for a path as it was sent, percent-encoding untouched; an empty part matches no parameter. */
  match(method: string, path: string): Match | undefined {
    const parts = path
      .replace(/(?<=.)\/$/, '')
      .split('/')
      .slice(1);
    if (parts.length === 1 && parts[0] === '') parts.pop();
    const found = this.walk(this.root, parts, {});
    const plan = found?.node.methods.get(method) ?? (ANY.has(method) ? found?.node.methods.get('ANY') : undefined);
    if (!found || !plan) return undefined;
    const parameters = Object.keys(found.parameters).length > 0 ? found.parameters : null;
    return { resource: found.node.path, function: plan.function, signed: plan.signed ?? false, parameters };
  }

  private walk(
    node: Node,
    parts: readonly string[],
    parameters: Readonly<Record<string, string>>,
  ): { node: Node; parameters: Readonly<Record<string, string>> } | undefined {
    const [part, ...rest] = parts;
    if (part === undefined) return node.methods.size > 0 ? { node, parameters } : undefined;
    const child = node.children.get(part);
    const literal = child && this.walk(child, rest, parameters);
    if (literal) return literal;
    if (node.parameter && part !== '') {
      const { name, node: next } = node.parameter;
      const found = this.walk(next, rest, { ...parameters, [name]: part });
      if (found) return found;
    }
    if (!node.greedy) return undefined;
    return { node: node.greedy.node, parameters: { ...parameters, [node.greedy.name]: parts.join('/') } };
  }
}
