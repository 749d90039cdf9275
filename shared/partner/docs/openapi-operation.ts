import document from '../openapi/openapi.json' with { type: 'json' };

/** The parts of an operation or event of the OpenAPI document that the documentation reads. */
export interface OpenApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly responses: Readonly<Record<string, unknown>>;
}

interface Content {
  readonly content?: {
    readonly 'application/json'?: { readonly examples?: Readonly<Record<string, { readonly value: unknown }>> };
  };
}

const PATHS = document.paths as unknown as Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;

/** Fragments of the reference's address. */
export const anchors = {
  operation: ({ tags, operationId }: OpenApiOperation) => `tag/${encodeURI(tags[0]!)}/${operationId}`,
  webhook: (name: string, { tags }: Pick<OpenApiOperation, 'tags'>) => `tag/${encodeURI(tags[0]!)}/webhook/${name}`,
  schema: (name: string) => `modelos/${name}`,
};

/** Every operation of the OpenAPI document, with its method, path and anchor. */
export const OPERATIONS = Object.entries(PATHS).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    ...operation,
    method: method.toUpperCase(),
    path,
    anchor: anchors.operation(operation),
  })),
);

/** The operation of an id. Throws where there is none. */
export function operationNamed(id: string): (typeof OPERATIONS)[number] {
  const found = OPERATIONS.find(({ operationId }) => operationId === id);
  if (!found) throw new Error(`no operation ${id}`);
  return found;
}

/** The response itself, where a reference to a shared one is given. */
export function resolved(response: unknown): unknown {
  const { $ref } = response as { readonly $ref?: string };
  const shared = document.components.responses as Readonly<Record<string, unknown>>;
  return $ref ? shared[$ref.split('/').at(-1)!] : response;
}

/** An example's value: `POST /v1/leads 201 criado` of an answer, `analise.resultado aprovado` of an event. Throws where there is none. */
export function exampleNamed(which: string): unknown {
  const parts = which.split(' ');
  const name = parts.at(-1)!;
  const events = document.webhooks as unknown as Readonly<
    Record<string, { readonly post: { readonly requestBody: Content } }>
  >;
  const place =
    parts.length === 2
      ? events[parts[0]!]?.post.requestBody
      : resolved(PATHS[parts[1]!]?.[parts[0]!.toLowerCase()]?.responses[parts[2]!] ?? {});
  const example = (place as Content | undefined)?.content?.['application/json']?.examples?.[name];
  if (!example) throw new Error(`no example ${which}`);
  return example.value;
}
