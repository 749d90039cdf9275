import { readFileSync } from 'node:fs';
import type { OpenAPI3 } from 'openapi-typescript';
import { ROUTES } from '../../contract/routes.ts';

/** The name of the file that partners get. */
export const CLIENT_FILE = 'credito-imobiliario.ts';

const IMPORT = "import { type components, OPERATIONS, type operations } from './generated.ts';\n";
const text = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8');

const HEAD = `// Cliente da API de crédito imobiliário para parceiros, gerado da descrição OpenAPI que o serviço publica.
// Um arquivo, sem dependências: Node 20 ou mais novo, Deno, Bun. TypeScript 5.7 ou mais novo.
//
//   const api = new PartnerClient({ baseUrl: 'https://...', key: process.env.CHAVE! });
//   const lead = await api.call('create-lead', { body: { nome: 'Marina Duarte Alves', cpf: '900.000.001-75' } });
//   const { body } = await api.call('get-lead', { id: lead.body.lead_id });
`;

/** The client that partners download: one TypeScript file, joined from shared/partner/client/generated.ts and client.ts. */
export function partnerClient(): string {
  const client = text('./client.ts');
  if (!client.startsWith(IMPORT)) throw new Error('client.ts does not begin with its one import');
  return `${HEAD}\n${client.slice(IMPORT.length).trimStart()}\n${text('./generated.ts')}`;
}

/**
 * What the client knows about the interface: the types that openapi-typescript derives from the document, and each operation's
 * method, path and whether it takes an Idempotency-Key.
 */
export async function generatedTypes(document: object): Promise<string> {
  // What serves the client's text has no need of the compiler that this loads.
  const { astToString, default: openapiTypescript } = await import('openapi-typescript');
  const types = astToString(await openapiTypescript(document as OpenAPI3));
  const rows = ROUTES.filter(({ tag }) => tag !== 'docs').map(
    ({ operation, method, path, idempotency }) =>
      `  '${operation}': ['${method}', '${path}', ${idempotency !== 'none'}],`,
  );
  return `${types}\nexport const OPERATIONS = {\n${rows.join('\n')}\n} as const;\n`;
}
