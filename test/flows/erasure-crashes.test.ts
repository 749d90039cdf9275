import { describe, expect, it, vi } from 'vitest';
import { api } from '../makers/api.ts';
import { erase, erasureOf, erasuresEnd, expectErased, sweepErasures, type Traces } from '../makers/erasure.ts';
import { atEachCall, intercepted, meanwhile, stoppedAt } from '../makers/intercepted.ts';
import { simulationBody } from '../makers/people.ts';
import { type Person, useScene } from '../makers/scene.ts';
import { passTime } from '../makers/test-clock.ts';

vi.mock('#shared/wiring.ts', async (real) => (await import('../makers/intercepted.ts')).openWiring(await real()));

const SOAK = Boolean(process.env['SOAK']);
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });
const SIDES = SOAK ? (['before', 'after'] as const) : (['after'] as const);

const scene = useScene();

/** Somebody with a simulation and with an analysis that a bank has decided. */
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

describe('an erasure that is stopped anywhere', () => {
  it.each(SOAK ? ['the sweeper', 'the same command'] : ['the sweeper'])('is carried on by %s', async (by) => {
    const points = await atEachCall(async (point) => {
      const { person, traces } = await somebody(`crash-${++keys}`);
      const { where, finished } = await stoppedAt(point, () => erase(scene, person));
      // Before it was noted nothing has begun: whoever asked for it was told nothing, and asks again.
      if (by === 'the same command' || !(await erasureOf(scene, person))) await erase(scene, person);
      await erasuresEnd();
      const { state, nextCheckAt } = (await erasureOf(scene, person))!;
      expect(state, where).toBe('apagado');
      expect(nextCheckAt, where).toBeUndefined();
      await expectErased(scene, person, traces, where);
      return finished;
    }, SIDES);
    expect(points).toBeGreaterThan(10);
  });

  it('is carried on where the sweeper is stopped too', async () => {
    await atEachCall(async (point) => {
      const { person, traces } = await somebody(`sweep-${++keys}`);
      // Noted, and no further: the first call after the note is the mark's reading.
      await stoppedAt({ at: 3, when: 'before' }, () => erase(scene, person));
      if (!(await erasureOf(scene, person))) throw new Error('nothing was begun');
      passTime(6 * 60_000);
      const { where, finished } = await stoppedAt(point, sweepErasures);
      await erasuresEnd();
      await erasuresEnd();
      expect((await erasureOf(scene, person))?.nextCheckAt, where).toBeUndefined();
      await expectErased(scene, person, traces, where);
      return finished;
    }, SIDES);
  });
});

it('from the mark on everything of the person is gone for callers, however little was erased yet', async () => {
  const { person, traces } = await somebody('marked');
  // The first transaction notes the erasure, the second marks the lead.
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
  /** Gives the analysis, which its bank has approved. */
  async function cutOff(person: Person, key: string): Promise<number> {
    const sent = { at: 1, when: 'after', of: 'operator submit' } as const;
    expect((await stoppedAt(sent, () => scene.submit(person, ['itau'], key))).finished).toBe(false);
    const [{ analise_id }] = (await scene.analyses(person.lead)).body.analises;
    scene.operator.control.decide(scene.reference(analise_id), 'Aprovado');
    for (let minute = 0; minute < 3; minute++) await scene.tick(person);
    return analise_id;
  }

  it('answers its key like an unknown lead, as often as it is asked', async () => {
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

  it('answers so too where the erasure comes between its reading and its resuming', async () => {
    const person = await scene.person();
    await cutOff(person, 'between');
    scene.lockRunsOut();
    const erasing = meanwhile('table BatchGetItemCommand', () => erase(scene, person), { when: 'after' });
    const again = await intercepted(erasing, () => scene.submit(person, ['itau'], 'between'));
    expect(again.status).toBe(422);
    expect(again.body.codigo).toBe('lead_nao_encontrado');
  });
});
