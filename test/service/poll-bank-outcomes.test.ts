import type { Context } from 'aws-lambda';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { handler as poll } from '../../functions/pollers/poll-bank-outcomes.ts';
import { pollPartition } from '../../shared/domain/analyses/poll-schedule.ts';
import { BANKS } from '../../shared/domain/values/bank.ts';
import type { AnalysisId } from '../../shared/domain/values/ids.ts';
import { putRow, tableClient } from '../../shared/table/client.ts';
import { lambdaContext } from '../makers/call.ts';
import { countUnits } from '../makers/counting.ts';
import { type Interception, intercepted } from '../makers/intercepted.ts';
import { type Person, useScene } from '../makers/scene.ts';
import { passTime } from '../makers/test-clock.ts';

vi.mock('../../shared/wiring.ts', async (original) => {
  const { interceptable } = await import('../makers/intercepted.ts');
  return interceptable(await original());
});

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const idsOf = ({ body }: { body: { analises: { analise_id: number }[] } }) =>
  body.analises.map(({ analise_id }) => analise_id);

describe('one run', () => {
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

  /** What the operator has been asked since its start. */
  const questions = () => scene.operator.control.state().calls;

  it('that brings no news writes its cursor alone, reads at most 0.1 units each, and asks once for 100 of a bank', async () => {
    const counted = countUnits(tableClient());
    const before = questions();
    await scene.poll();
    const { query, batch } = questions();
    expect([query - before.query, batch - before.batch]).toEqual([
      0,
      BANKS.length * Math.ceil(ids.length / BANKS.length / 100),
    ]);
    expect(counted.units.calls.filter((name) => !['Get', 'Query'].includes(name))).toEqual(['Put']);
    expect(counted.units.write).toBe(1);
    expect(counted.units.read / ids.length).toBeLessThanOrEqual(0.1);
  });

  it('asks an operator without batches one each, and finds out once for each bank', async () => {
    scene.operator.control.fault({ kind: 'no_batches' });
    const before = questions();
    await scene.poll();
    scene.operator.control.clear();
    const { query, batch } = questions();
    expect([query - before.query, batch - before.batch]).toEqual([ids.length, BANKS.length]);
  });

  it('that brings one outcome costs one transaction of at most 9 write units and one message', async () => {
    const [id] = ids;
    scene.operator.control.decide(scene.reference(id!), 'Crédito aprovado com restrição');
    const counted = countUnits(tableClient());
    let sent = 0;
    await intercepted(
      {
        around(name, call) {
          if (name === 'queue send') sent += 1;
          return call();
        },
      },
      () => scene.poll(),
    );
    expect(counted.units.calls.filter((name) => !['Get', 'Query'].includes(name))).toEqual(['TransactWrite', 'Put']);
    // The cursor's unit is the run's.
    expect(counted.units.write).toBeLessThanOrEqual(9 + 1);
    expect(sent).toBe(1);
    expect((await scene.status(id!)).body.analise.situacao).toBe('condicionado');
  });

  /** Those of some analyses that do not yet show a text. */
  async function notShowing(text: string, of: readonly number[]): Promise<number[]> {
    const texts = await Promise.all(of.map(async (id) => (await scene.status(id)).body.analise.status_original));
    return of.filter((_, index) => texts[index] !== text);
  }

  /**
   * Runs of one shard in which each question, or batch of them, takes a second and work may be begun for 25 s, until all of some analyses
   * show a text or a hundred have run, half a minute apart: the older ones are due every second minute only. How many each run asked.
   */
  async function shortRuns(shards: number, text: string, of: readonly number[]): Promise<number[]> {
    const asked: number[] = [];
    const slow: Interception = {
      async around(name, call) {
        if (name === 'operator query') passTime(1_000);
        return call();
      },
    };
    const context = { getRemainingTimeInMillis: () => 40_000 } as Context;
    for (let left = [...of]; left.length > 0; left = await notShowing(text, left)) {
      if (asked.length === 100) throw new Error(`never asked about: ${left}`);
      const before = scene.operator.control.state().calls.query;
      await intercepted(slow, () => poll({ shard: 0, shards }, context));
      asked.push(scene.operator.control.state().calls.query - before);
      passTime(30_000);
    }
    return asked;
  }

  const bankOf = (id: number) => BANKS[ids.indexOf(id) % BANKS.length]!;
  const inShard = (of: readonly number[], shards: number) =>
    of.filter((id) => scene.shardOf(id, bankOf(id), shards) === 0);

  it('that nears its limit stops by itself, and the next ones go on until everyone has been asked', async () => {
    const text = 'Em análise, segunda etapa';
    for (const id of ids.slice(1)) scene.operator.control.decide(scene.reference(id), text);
    const mine = inShard(ids.slice(1), 10);
    const asked = await shortRuns(10, text, mine);
    expect(Math.max(...asked)).toBeLessThan(mine.length);
  });

  it('begins nothing in its last 15 seconds, and something before them', async () => {
    const asked = async (remaining: number) => {
      const before = questions();
      passTime(60_000);
      await poll({ shard: 0, shards: 1 }, lambdaContext(remaining));
      const { query, batch } = questions();
      return query + batch - before.query - before.batch;
    };
    expect(await asked(15_000)).toBe(0);
    expect(await asked(55_000)).toBeGreaterThan(0);
  });

  it('that one bank’s analyses outlast leaves the rest of them to the next, not always the same', async () => {
    const text = 'Em análise, terceira etapa';
    const bank = 'itau';
    const waiting = ids.filter((_, index) => BANKS[index % BANKS.length] === bank);
    for (const id of ids) {
      const status = waiting.includes(id) ? text : 'Aprovado';
      scene.operator.control.decide(scene.reference(id), status);
    }
    const of = inShard(waiting, 2);
    // First those of the other banks come to their outcome, so that this one's are all that is read.
    scene.operator.control.fault({ kind: 'error_500', bank });
    await scene.poll();
    passTime(60_000);
    await scene.poll();
    scene.operator.control.clear();
    expect(await notShowing(text, of)).toEqual(of);
    const asked = await shortRuns(2, text, of);
    expect(Math.max(...asked)).toBeLessThan(of.length);
  });

  it('passes over a row that it cannot read, and asks about those behind it', async () => {
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
});
