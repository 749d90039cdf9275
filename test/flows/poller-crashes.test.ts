import { describe, expect, it, vi } from 'vitest';
import type { OperatorFaultKind } from '#infra/local/operator/faults.ts';
import { BANKS, type Bank } from '#shared/domain/values/bank.ts';
import { atEachCall, stoppedAt } from '../makers/intercepted.ts';
import { type Person, useScene } from '../makers/scene.ts';
import { passTime } from '../makers/test-clock.ts';

vi.mock('#shared/wiring.ts', async (real) => (await import('../makers/intercepted.ts')).openWiring(await real()));

const SOAK = Boolean(process.env['SOAK']);
vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 });
/** Banks of a submission. Two meet each other at the index and the queue; one is enough where the submission is stopped. */
const COUNTS = SOAK ? [1, 2, 6] : [2];
const STOPPED_COUNTS = SOAK ? [1, 2, 6] : [1];

const scene = useScene();

let keys = 0;
const newKey = () => `key-${++keys}`;

/** Each point of a run but its many reads of the index, of which the first stands for all. */
function pointsOf(): (name: string) => boolean {
  let queries = 0;
  return (name) => !name.includes('Query') || ++queries === 1;
}

/** Every analysis has its one final situation, told by one event that says the same. */
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

describe.each(COUNTS)('the poller over %i analyses, stopped anywhere', (count) => {
  const banks = BANKS.slice(0, count);

  it('leaves one final situation and one event each after two further runs', async () => {
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
    // Where it begins, the index, of each analysis the operator, the change and the queue, and where the next begins.
    expect(points).toBe(3 + 3 * count);
  });
});

describe.each(STOPPED_COUNTS)('the poller over %i analyses in doubt, stopped anywhere', (count) => {
  const banks = BANKS.slice(0, count);

  it('leaves one bank submission, final situation and event', async () => {
    await atEachCall(async (point) => {
      const person = await scene.person();
      const unsent = { at: 1, when: 'before', of: 'operator submit' } as const;
      await stoppedAt(unsent, () => scene.submit(person, banks, newKey()));
      passTime(61_000);
      const { where, finished } = await stoppedAt(point, () => scene.poll(), pointsOf());
      // One that died between its question and its sending holds the bank submission for a minute.
      for (let tick = 0; tick < 4; tick++) await scene.tick(person);
      await expectOneOutcome(person, banks, where);
      return finished;
    });
  });
});

it('the poller over a batch, stopped anywhere, leaves one final situation and one event each after two further runs', async () => {
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
  // Where it begins, the index, one question, of each analysis the change and the queue, and where the next begins.
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

  it.each(FAULTS)('leaves no second query behind: %s at the bank submission and at the first poll', async (kind) => {
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
