import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CLIENT_FILE, partnerClient } from '#shared/partner/client/clients.ts';
import { archives, storedArchive } from '#shared/partner/client/pack.ts';
import { clientPackages, packageBytes } from '#shared/partner/client/packages.ts';

const project = join(import.meta.dirname, '../../..');
const folder = mkdtempSync(join(tmpdir(), 'partner-credit-client-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// The settings are as strict as in any partner's project, and without Node's types: the file must compile unchanged.
const STRICT = {
  strict: true,
  noEmit: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noImplicitOverride: true,
  noUnusedLocals: true,
  erasableSyntaxOnly: true,
  verbatimModuleSyntax: true,
  allowImportingTsExtensions: true,
  target: 'es2022',
  module: 'nodenext',
  lib: ['es2022', 'dom', 'dom.iterable'],
  types: [],
};

const USE = `
import { PartnerClient, verifyWebhook, type Event } from './${CLIENT_FILE}';
const api = new PartnerClient({ baseUrl: 'https://api.example', key: 'pmc_k' });
const { lead_id, reaproveitado } = (await api.call('create-lead', { body: { nome: 'A', cpf: '900.000.001-75' } })).body;
const simulated = await api.call('create-simulation', { body: { lead_id, bancos: ['itau', 2] }, idempotencyKey: 'a' });
const pdf: Uint8Array = (await api.call('get-simulation-pdf', { id: simulated.body.resultado.id_oportunidade })).body;
await api.call('update-lead', { id: lead_id });
await api.call('update-lead', { id: lead_id, body: { renda: null } });
await api.call('list-lead-analyses', { id: lead_id, query: { limit: 3 }, signal: AbortSignal.timeout(5) });
const { situacao } = (await api.call('get-analysis-status', { id: 1 })).body.analise;
const event: Event = await verifyWebhook(new Uint8Array(), new Headers(), 'whsec_');
if (event.type === 'analise.erro') event.data.motivo satisfies string;
export const all = [reaproveitado satisfies boolean, pdf.length, situacao === 'aprovado'];
// @ts-expect-error no such situation
situacao === 'aprovada';
// @ts-expect-error no such operation
await api.call('delete-lead', { id: 1 });
// @ts-expect-error the CPF is missing
await api.call('create-lead', { body: { nome: 'A' } });
// @ts-expect-error the body is missing
await api.call('submit-analyses', {});
// @ts-expect-error a reading has no body
await api.call('get-lead', { id: 1, body: {} });
// @ts-expect-error the id is missing
await api.call('get-lead', {});
// @ts-expect-error no such field in the answer
(await api.call('get-account', {})).body.nome;
`;

beforeAll(() => {
  writeFileSync(join(folder, CLIENT_FILE), partnerClient());
  writeFileSync(join(folder, 'use.ts'), USE);
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: STRICT, include: ['*.ts'] }));
});

it.each(['node_modules/typescript/bin/tsc', 'shared/partner/client/node_modules/typescript/bin/tsc'])(
  "the client's single file compiles in a strict project, which gets the types of the contract (%s)",
  async (compiler) => {
    const { stdout } = await promisify(execFile)(process.execPath, [join(project, compiler), '-p', folder]).catch(
      (error: { stdout: string }) => error,
    );
    expect(stdout).toBe('');
  },
);

it('the stored packages of this version are what `npm run generate` builds from its sources', () => {
  for (const [name, archive] of archives()) expect(storedArchive(name)?.equals(archive), name).toBe(true);
});

it.each(clientPackages())('the stored package $name has the SHA-256 of packages/SHA256SUMS', (stored) => {
  expect(createHash('sha256').update(packageBytes(stored)).digest('hex')).toBe(stored.sha256);
});
