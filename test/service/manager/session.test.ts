import type { Command } from 'commander';
import { beforeAll, describe, expect, it } from 'vitest';
import { managerProgram, runManager } from '../../../bin/manager/program.ts';
import { Session } from '../../../bin/manager/session.ts';
import type { Terminal } from '../../../bin/manager/terminal.ts';
import { parseApiKey } from '../../../shared/domain/partners/api-key.ts';
import type { PartnerId } from '../../../shared/domain/values/ids.ts';
import { tableAuditTrail } from '../../../shared/table/audit.ts';
import { type MadePartner, makePartner, usePeers } from '../../makers/peers.ts';
import { useManager } from '../../makers/served-administration.ts';

const manager = useManager(usePeers());
let made: MadePartner;
beforeAll(async () => {
  made = await makePartner();
});

const NOBODY = 4711 as PartnerId;
const EVENT = 'evt_nosuchevent';

const silent: Terminal = {
  out: () => undefined,
  err: () => undefined,
  interactive: false,
  columns: 80,
  askSecretly: async () => '',
  ask: async () => '',
  input: async () => '',
  interrupted: async () => undefined,
};

async function bare(...args: string[]): Promise<{ code: number; err: string }> {
  let err = '';
  const terminal = {
    ...silent,
    err: (text: string) => {
      err += text;
    },
  };
  return { code: await runManager(args, terminal), err };
}

describe('where', () => {
  it.each([
    [['partners', 'list'], 'say where: --local, or --stage dev, staging or prod'],
    [['partners', 'list', '--local', '--stage', 'prod'], '--local and --stage name two places'],
    [['partners', 'list', '--stage', 'moon'], "argument 'moon' is invalid"],
    [['partners', 'list', '--local', '--endpoints', '/nowhere.json'], '/nowhere.json is missing: start the local run'],
    [['partners', 'list', '--local', '--endpoints', 'package.json'], "package.json is none of the local run's"],
    [['moons'], "unknown command 'moons'"],
    [['partners', 'list', '--local', 'extra'], 'too many arguments'],
  ])('%j is answered with the cure', async (args, message) => {
    const { code, err } = await bare(...args);
    expect([code, err]).toEqual([message.includes('json') ? 1 : 2, expect.stringContaining(message)]);
  });
});

describe('help', () => {
  const verbs = (command: Command): Command[] => [command, ...command.commands.flatMap(verbs)];

  it('is there for every noun and verb, with an example that can be parsed', () => {
    const all = verbs(managerProgram(new Session(silent)));
    expect(all.length).toBeGreaterThan(40);
    for (const command of all) {
      let help = '';
      command.configureOutput({
        writeOut: (text) => {
          help += text;
        },
      });
      command.outputHelp();
      const example = /npm run manager -- (\w+)(?: (\w+))?/.exec(help.slice(help.indexOf('Example:')));
      expect(example, `${command.name()} has no example`).not.toBeNull();
      for (const line of help.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
    }
  });

  it('exits with 0', async () => {
    expect((await bare('keys', 'rotate', '--help')).code).toBe(0);
  });
});

describe('a partner, unit, key, event or analysis that does not exist', () => {
  const of = ['--partner', String(NOBODY)];
  it.each([
    ['partners', 'show', NOBODY],
    ['partners', 'validate', NOBODY, '--reason', 'r'],
    ['units', 'create', ...of, '--name', 'n'],
    ['units', 'list', ...of],
    ['keys', 'create', ...of, '--unit', 1],
    ['keys', 'list', ...of],
    ['keys', 'rotate', 'aaaaa', ...of, '--reason', 'r', '--yes'],
    ['keys', 'revoke', 'aaaaa', ...of, '--reason', 'r', '--yes'],
    ['rate', 'set', ...of, '--environment', 'sandbox', '--limit', 5],
    ['rate', 'clear', ...of, '--environment', 'sandbox'],
    ['webhook', 'show', ...of],
    ['webhook', 'set', ...of, '--url', 'http://127.0.0.1:9'],
    ['webhook', 'rotate', ...of, '--reason', 'r', '--yes'],
    ['webhook', 'ping', ...of],
    ['webhook', 'enable', ...of],
    ['webhook', 'disable', ...of, '--reason', 'r', '--yes'],
    ['deliveries', 'list', ...of],
    ['deliveries', 'show', EVENT],
    ['deliveries', 'replay', EVENT, '--reason', 'r', '--yes'],
    ['deliveries', 'replay', ...of, '--unit', 1, '--since', '2h', '--reason', 'r', '--yes'],
    ['analyses', 'show', 1, '--unit', 1, '--environment', 'sandbox'],
    ['analyses', 'poll', 1, '--unit', 1, '--environment', 'sandbox'],
  ])('%s %s fails with 1, one line and no audit', async (...args) => {
    const ran = await manager(args);
    expect([ran.code, ran.out]).toEqual([1, '']);
    expect(ran.err).toMatch(/^manager: [^\n]+\n$/);
    expect(ran.err).not.toContain('unexpected');
    expect((await tableAuditTrail().newest(NOBODY, 10)).items).toEqual([]);
  });
});

describe('arguments that mean nothing', () => {
  it.each([
    ['partners', 'create'],
    ['partners', 'create', '--name', '  '],
    ['partners', 'create', '--name', 'two\nlines'],
    ['partners', 'show', '-5'],
    ['partners', 'show', '9007199254740993'],
    ['keys', 'create', '--partner', '1', '--unit', '1', '--scopes', 'leads,everything'],
    ['keys', 'create', '--partner', '1', '--unit', '1', '--environment', 'production'],
    ['keys', 'create', '--partner', '1', '--unit', '1', '--consultant', '5'],
    ['rate', 'set', '--partner', '1', '--environment', 'sandbox', '--limit', '0'],
    ['rate', 'set', '--partner', '1', '--limit', '5'],
    ['keys', 'create', '--partner', '1', '--unit', '1', '--token', ''],
    ['keys', 'rotate', 'a1B2c', '--partner', '1', '--token', '', '--reason', 'r', '--yes'],
    ['keys', 'create', '--partner', '1', '--unit', '1', '--token', 'x'.repeat(256)],
    ['deliveries', 'list', '--partner', '1', '--state', 'lost'],
    ['deliveries', 'replay', '--reason', 'r'],
    ['deliveries', 'replay', '--partner', '1', '--unit', '1', '--since', 'yesterday'],
    ['deliveries', 'replay', '--partner', '1', '--unit', '1', '--since', '2026-11-20'],
    ['leads', 'export', '--unit', '5', '--reason', 'r'],
    ['audit', 'list'],
    ['audit', 'list', '--service', '--partner', '1'],
    ['dlq', 'inspect', '--max', 'all'],
  ])('%s %s ... is a usage error', async (...args) => {
    const ran = await manager(args, { input: '900.000.001-75' });
    expect([ran.code, ran.out], ran.err).toEqual([2, '']);
    expect(ran.err.length).toBeGreaterThan(0);
  });
});

describe('before something destructive', () => {
  const revoke = (key: string) => ['keys', 'revoke', key, '--partner', made.partnerId];
  const keyIds = async () =>
    (await manager(['keys', 'list', '--partner', made.partnerId, '--json'])).json() as { key: string; state: string }[];
  const fresh = async () => parseApiKey(await made.addKey())!.keyId;
  const stateOf = async (id: string) => (await keyIds()).find(({ key }) => key === id)!.state;

  it.each([
    ['keys', 'revoke', 'aaaaa'],
    ['keys', 'rotate', 'aaaaa'],
    ['webhook', 'rotate'],
    ['webhook', 'disable'],
    ['dlq', 'redrive'],
    ['leads', 'erase'],
    ['leads', 'export'],
  ])('%s %s asks why', async (...args) => {
    const partner = ['keys', 'webhook', 'leads'].includes(args[0]!) ? ['--partner', made.partnerId] : [];
    const ran = await manager([...args, ...partner, '--yes']);
    expect([ran.code, ran.err]).toEqual([2, 'manager: say why, for the audit: --reason "..."\n']);
  });

  it.each(['for 900.000.001-75', 'CPF 90000000175', 'asked by maria@exemplo.com.br'])(
    'takes no personal data as a reason: %s',
    async (reason) => {
      const ran = await manager([...revoke('aaaaa'), '--reason', reason, '--yes']);
      expect([ran.code, ran.err.includes('leave CPFs')]).toEqual([2, true]);
    },
  );

  it.each(['', ' ', '\t'])('takes no blank reason: %j', async (reason) => {
    const keyId = await fresh();
    const ran = await manager([...revoke(keyId), '--reason', reason, '--yes']);
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining('--reason is blank')]);
    expect(await stateOf(keyId)).toBe('live');
  });

  it('a person is asked, and anything but a yes changes nothing', async () => {
    const keyId = await fresh();
    for (const answer of ['', 'n', 'nope', 'yesterday']) {
      const ran = await manager([...revoke(keyId), '--reason', 'r'], { answers: [answer] });
      expect([ran.code, ran.err]).toEqual([1, expect.stringMatching(/\[y\/N\] manager: nothing was changed\n$/)]);
    }
    expect(await stateOf(keyId)).toBe('live');
    expect((await manager([...revoke(keyId), '--reason', 'r'], { answers: ['y'] })).code).toBe(0);
    expect(await stateOf(keyId)).toBe('revoked');
  });

  it('nobody can be asked in a pipe: --yes is needed', async () => {
    const keyId = await fresh();
    const ran = await manager([...revoke(keyId), '--reason', 'r']);
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining('Nobody is here to ask: add --yes')]);
    expect(await stateOf(keyId)).toBe('live');
  });
});

describe('partners validate --check', () => {
  it('says whether production is open, whatever the sandbox lacks', async () => {
    const checked = async (partnerId: number) =>
      (await manager(['partners', 'validate', partnerId, '--check', '--json'])).json();
    expect(await checked(made.partnerId)).toMatchObject({ validated: true, complete: false });
    const { partner } = (await manager(['partners', 'create', '--name', 'Casa Nova', '--json'])).json();
    expect(await checked(partner)).toMatchObject({ validated: false, complete: false });
  });
});

describe('the audit', () => {
  it('says who, what, when and why of each change, and how it ended', async () => {
    const { partnerId, unitId } = await makePartner();
    const began = Date.now();
    const create = ['keys', 'create', '--partner', partnerId, '--unit'];
    const { key } = (await manager([...create, unitId, '--reason', 'onboarding', '--json'])).json();
    expect((await manager([...create, unitId + 1])).code).toBe(1);
    const rows = (await manager(['audit', 'list', '--partner', partnerId, '--json'])).json();
    const who = expect.stringMatching(/^arn:aws:sts::\d{12}:assumed-role\/\S+-manager\/local$/);
    const row = { at: expect.any(Number), who, action: 'create-key' };
    const target = { unit: unitId, environment: 'sandbox', scopes: 'all' };
    expect(rows).toEqual([
      { ...row, target: { ...target, unit: unitId + 1 }, reason: 'none given', outcome: 'failed' },
      { ...row, target: { ...target, key }, reason: 'onboarding', outcome: 'done' },
    ]);
    expect(rows[1].at).toBeGreaterThanOrEqual(began);
    const limited = await manager(['audit', 'list', '--partner', partnerId, '--limit', 1, '--json']);
    expect(limited.json()).toEqual([rows[0]]);
  });

  it('never holds a key or a secret', async () => {
    const { partnerId, unitId } = await makePartner();
    const { text } = (await manager(['keys', 'create', '--partner', partnerId, '--unit', unitId, '--json'])).json();
    const set = await manager(['webhook', 'set', '--partner', partnerId, '--url', 'http://127.0.0.1:9/x', '--json']);
    const rows = (await manager(['audit', 'list', '--partner', partnerId, '--json'])).out;
    expect(rows).not.toContain(text);
    expect(rows).not.toContain(set.json().secret);
    expect(rows.match(/"outcome": "done"/g)).toHaveLength(2);
  });
});

describe('results', () => {
  it('fit 80 columns', async () => {
    const { partnerId, unitId, addKey } = await makePartner();
    await addKey({ scopes: ['leads', 'simulacoes', 'analises'] });
    const wide = { columns: 80 };
    for (const args of [
      ['partners', 'list'],
      ['partners', 'show', partnerId],
      ['units', 'list', '--partner', partnerId],
      ['keys', 'list', '--partner', partnerId],
      ['audit', 'list', '--partner', partnerId],
    ]) {
      const { code, out } = await manager(args, wide);
      expect(code).toBe(0);
      for (const line of out.split('\n')) expect([...line].length, out).toBeLessThanOrEqual(80);
    }
    expect((await manager(['keys', 'list', '--partner', partnerId], wide)).out).toContain(String(unitId));
  });
});
