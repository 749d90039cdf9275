/**
 * Each operation notes a call in the audit before it reads a row of a person. A refusal that comes after such a read may
 * tell whether the person is known, so somebody could guess without a trace.
 */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { ADMINISTRATION_OPERATIONS } from '#shared/administration/operations.ts';
import { tableClient } from '#shared/table/rows/client.ts';
import { type AdministrationCall, administration, because } from '#test/makers/administration.ts';
import { administrationScenes } from '#test/makers/administration-scenes.ts';
import { usePeers } from '#test/makers/peers.ts';
import { type Receiver, startPlainReceiver } from '#test/makers/receiver.ts';
import { clearTable } from '#test/makers/rows.ts';
import { setServiceKeys } from '#test/makers/service-keys.ts';

/** Rows that are found by a lead's number or by a CPF: their partition key begins with one of these. */
const OF_PEOPLE = ['LEAD', 'CPF', 'SPOUSE', 'FORM', 'CONSENT', 'OPPORTUNITY'].map((kind) => `"${kind}#`);
const READ = /^(Get|BatchGet|Query|TransactGet)/;

/** Operations that read rows of people without an audit row before, and why nobody can guess a person by them. */
const NAMES_NOBODY: Readonly<Partial<Record<string, string>>> = {
  'show-sandbox-checklist': 'the call names a partner; the leads are those of its sandbox',
  'validate-partner': 'the same checklist decides',
};

const peers = usePeers();
let keysSecret: string;
let receiver: Receiver;
let scenes: ReturnType<typeof administrationScenes>;
/** The table's calls in their order: `audit` for a new row of the audit, `person` for a read of a person's row. */
let calls: ('audit' | 'person')[] = [];
beforeAll(async () => {
  process.env['LOCAL_WEBHOOK_TARGETS'] = 'true';
  keysSecret = process.env['KEYS_SECRET']!;
  receiver = await startPlainReceiver((_, response) => response.writeHead(200).end());
  scenes = administrationScenes(peers.secrets, `http://127.0.0.1:${receiver.port}/eventos`);
  tableClient().middlewareStack.add(
    (next, { commandName = '' }) =>
      (args) => {
        const text = JSON.stringify(args.input);
        if (commandName.startsWith('Put') && text.includes('"AUDIT#')) calls.push('audit');
        if (READ.test(commandName) && OF_PEOPLE.some((kind) => text.includes(kind))) calls.push('person');
        return next(args);
      },
    { step: 'initialize', name: 'order of audit and people' },
  );
});
afterAll(() => receiver.stop());
beforeEach(async () => {
  process.env['KEYS_SECRET'] = keysSecret;
  await clearTable();
  setServiceKeys(peers.secrets);
});

const withPreviews = ADMINISTRATION_OPERATIONS.flatMap(({ operation, dryRun }) => {
  const change = { operation, way: 'itself', dry: false } as const;
  return dryRun ? [change, { operation, way: 'as a dry run', dry: true } as const] : [change];
});
/** Operations that were seen reading a row of a person. */
const reading = new Set<string>();

it.each(withPreviews)('$operation $way reads no row of a person before the audit notes the call', async (call) => {
  const { operation, dry } = call;
  const scene: AdministrationCall = await scenes[operation]();
  calls = [];
  const body = dry ? { ...because, ...(scene.body as object), dry_run: true } : scene.body;
  const { status, text } = await administration(operation, { ...scene, body });
  expect(status, text).toBe(200);
  if (calls.includes('person')) reading.add(operation);
  if (operation in NAMES_NOBODY) expect(calls[0]).toBe('person');
  else expect(calls[0]).not.toBe('person');
});

it('the operations about people read rows of people, so that their order is looked at', () => {
  for (const operation of ['find-leads', 'export-lead', 'correct-lead', 'withdraw-lead-consent', 'erase-lead'])
    expect(reading).toContain(operation);
});
