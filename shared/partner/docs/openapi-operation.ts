import document from '../openapi/openapi.json' with { type: 'json' };

/** As much of a schema as the documentation tells. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly maxLength?: number;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly description?: string;
}

export interface JsonContent {
  readonly schema?: Schema;
  readonly examples?: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;
}

interface Response {
  readonly description: string;
  readonly content?: { readonly 'application/json'?: JsonContent };
}

interface Parameter {
  readonly name: string;
  readonly in: 'header' | 'path' | 'query';
  readonly required?: boolean;
  readonly description: string;
  readonly schema: Schema;
  readonly example?: unknown;
}

/** The parts of an operation or event of the OpenAPI document that the documentation reads. */
export interface OpenApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security: readonly unknown[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: { readonly 'application/json': JsonContent } };
  readonly responses: Readonly<Record<string, unknown>>;
}

const PATHS = document.paths as unknown as Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;

const WEBHOOKS = document.webhooks as unknown as Readonly<Record<string, { readonly post: OpenApiOperation }>>;

/** Every operation of the OpenAPI document, with its method and path. */
export const OPERATIONS = Object.entries(PATHS).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
);

/** Every event; its id is its `type`. */
export const EVENTS = Object.values(WEBHOOKS).map(({ post }) => post);

/** The operation of an id. Throws where there is none. */
export function operationNamed(id: string): (typeof OPERATIONS)[number] {
  const found = OPERATIONS.find(({ operationId }) => operationId === id);
  if (!found) throw new Error(`no operation ${id}`);
  return found;
}

/** The response itself, where a reference to a shared one is given. */
export function resolved(response: unknown): Response {
  const { $ref } = response as { readonly $ref?: string };
  const shared = document.components.responses as Readonly<Record<string, unknown>>;
  return ($ref ? shared[$ref.split('/').at(-1)!] : response) as Response;
}

/** An example's value: `POST /v1/leads 201 criado` of an answer, `analise.resultado aprovado` of an event. Throws where there is none. */
export function exampleNamed(which: string): unknown {
  const parts = which.split(' ');
  const response = PATHS[parts[1]!]?.[parts[0]!.toLowerCase()]?.responses[parts[2]!];
  const { content } = parts.length === 2 ? (WEBHOOKS[parts[0]!]?.post.requestBody ?? {}) : resolved(response ?? {});
  const example = content?.['application/json']?.examples?.[parts.at(-1)!];
  if (!example) throw new Error(`no example ${which}`);
  return example.value;
}
