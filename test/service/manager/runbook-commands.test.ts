import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { startInbox } from '../../../infra/local/inbox.ts';
import { readRunbook, runbookText } from '../../../infra/runbook.ts';
import { createKey } from '../../../shared/table/api-keys.ts';
import { setWebhook } from '../../../shared/table/webhook-endpoints.ts';
import { newWebhookSecret } from '../../../shared/webhook/sign.ts';
import { api } from '../../makers/api.ts';
import { bookOne } from '../../makers/booked.ts';
import { analysisBody, leadBody } from '../../makers/people.ts';
import { useScene } from '../../makers/scene.ts';
import { useManager } from '../../makers/served-administration.ts';

const scene = useScene();
const manager = useManager(scene.peers);
let inboxUrl: string;
/** What stands for each placeholder of the page. */
const world: Record<string, string> = {};

const text = runbookText();
/** Each command of the manager once, as printed. */
const COMMANDS = [
  ...new Set([...text.matchAll(/`npm run manager -- ([^`]+)`/g)].map(([, command]) => command!)),
].filter((command) => !command.startsWith('<command>'));
/** What a command reads from the file that it is given. */
const INPUTS: Readonly<Record<string, () => string>> = {
  'token.txt': () => 'the-operator-token',
  'key.txt': () => scene.partner.keys.sandbox,
};
/** Files that a command names, in the place of those that the page's reader has. */
const FILES: Readonly<Record<string, () => string>> = {
  'averages.json': () => {
    const file = join(mkdtempSync(join(tmpdir(), 'partner-credit-averages-')), 'averages.json');
    writeFileSync(file, JSON.stringify({ value: [] }));
    return file;
  },
  'itau-2026-12.ts': () => 'shared/domain/simulations/pricing/tables/itau-2026-11.ts',
};
/** What commands say that find a stage well, where there is nothing for them to do. */
const NOTHING_TO_DO: Readonly<Record<string, RegExp>> = {
  'keys init': /has its keys already/,
  'dlq redrive': /queue is empty/,
  'dlq discard': /queue is empty/,
  'deliveries replay': /nothing to replay there/,
};

beforeAll(async () => {
  const inbox = await startInbox(() => {}, { answer: 200 });
  inboxUrl = inbox.url;
  const { partnerId, unitId, keys } = scene.partner;
  await setWebhook(partnerId, inboxUrl, newWebhookSecret(), Date.now());
  const { body: lead } = await api('createLead', { key: keys.producao, body: leadBody() });
  const submission = {
    key: keys.producao,
    body: analysisBody(lead.lead_id),
    headers: { 'idempotency-key': 'runbook' },
  };
  const { body } = await api('submitAnalyses', submission);
  const { eventId } = await bookOne(partnerId, { unitId });
  Object.assign(world, {
    partner: String(partnerId),
    unit: String(unitId),
    analysis: String(body.analises[0].analise_id),
    event: eventId,
    moment: new Date(Date.now() - 60_000).toISOString(),
  });
  return () => inbox.close();
});

/** The words of a command, with what the page leaves open filled in. */
async function wordsOf(command: string): Promise<string[]> {
  const { partnerId, unitId } = scene.partner;
  // Each command that ends a key has one of its own.
  const key = command.includes('<key>')
    ? (await createKey({ partnerId, unitId, environment: 'sandbox' }, Date.now())).keyId
    : '';
  const filled = command
    .replace(/ --stage prod.*$/, '')
    .replace(/--(partner|unit) <id>/g, (_, option: string) => `--${option} ${world[option]}`)
    .replace('<key>', key)
    .replace(/\S+\.(json|ts)$/, (name) => FILES[name]!())
    .replace('https://...', inboxUrl)
    .replace(/<(\w+)>/g, (_, name: string) => world[name] ?? `no ${name} here`);
  return [...filled.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!);
}

describe('each command of the runbook, as printed', () => {
  it.each(COMMANDS)('%s', { timeout: 60_000 }, async (command) => {
    const file = /< ([\w.]+)$/.exec(command)?.[1];
    const options = file === undefined ? { answers: ['y'] } : { input: INPUTS[file]!() };
    const ran = await manager(await wordsOf(command), options);
    const nothing = Object.entries(NOTHING_TO_DO).find(([start]) => command.startsWith(start))?.[1];
    const refused = [1, expect.stringMatching(nothing ?? /^it did what it is for$/)];
    expect([ran.code, ran.err]).toEqual(ran.code === 0 ? [0, expect.any(String)] : refused);
  });
});

it('every other command is marked as one that only AWS runs, or is run by a test of its own', () => {
  const unmarked = [...readRunbook(text).values()].flatMap(({ name, parts }) =>
    Object.entries(parts).flatMap(([part, body]) =>
      [...body.matchAll(/`((?:aws|curl|npx|dig|openssl) [^`]*)`/g)]
        .filter(() => !body.includes('AWS only'))
        .map(([, command]) => `${name}, ${part}: ${command}`),
    ),
  );
  expect(unmarked).toEqual([]);
  const programs = [...text.matchAll(/`npm run (?!manager)([\w-]+)/g)].map(([, program]) => program!);
  // test/flows/smoke.test.ts and test/flows/rehearse-restore.test.ts.
  expect([...new Set(programs)].sort()).toEqual(['rehearse-restore', 'smoke']);
});
