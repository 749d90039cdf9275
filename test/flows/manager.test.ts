import { spawn } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually, type LocalService, request, startLocalService } from '../makers/local-service.ts';
import { type Manager, managerHere, managerProcess, type RunOptions } from '../makers/manager.ts';
import { cpfFrom, leadBody } from '../makers/people.ts';

let service: LocalService;
let manager: Manager;
let program: Manager;

/** Commands that load the functions that most tests need. They touch nothing that a test looks at. */
const LOADING = [
  'partners create --name Ensaio --reason INC-1',
  'partners show 1',
  'partners list',
  'partners checklist 1',
  'units create --partner 1 --name Ensaio --reason INC-1',
  'keys create --partner 1 --unit 1 --environment sandbox --reason INC-1',
  'audit list --partner 1',
];

beforeAll(async () => {
  service = await startLocalService({ pollEvery: '500ms' });
  manager = managerHere(service.serviceFile);
  program = managerProcess(service.serviceFile);
  // One command after another: if a busy machine loads a dozen functions at once, each takes longer than Lambda allows.
  for (const command of LOADING) await manager(command.split(' '));
});
afterAll(() => service?.end());

/** Runs a command that must succeed. Returns its JSON. */
async function done(args: readonly (string | number)[], options?: RunOptions) {
  const ran = await manager([...args, '--json'], options);
  expect(ran.code, ran.err).toBe(0);
  expect(ran.err).not.toContain('manager: ');
  return ran.json();
}

async function newPartner(): Promise<{ partner: number; unit: number; key: string }> {
  const why = ['--reason', 'INC-1'];
  const { partner } = await done(['partners', 'create', '--name', 'Imobiliária Horizonte', ...why]);
  const of = ['--partner', partner.partner_id, ...why];
  const { unit } = await done(['units', 'create', ...of, '--name', 'Unidade Sul']);
  const { text } = await done(['keys', 'create', ...of, '--unit', unit.unit_id, '--environment', 'sandbox']);
  return { partner: partner.partner_id, unit: unit.unit_id, key: text };
}

// An outcome takes 10 s in the sandbox, so these tests run at the same time.
it.concurrent('the manager reads a CPF from standard input, and shows it only in the export', async () => {
  const cpf = cpfFrom(4711);
  const { partner, key } = await newPartner();
  await request(service, 'POST', '/v1/leads', { key, body: leadBody({ cpf }) });
  const ran = await program(['leads', 'export', '--partner', partner, '--reason', 'LGPD-1', '--local'], {
    input: `${cpf}\n`,
  });
  expect(ran.code).toBe(0);
  expect(ran.err).toBe('');
  expect(ran.json()[0].lead).toMatchObject({ nome: 'Marina Duarte Alves', email: 'marina.duarte@exemplo.com.br' });
  const audit = await manager(['audit', 'list', '--partner', partner, '--json']);
  expect(audit.json().entries[0]).toMatchObject({ action: 'export-lead', reason: 'LGPD-1', outcome: 'done' });
  expect(audit.out).not.toContain(cpf);
});

it.concurrent('the manager lists the calls that were made with a leaked key, with leads and addresses', async () => {
  const { key } = await newPartner();
  const { lead_id: lead } = (await request(service, 'POST', '/v1/leads', { key, body: leadBody() })).body;
  await request(service, 'GET', `/v1/leads/${lead}`, { key });
  const calls = await eventually('the lines of both calls', async () => {
    const found = await done(['keys', 'calls', '--key', key.slice(0, 26), '--since', '1h', '--duty', 'security']);
    return found.filter(({ address }: { address?: string }) => address).length === 2 ? found : undefined;
  });
  expect(calls).toMatchObject([
    { operation: 'get-lead', status: 200, lead, address: '127.0.0.1' },
    { operation: 'create-lead', status: 201, lead, address: '127.0.0.1' },
  ]);
});

it.concurrent('partners checklist names the sandbox steps that a partner has not made, before and after a demo', async () => {
  const check = (partner: number) => manager(['partners', 'checklist', partner, '--json']);
  const { partner } = await newPartner();
  const nothing = await check(partner);
  expect(nothing.code).toBe(0);
  expect(nothing.json()).toMatchObject({ complete: false, missing: { length: 12 } });

  const demo = spawn(process.execPath, ['bin/demo.ts', '--service-file', service.serviceFile]);
  expect(await new Promise((resolve) => demo.once('close', resolve))).toBe(0);
  const [{ partner_id: walked }] = (await done(['partners', 'list'])).partners;
  const report = await eventually('the delivery that the demo got to be closed', async () => {
    const ran = await check(walked);
    return ran.json().missing.includes('webhook') ? undefined : ran;
  });
  expect(report.json().missing).toEqual(['condicionado', 'recusado', 'cancelado', 'erro', 'resend']);
});
