import { beforeAll, expect, it, vi } from 'vitest';
import { handler as poll } from '#functions/pollers/poll-bank-outcomes.ts';
import { pollPartition } from '#shared/domain/analyses/poll-schedule.ts';
import { BANKS } from '#shared/domain/values/bank.ts';
import { timestamp } from '#shared/domain/values/clock.ts';
import type { AnalysisId } from '#shared/domain/values/ids.ts';
import { putRow, tableClient } from '#shared/table/rows/client.ts';
import { lambdaContext } from '../makers/call.ts';
import { countUnits } from '../makers/counting.ts';
import { intercepted, recorded } from '../makers/intercepted.ts';
import { type Person, useScene } from '../makers/scene.ts';
import { passTime } from '../makers/test-clock.ts';

vi.mock('#shared/wiring.ts', async (real) => (await import('../makers/intercepted.ts')).openWiring(await real()));

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const idsOf = ({ body }: { body: { analises: { analise_id: number }[] } }) =>
  body.analises.map(({ analise_id }) => analise_id);

const scene = useScene();
let people: Person[];
let ids: number[];
const PENDING = 1_000;

beforeAll(async () => {
  people = [];
  ids = [];
  while (ids.length < PENDING) {
    const person = await scene.person();
    ids.push(...idsOf(await scene.submit(person, BANKS, `key-${ids.length}`)));
    people.push(person);
  }
  for (const id of ids) scene.operator.control.decide(scene.reference(id), 'Em análise');
  passTime(61_000);
});

/** Counts of the calls that the operator has got since its start. */
const questions = () => scene.operator.control.state().calls;

it('a poller run without news writes only its cursor, reads 0.1 units per analysis and asks about 100 per call', async () => {
  // Without a cursor everything is due, also the old analyses of each partition.
  await scene.poll();
  passTime(60_000);
  const counted = countUnits(tableClient());
  const before = questions();
  await scene.poll();
  const { query, batch } = questions();
  expect(query - before.query).toBe(0);
  expect(batch - before.batch).toBe(BANKS.length * Math.ceil(ids.length / BANKS.length / 100));
  expect(counted.units.calls.filter((name) => !['Get', 'Query'].includes(name))).toEqual(['Put']);
  expect(counted.units.write).toBe(1);
  expect(counted.units.read / ids.length).toBeLessThanOrEqual(0.1);
});

it('a poller run with one outcome costs one transaction of at most 10 write units and one message', async () => {
  const [id] = ids;
  scene.operator.control.decide(scene.reference(id!), 'Crédito aprovado com restrição');
  const counted = countUnits(tableClient());
  const run = recorded();
  await intercepted(run, () => scene.poll());
  expect(counted.units.calls.filter((name) => !['Get', 'Query'].includes(name))).toEqual(['TransactWrite', 'Put']);
  // One more unit for the cursor of the run.
  expect(counted.units.write).toBeLessThanOrEqual(10 + 1);
  expect(run.calls.filter(({ name }) => name === 'queue send')).toHaveLength(1);
  expect((await scene.status(id!)).body.analise.situacao).toBe('condicionado');
});

it('a poller run begins nothing in its last 15 seconds, and asks before them', async () => {
  const asked = async (remaining: number) => {
    const before = questions();
    passTime(60_000);
    await poll({ time: timestamp(Date.now()), shard: 0, shards: 1 }, lambdaContext(remaining));
    const { query, batch } = questions();
    return query + batch - before.query - before.batch;
  };
  expect(await asked(15_000)).toBe(0);
  expect(await asked(55_000)).toBeGreaterThan(0);
});

it('a poller run skips a row that it cannot read, and asks about the analyses behind it', async () => {
  const person = await scene.person();
  const [id] = idsOf(await scene.submit(person, ['brb'], 'unreadable'));
  const { bucket } = pollPartition({ environment: 'producao', bank: 'brb', id: id as AnalysisId });
  const due = { duePk: `PENDING#producao#brb#${bucket}`, dueSk: '0000000000000001#1' };
  await putRow({ Item: { pk: 'ANALYSIS#x', sk: 'ANALYSIS', id: 1, createdAt: Date.now(), ...due } });
  const young = { duePk: due.duePk, dueSk: `${String(Date.now() - 60_000).padStart(16, '0')}#1` };
  await putRow({ Item: { pk: 'ANALYSIS#y', sk: 'ANALYSIS', id: 2, createdAt: Date.now(), ...young } });
  await scene.tick(person);
  expect((await scene.status(id!)).body.analise.situacao).toBe('aprovado');
});
