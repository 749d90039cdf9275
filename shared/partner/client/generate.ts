import openapiTypescript, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { ROUTES } from '../../contract/routes.ts';

/**
 * What the client knows about the interface: the types that openapi-typescript derives from the document, and each operation's
 * method, path and whether it takes an Idempotency-Key.
 */
export async function generatedTypes(document: object): Promise<string> {
  const types = astToString(await openapiTypescript(document as OpenAPI3));
  const rows = ROUTES.filter(({ tag }) => tag !== 'docs').map(
    ({ operation, method, path, idempotency }) =>
      `  '${operation}': ['${method}', '${path}', ${idempotency !== 'none'}],`,
  );
  return `${types}\nexport const OPERATIONS = {\n${rows.join('\n')}\n} as const;\n`;
}
