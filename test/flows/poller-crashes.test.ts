import { describe, expect, it, vi } from 'vitest';
import type { OperatorFaultKind } from '#infra/local/operator/faults.ts';
import { BANKS, type Bank } from '#shared/domain/values/bank.ts';
import { atEachCall, stoppedAt } from '../makers/intercepted.ts';
import { type Person, useScene } from '../makers/scene.ts';
import { passTime } from '../makers/test-clock.ts';

vi.mock('#shared/wiring.ts', async (real) => (await import('../makers/intercepted.ts')).openWiring(await real()));

const SOAK = Boolean(process.env['SOAK']);
vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 });
/**
 * Numbers of banks in a submission. With two banks, two analyses share the index and the queue. If the submission is
 * stopped, one bank is enough.
 */
const COUNTS = SOAK ? [1, 2, 6] : [2];
const STOPPED_COUNTS = SOAK ? [1, 2, 6] : [1];

/**
 * A stopped run ends, but its container stays: the next run has the memory of the stopped one. Runs of other containers
 * are in overlaps.test.ts, and the death of the process is in kill-and-restart.test.ts.
 */
const scene = useScene();

let keys = 0;
const newKey = () => `key-${++keys}`;

/**
 * Returns whether a run is stopped at a call, by the call's name. Of the table's queries only the first counts, because
 * a run stopped at any other query leaves the same state.
 */
function pointsOf(): (name: string) => boolean {
  let queries = 0;
  return (name) => !name.includes('Query') || ++queries === 1;
}

/** Checks that each analysis is final, that one event says the same, and that each bank was asked once. */
async function expectOneOutcome(person: Person, banks: readonly Bank[], point: string): Promise<void> {
  const { pendentes, analises } = (await scene.analyses(person.lead)).body;
  expect(pendentes, point).toBe(0);
  expect(analises, point).toHaveLength(banks.length);
  for (const { analise_id, situacao } of analises) {
    const events = await scene.events([analise_id]);
    expect(
      events.map(({ type }) => type),
      point,
    ).toEqual([situacao === 'erro' ? 'analise.erro' : 'analise.resultado']);
    expect(JSON.parse(events[0]!.body)).toMatchObject({
      sequencia: 1,
      data: { analise_id, situacao, pendente: false },
    });
  }
  expect(scene.queriesOn(person, banks), point).toEqual(banks.map(() => 1));
}

describe.each(COUNTS)('poll-bank-outcomes with %i analyses', (count) => {
  const banks = BANKS.slice(0, count);

  it('a poller run that is stopped at any call leaves one outcome and one event each after two more runs', async () => {
    const points = await atEachCall(async (point) => {
      const person = await scene.person();
      await scene.submit(person, banks, newKey());
      passTime(60_000);
      const { where, finished } = await stoppedAt(point, () => scene.poll(), pointsOf());
      await scene.tick(person);
      await scene.tick(person);
      await expectOneOutcome(person, banks, where);
      return finished;
    });
    // The calls are: the read of the cursor, the query of the index, then for each analysis the operator, the change
    // and the queue, and at the end the write of the next cursor.
    expect(points).toBe(3 + 3 * count);
  });
});

describe.each(STOPPED_COUNTS)('poll-bank-outcomes with %i analyses in doubt', (count) => {
  const banks = BANKS.slice(0, count);

  it('a poller run stopped at any call leaves one bank submission, outcome and event for analyses in doubt', async () => {
    await atEachCall(async (point) => {
      const person = await scene.person();
      const unsent = { at: 1, when: 'before', of: 'operator submit' } as const;
      await stoppedAt(unsent, () => scene.submit(person, banks, newKey()));
      passTime(61_000);
      const { where, finished } = await stoppedAt(point, () => scene.poll(), pointsOf());
      // A run that died between its query and its submit keeps the submit lease for a minute.
      for (let tick = 0; tick < 4; tick++) await scene.tick(person);
      await expectOneOutcome(person, banks, where);
      return finished;
    });
  });
});

it('a batch poll that is stopped at any call leaves one outcome and one event each after two more runs', async () => {
  const points = await atEachCall(async (point) => {
    const people = [await scene.person(), await scene.person(), await scene.person()];
    for (const person of people) await scene.submit(person, ['itau'], newKey());
    passTime(60_000);
    const { batch } = scene.operator.control.state().calls;
    const { where, finished } = await stoppedAt(point, () => scene.poll(), pointsOf());
    if (finished) expect(scene.operator.control.state().calls.batch).toBe(batch + 1);
    await scene.tick(...people);
    await scene.tick(...people);
    for (const person of people) await expectOneOutcome(person, ['itau'], where);
    return finished;
  });
  // The calls are: the read of the cursor, the query of the index, one batch query, then for each analysis the change
  // and the queue, and at the end the write of the next cursor.
  expect(points).toBe(4 + 2 * 3);
});

describe('an operator that fails', () => {
  const FAULTS: readonly OperatorFaultKind[] = [
    'error_500',
    'error_500_after',
    'lost_answer',
    'lost_before',
    'reset',
    'garbage',
    'huge_body',
    'wrong_reference',
    'wrong_bank',
    'unauthorized',
  ];

  it.each(FAULTS)('a bank is asked once after %s at the bank submission and the first poll', async (kind) => {
    const banks = BANKS.slice(0, 2);
    scene.operator.control.fault({ kind, times: 4 });
    const person = await scene.person();
    const key = newKey();
    const answer = await scene.submit(person, banks, key);
    expect(answer.status).toBe(202);
    expect(answer.body.analises).toMatchObject(banks.map(() => ({ sucesso: true, num_consulta: '' })));
    for (let tick = 0; tick < 5; tick++) await scene.tick(person);
    scene.operator.control.clear();
    await expectOneOutcome(person, banks, kind);
    expect((await scene.submit(person, banks, key)).text).toBe(answer.text);
  });
});
