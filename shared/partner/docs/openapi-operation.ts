import document from '../openapi/openapi.json' with { type: 'json' };
import { refName } from '../openapi/ref-name.ts';

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly maxLength?: number;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly description?: string;
}

export interface JsonContent {
  readonly schema?: Schema;
  readonly examples?: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;
}

interface Reference {
  readonly $ref: string;
}

interface Response {
  readonly description: string;
  readonly content?: Readonly<Record<string, JsonContent>>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description: string;
  readonly schema: Schema;
  readonly example?: unknown;
}

export interface OpenApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security: readonly unknown[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: { readonly 'application/json': JsonContent } };
  readonly responses: Readonly<Record<string, Response | Reference>>;
}

const PATHS: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>> = document.paths;

const WEBHOOKS: Readonly<Record<string, { readonly post: OpenApiOperation }>> = document.webhooks;

const RESPONSES: Readonly<Record<string, Response>> = document.components.responses;

export const SCHEMAS: Readonly<Record<string, Schema>> = document.components.schemas;

export const OPERATIONS = Object.entries(PATHS).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
);

/** Every event. Its id is its `type`. */
export const EVENTS = Object.values(WEBHOOKS).map(({ post }) => post);

/** Throws an Error if there is no such operation. */
export function operationNamed(id: string): (typeof OPERATIONS)[number] {
  const found = OPERATIONS.find(({ operationId }) => operationId === id);
  if (!found) throw new Error(`no operation ${id}`);
  return found;
}

/** Throws an Error if the document has no such response. */
export function resolved(response: Response | Reference): Response {
  if (!('$ref' in response)) return response;
  const shared = RESPONSES[refName(response.$ref)];
  if (!shared) throw new Error(`no response ${response.$ref}`);
  return shared;
}

/** An answer is `POST`, `/v1/leads`, `201`; an event is `analise.resultado`. */
function contentAt([first = '', path = '', status]: readonly string[]): Response['content'] {
  if (status === undefined) return WEBHOOKS[first]?.post.requestBody?.content;
  const response = PATHS[path]?.[first.toLowerCase()]?.responses[status];
  return response && resolved(response).content;
}

/**
 * `which` is `POST /v1/leads 201 criado` for an answer, `analise.resultado aprovado` for an event. Throws an Error if
 * there is no such example.
 */
export function exampleNamed(which: string): unknown {
  const place = which.split(' ');
  const name = place.pop() ?? '';
  const example = contentAt(place)?.['application/json']?.examples?.[name];
  if (!example) throw new Error(`no example ${which}`);
  return example.value;
}
