import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { seededRandom } from '../../infra/local/seeded-random.ts';
import { SECOND_PASS_AFTER } from '../../shared/domain/leads/erasure.ts';
import { api } from '../makers/api.ts';
import type { CallAnswer } from '../makers/call.ts';
import { erase, erasureOf, expectErased, sweepErasures } from '../makers/erasure.ts';
import { intercepted, shuffled } from '../makers/intercepted.ts';
import { leadBody } from '../makers/people.ts';
import { type Person, useScene } from '../makers/scene.ts';
import { passTime } from '../makers/test-clock.ts';

vi.mock('../../shared/wiring.ts', async (original) => {
  const { interceptable } = await import('../makers/intercepted.ts');
  return interceptable(await original());
});

const SOAK = Boolean(process.env['SOAK']);
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });
const SEEDS =
  process.env['SEEDS']?.split(',').map(Number) ?? Array.from({ length: SOAK ? 30 : 5 }, (_, index) => index + 1);

const scene = useScene();

/** What callers did while a person was erased, and what they were told. */
class Race {
  readonly person: Person;
  readonly keys: string[] = [];
  readonly analyses = new Set<number>();
  readonly simulations = new Set<number>();
  readonly leads = new Set<number>();
  readonly unexpected: string[] = [];
  readonly #seed: number;

  constructor(seed: number, person: Person) {
    this.#seed = seed;
    this.person = person;
  }

  #expect(what: string, { status, body }: CallAnswer, ...statuses: readonly number[]): boolean {
    if (!statuses.includes(status)) this.unexpected.push(`${what}: ${status} ${body?.codigo ?? ''}`);
    return status < 300;
  }

  async submit(key = `race-${this.#seed}-${this.keys.length}`): Promise<void> {
    if (!this.keys.includes(key)) this.keys.push(key);
    const answer = await scene.submit(this.person, ['itau'], key);
    if (!this.#expect('submission', answer, 202, 409, 422)) return;
    for (const { analise_id } of answer.body.analises) this.analyses.add(analise_id);
  }

  async simulate(): Promise<void> {
    const body = { lead_id: this.person.lead, valor_imovel: 500_000, bancos: ['inter'] };
    const answer = await api('createSimulation', { key: scene.key, body });
    if (this.#expect('simulation', answer, 200, 422)) this.simulations.add(answer.body.resultado.id_oportunidade);
  }

  async patch(): Promise<void> {
    const answer = await api('updateLead', { key: scene.key, id: this.person.lead, body: { nome: 'Marina Duarte' } });
    this.#expect('patch', answer, 200, 404);
  }

  async createAgain(): Promise<void> {
    const body = leadBody({ cpf: this.person.cpf });
    const answer = await api('createLead', { key: scene.key, body });
    if (this.#expect('lead', answer, 200, 201)) this.leads.add(answer.body.lead_id);
  }

  async poll(): Promise<void> {
    await scene.poll();
  }

  async erase(): Promise<void> {
    await erase(scene, this.person);
  }
}

/** Lets minutes pass until banks, poller and sweeper have nothing left to do. */
async function comesToRest(race: Race): Promise<void> {
  for (let minute = 0; minute < 30; minute++) {
    for (const id of race.analyses) scene.operator.control.decide(scene.reference(id), 'Aprovado');
    await scene.tick();
    passTime(SECOND_PASS_AFTER / 3);
    await sweepErasures();
    const erasure = await erasureOf(scene, race.person);
    if (erasure?.state === 'apagado' && erasure.nextCheckAt === undefined) return;
  }
}

describe('an erasure beside submissions, simulations, changes, the poller and the sweeper', {
  timeout: 300_000,
}, () => {
  it.each(SEEDS)('ends with nothing left of the person, whoever comes first (seed %i)', async (seed) => {
    const random = seededRandom(seed);
    const race = new Race(seed, await scene.person());
    await race.simulate();
    if (random() < 0.7) {
      await race.submit();
      // Some are decided, and wait for the poller that comes in the race; others are still at the bank.
      passTime(61_000);
      if (random() < 0.7)
        for (const id of race.analyses) scene.operator.control.decide(scene.reference(id), 'Aprovado');
    }
    const steps = [
      () => race.erase(),
      () => race.erase(),
      () => race.submit(),
      () => race.submit(race.keys[0]),
      () => race.simulate(),
      () => race.simulate(),
      () => race.patch(),
      () => race.patch(),
      () => race.createAgain(),
      () => race.createAgain(),
      () => race.poll(),
      () => sweepErasures(),
    ];
    await Promise.all(
      steps.map(async (step) => {
        for (let turns = Math.floor(random() * 200); turns > 0; turns--) await turn();
        await intercepted(shuffled(random), step);
      }),
    );
    expect(race.unexpected).toEqual([]);
    await comesToRest(race);
    expect(await erasureOf(scene, race.person)).toMatchObject({ state: 'apagado' });
    await expectErased(
      scene,
      race.person,
      { simulations: [...race.simulations], analyses: [...race.analyses], keys: race.keys },
      `seed ${seed}`,
    );
    // Who was made anew is whole, and found by the CPF.
    const anew = [...race.leads].filter((lead) => lead !== race.person.lead);
    expect(anew.length).toBeLessThanOrEqual(1);
    for (const lead of anew) {
      expect((await api('getLead', { key: scene.key, id: lead })).body.lead.nome).toBe('Marina Duarte Alves');
      expect((await scene.person(race.person.cpf)).lead).toBe(lead);
    }
  });
});
