import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { seededRandom } from '#infra/local/aws/aws-like/settings.ts';
import * as routes from '#shared/contract/routes.ts';
import type { Rewriting } from '#shared/domain/sealing/rotation.ts';
import { forgetServiceKeys } from '#shared/table/rows/encryption.ts';
import { rewriteRows } from '#shared/table/sealing/rewriting.ts';
import { type CallAnswer, type CallOptions, callHandler } from '../makers/call.ts';
import { atEachCall, interceptTable, stoppedAt } from '../makers/intercepted.ts';
import { analysisBody, cpfFrom, leadBody } from '../makers/people.ts';
import { rowsOf } from '../makers/rows.ts';
import { useScene } from '../makers/scene.ts';
import { type KeysText, setServiceKeys, withIndexKey } from '../makers/service-keys.ts';

const SOAK = Boolean(process.env['SOAK']);
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const HOUR = 3_600_000;
const atOnce = { unitsPerSecond: 1_000_000, pause: async () => {} };

/**
 * In this scene no index key takes over by itself: each container is started with keys that say which one is in force.
 */
const scene = useScene();

type Operation = 'createLead' | 'createSimulation' | 'submitAnalyses';

/** A container: a way to call it, and a way to stop it at a call. */
interface Container {
  readonly call: (operation: Operation, options: CallOptions) => Promise<CallAnswer>;
  readonly stoppedAt: typeof stoppedAt;
}

/** Starts a container that has modules of its own, and that fetches these keys when it starts. */
async function container(keys: KeysText): Promise<Container> {
  setServiceKeys(scene.peers.secrets, { keys });
  vi.resetModules();
  // All modules are imported together: a module that is imported later belongs to a later container.
  const [leads, simulations, analyses, intercepted, encryption] = await Promise.all([
    import('#functions/api/leads/create-lead.ts'),
    import('#functions/api/simulations/create-simulation.ts'),
    import('#functions/api/analyses/submit-analyses.ts'),
    import('../makers/intercepted.ts'),
    import('#shared/table/rows/encryption.ts'),
  ]);
  intercepted.interceptTable();
  await encryption.primeEncryption();
  const handlers = {
    createLead: leads.handler,
    createSimulation: simulations.handler,
    submitAnalyses: analyses.handler,
  } as const;
  return {
    call: (operation, options) => callHandler(handlers[operation], routes[operation], options),
    stoppedAt: intercepted.stoppedAt,
  };
}

/**
 * Containers with what they know of a rotation. `unaware` knows nothing of it, `before` knows that the new index key
 * takes over later, and for `after` the new index key has taken over.
 */
let unaware: Container;
let before: Container;
let after: Container;
beforeAll(async () => {
  const { secrets } = scene.peers;
  const keys: KeysText = JSON.parse(secrets.current(String(process.env['KEYS_SECRET'])));
  const changed = withIndexKey(keys, 1);
  const [older, newer] = changed.index;
  if (!older || !newer) throw new Error('there are not two index keys');
  unaware = await container(keys);
  before = await container({ ...keys, index: [older, { ...newer, from: Date.now() + 1_000 * HOUR }] });
  after = await container(changed);
  setServiceKeys(secrets, { keys: changed });
});

let people = 700_000;
const newCpf = () => cpfFrom(++people);
const post = ({ call }: Container, cpf: string, headers = {}) =>
  call('createLead', { key: scene.key, body: leadBody({ cpf }), headers });
const submit = ({ call }: Container, lead: number, cpf: string, key: string, changes = {}) =>
  call('submitAnalyses', { key: scene.key, body: analysisBody(lead, { cpf, ...changes }), once: key });
const leadOf = ({ body }: CallAnswer) => Number(body.lead_id);
const cpfRows = (lead: number) => rowsOf('CPF#').then((rows) => rows.filter(({ leadId }) => leadId === lead));

async function rewrite() {
  forgetServiceKeys();
  let last: Rewriting | undefined;
  for await (last of rewriteRows({ state: 'changed', moves: true }, atOnce));
  return last!;
}

/**
 * Containers that run at the same time. Those that know nothing of the rotation have ended when the new key takes over.
 */
const PAIRS = [
  [
    'one container knows nothing of the rotation, the other waits for the new key to take over',
    () => [unaware, before] as const,
  ],
  ['for one container the new key has not taken over yet, for the other it has', () => [before, after] as const],
] as const;

describe.each(PAIRS)('two containers during a rotation of the index key: %s', (name, pair) => {
  // Each pair has its own seed.
  const seed = (SOAK ? Date.now() % 1_000_000 : 1) * PAIRS.length + PAIRS.findIndex(([one]) => one === name);

  it('two containers with different index keys make one lead of a CPF, with and without Idempotency-Key', async () => {
    console.log(`seed ${seed}`);
    const random = seededRandom(seed);
    for (let round = 0; round < (SOAK ? 200 : 25); round++) {
      const cpf = newCpf();
      const calls = Array.from({ length: 4 }, (_one, index) => {
        const headers = random() < 0.5 ? { 'idempotency-key': `${seed}-${round}-${index}` } : {};
        return post(pair()[random() < 0.5 ? 0 : 1], cpf, headers);
      });
      const answers = await Promise.all(calls);
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
      expect(new Set(answers.map(leadOf)).size).toBe(1);
      expect(await cpfRows(leadOf(answers[0]!))).toHaveLength(1);
    }
  });

  it('two containers with different index keys accept an Idempotency-Key once, and both repeat its answer', async () => {
    for (let round = 0; round < (SOAK ? 50 : 8); round++) {
      const [one, other] = pair();
      const cpf = newCpf();
      const lead = leadOf(await post(one, cpf));
      const key = `taken ${seed} ${round}`;
      const answers = await Promise.all([one, other, one, other].map((by) => submit(by, lead, cpf, key)));
      const told = answers.filter(({ status }) => status === 202);
      expect(answers.every(({ status }) => status === 202 || status === 409)).toBe(true);
      expect(new Set(told.map(({ text }) => text)).size).toBe(1);
      for (const by of [one, other]) {
        const again = await submit(by, lead, cpf, key);
        expect(again.status).toBe(202);
        expect(again.headers['idempotent-replay']).toBe('true');
        expect(again.text).toBe(told[0]!.text);
        const changed = await submit(by, lead, cpf, key, { rg: '99.999.999-9' });
        expect(changed.status).toBe(422);
        expect(changed.body.codigo).toBe('idempotency_conflito');
      }
      const { consentimentos } = (await scene.consents(lead)).body;
      expect(consentimentos).toHaveLength(1);
    }
  });
});

it('a submission that was cut off under the older index key is resumed by a container with the newer key', async () => {
  const cpf = newCpf();
  const lead = leadOf(await post(before, cpf));
  // The submission stops after the bank got the analysis, and before the bank's answer is stored.
  const written = { at: 2, when: 'before', of: 'table TransactWriteItemsCommand' } as const;
  expect((await before.stoppedAt(written, () => submit(before, lead, cpf, 'cut off'))).finished).toBe(false);
  const held = await submit(after, lead, cpf, 'cut off');
  expect(held.status).toBe(409);
  expect(held.body.codigo).toBe('idempotencia_em_andamento');
  const rows = (await rowsOf('IDEMPOTENCY#')).length;
  scene.lockRunsOut();
  const resumed = await submit(after, lead, cpf, 'cut off');
  expect(resumed.status).toBe(202);
  expect(await rowsOf('IDEMPOTENCY#')).toHaveLength(rows);
  for (const by of [before, after]) expect((await submit(by, lead, cpf, 'cut off')).text).toBe(resumed.text);
  expect(scene.operator.control.queriesOn(cpf, 'itau')).toBe(1);
  expect((await scene.consents(lead)).body.consentimentos).toHaveLength(1);
});

describe('rewriteRows', () => {
  beforeEach(() => rewrite());

  it('rewriteRows moves the row of each CPF while calls use the same people, and no lead is made twice', async () => {
    const seed = SOAK ? Date.now() % 1_000_000 : 1;
    console.log(`seed ${seed}`);
    const random = seededRandom(seed);
    const cpfs = Array.from({ length: SOAK ? 120 : 30 }, newCpf);
    const made = new Map<string, number>();
    for (const cpf of cpfs) made.set(cpf, leadOf(await post(unaware, cpf)));
    const posts = async () => {
      for (const cpf of [...cpfs].sort(() => random() - 0.5)) {
        const answer = await post(random() < 0.5 ? before : after, cpf);
        expect(answer.status).toBe(200);
        expect(leadOf(answer)).toBe(made.get(cpf));
      }
    };
    const [end] = await Promise.all([rewrite(), posts(), posts()]);
    expect(end).toMatchObject({ moved: cpfs.length, brokenCount: 0 });
    for (const cpf of cpfs) {
      expect(leadOf(await post(after, cpf))).toBe(made.get(cpf));
      expect(await cpfRows(made.get(cpf)!)).toHaveLength(1);
    }
    expect(await rewrite()).toMatchObject({ moved: 0, removed: 0, brokenCount: 0 });
  });

  it('rewriteRows completes what a run that was stopped at any call has left', async () => {
    interceptTable();
    await atEachCall(async ({ at, when }) => {
      if (!SOAK && at % 3 !== 1) return false;
      const cpf = newCpf();
      const lead = leadOf(await post(before, cpf));
      const { finished } = await stoppedAt({ at, when }, () => rewrite());
      await rewrite();
      const [row, ...more] = await cpfRows(lead);
      expect(more, `${when} call ${at}`).toHaveLength(0);
      expect(leadOf(await post(after, cpf)), `${when} call ${at}`).toBe(lead);
      expect(row!['indexedBy']).toBeDefined();
      return finished;
    });
  });
});
