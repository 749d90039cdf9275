import { fileURLToPath } from 'node:url';
import { bundle, createConfig } from '@redocly/openapi-core';
import * as z from 'zod';

/** The contract with the operator: operator.openapi.yaml. */
export const OPERATOR_CONTRACT = fileURLToPath(
  new URL('../../../shared/operator/operator.openapi.yaml', import.meta.url),
);

interface Media {
  readonly content?: { readonly 'application/json'?: { readonly schema: Parameters<typeof z.fromJSONSchema>[0] } };
}
interface Operation {
  readonly operationId: string;
  readonly requestBody?: Media;
  readonly responses: Readonly<Record<string, Media>>;
}
type Operations = Readonly<Record<string, Readonly<Record<string, Operation>>>>;
interface Contract {
  readonly paths: Operations;
  /** Calls that the operator makes to this service. */
  readonly webhooks: Operations;
  readonly components: { readonly schemas: Readonly<Record<string, Parameters<typeof z.fromJSONSchema>[0]>> };
}

/** Returns functions that find the contract's schemas: by operation and status, and by name. */
export async function operatorContract() {
  const config = await createConfig({});
  const { parsed } = (await bundle({ ref: OPERATOR_CONTRACT, config, dereference: true })).bundle;
  const { paths, webhooks, components } = parsed as Contract;
  const operations = Object.values({ ...paths, ...webhooks }).flatMap((path) =>
    Object.values(path).filter((entry) => entry.operationId),
  );
  const find = (operationId: string) => operations.find((operation) => operation.operationId === operationId);
  const read = (media: Media | undefined) => {
    const schema = media?.content?.['application/json']?.schema;
    if (schema === undefined) throw new Error('the contract documents no such body');
    return z.fromJSONSchema(schema);
  };
  return {
    /** Returns the schema of an answer. Throws if the contract does not document the status for the operation. */
    response: (operationId: string, status: number) => read(find(operationId)?.responses[String(status)]),
    request: (operationId: string) => read(find(operationId)?.requestBody),
    schema: (name: string) => z.fromJSONSchema(components.schemas[name] ?? false),
  };
}
