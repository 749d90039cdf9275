import { describe, expect, it, vi } from 'vitest';
import { api } from '../makers/api.ts';
import { erase, erasureOf, expectErased, finishErasures, sweepErasures, type Traces } from '../makers/erasure.ts';
import { atEachCall, intercepted, meanwhile, stoppedAt } from '../makers/intercepted.ts';
import { simulationBody } from '../makers/people.ts';
import { type Person, useScene } from '../makers/scene.ts';
import { passTime } from '../makers/test-clock.ts';

vi.mock('#shared/wiring.ts', async (real) => (await import('../makers/intercepted.ts')).openWiring(await real()));

const SOAK = Boolean(process.env['SOAK']);
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });
const SIDES = SOAK ? (['before', 'after'] as const) : (['after'] as const);

const scene = useScene();

/** Returns a person with a simulation and with an analysis that a bank has decided. */
async function somebody(key: string): Promise<{ person: Person; traces: Traces }> {
  const person = await scene.person();
  const simulated = await api('createSimulation', { key: scene.key, body: simulationBody(person.lead) });
  const submitted = await scene.submit(person, ['itau'], key);
  const analyses: number[] = submitted.body.analises.map(({ analise_id }: { analise_id: number }) => analise_id);
  for (const id of analyses) scene.operator.control.decide(scene.reference(id), 'Aprovado');
  await scene.settled(person, ['itau']);
  await scene.tick(person);
  const simulations = [
    simulated.body.resultado.id_oportunidade,
    simulated.body.resultado.resultados[0].simulacao_id,
  ] as number[];
  return { person, traces: { simulations, analyses, keys: [key] } };
}

let keys = 0;

describe('erasePerson and sweepErasures', () => {
  const ways = SOAK ? ['the sweeper', 'the same command'] : ['the sweeper'];
  it.each(ways)('an erasure that is stopped at any call is completed by %s', async (by) => {
    const points = await atEachCall(async (point) => {
      const { person, traces } = await somebody(`crash-${++keys}`);
      const { where, finished } = await stoppedAt(point, () => erase(scene, person));
      // An erasure that stopped before it was recorded has not begun. The caller got no answer, and asks again.
      if (by === 'the same command' || !(await erasureOf(scene, person))) await erase(scene, person);
      await finishErasures();
      const { state, nextCheckAt } = (await erasureOf(scene, person))!;
      expect(state, where).toBe('apagado');
      expect(nextCheckAt, where).toBeUndefined();
      await expectErased(scene, person, traces, where);
      return finished;
    }, SIDES);
    expect(points).toBeGreaterThan(10);
  });

  it('an erasure is completed even if the sweeper that continues it is stopped at any call', async () => {
    await atEachCall(async (point) => {
      const { person, traces } = await somebody(`sweep-${++keys}`);
      // The erasure is recorded and stops there: its next call would read the lead to mark it.
      await stoppedAt({ at: 3, when: 'before' }, () => erase(scene, person));
      if (!(await erasureOf(scene, person))) throw new Error('nothing was begun');
      passTime(6 * 60_000);
      const { where, finished } = await stoppedAt(point, sweepErasures);
      await finishErasures();
      await finishErasures();
      expect((await erasureOf(scene, person))?.nextCheckAt, where).toBeUndefined();
      await expectErased(scene, person, traces, where);
      return finished;
    }, SIDES);
  });
});

it('once a lead is marked for erasure, callers find nothing of the person, however little is erased yet', async () => {
  const { person, traces } = await somebody('marked');
  // The first transaction records the erasure, the second marks the lead.
  const mark = { at: 2, when: 'after', of: 'table TransactWriteItemsCommand' } as const;
  expect((await stoppedAt(mark, () => erase(scene, person))).finished).toBe(false);
  expect(await erasureOf(scene, person)).toMatchObject({ state: 'apagando' });
  const { key } = scene;
  const { lead: id } = person;
  expect((await api('getLead', { key, id })).status).toBe(404);
  for (const simulation of traces.simulations)
    expect((await api('getSimulation', { key, id: simulation })).status).toBe(404);
  expect((await scene.submit(person, ['itau'], 'marked')).body.codigo).toBe('lead_nao_encontrado');
});

describe('a submission that was cut off, concluded by the poller, and whose person was erased', () => {
  /**
   * Cuts a submission off after the bank got it, and lets bank and poller decide it. Returns the id of the analysis.
   */
  async function cutOff(person: Person, key: string): Promise<number> {
    const sent = { at: 1, when: 'after', of: 'operator submit' } as const;
    expect((await stoppedAt(sent, () => scene.submit(person, ['itau'], key))).finished).toBe(false);
    const [{ analise_id }] = (await scene.analyses(person.lead)).body.analises;
    scene.operator.control.decide(scene.reference(analise_id), 'Aprovado');
    for (let minute = 0; minute < 3; minute++) await scene.tick(person);
    return analise_id;
  }

  it('the key of a submission whose person was erased answers lead_nao_encontrado each time', async () => {
    const person = await scene.person();
    const analise_id = await cutOff(person, 'cut off');
    expect((await scene.status(analise_id)).body.analise.pendente).toBe(false);
    expect(await erase(scene, person)).toMatchObject({ state: 'apagado' });
    scene.lockRunsOut();
    for (let time = 0; time < 2; time++) {
      const again = await scene.submit(person, ['itau'], 'cut off');
      expect(again.status).toBe(422);
      expect(again.body.codigo).toBe('lead_nao_encontrado');
      expect(again.body.campos[0].campo).toBe('lead_id');
    }
    expect(scene.queriesOn(person, ['itau'])).toEqual([1]);
  });

  it('a retry answers lead_nao_encontrado if the erasure comes between its read and its resume', async () => {
    const person = await scene.person();
    await cutOff(person, 'between');
    scene.lockRunsOut();
    const erasing = meanwhile('table BatchGetItemCommand', () => erase(scene, person), { when: 'after' });
    const again = await intercepted(erasing, () => scene.submit(person, ['itau'], 'between'));
    expect(again.status).toBe(422);
    expect(again.body.codigo).toBe('lead_nao_encontrado');
  });
});
