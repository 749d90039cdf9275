import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { BANKS, type Bank } from '#shared/domain/values/bank.ts';
import { administration } from '../makers/administration.ts';
import { atEachCall, stoppedAt } from '../makers/intercepted.ts';
import { type Person, useScene } from '../makers/scene.ts';
import { type ServedAdministration, serveAdministration } from '../makers/served-administration.ts';

vi.mock('#shared/wiring.ts', async (real) => (await import('../makers/intercepted.ts')).openWiring(await real()));

const SOAK = Boolean(process.env['SOAK']);
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });
const COUNTS = SOAK ? [1, 2, 6] : [2];

const scene = useScene();

interface Shown {
  readonly analise_id: number;
  readonly banco: Bank;
  readonly num_consulta: string;
  readonly situacao: string;
}

let keys = 0;
/** Submits analyses. Returns them once their banks have confirmed and not decided them. */
async function submitted(banks: readonly Bank[]): Promise<{ person: Person; analyses: readonly Shown[] }> {
  const person = await scene.person();
  const { analises } = (await scene.submit(person, banks, `key-${++keys}`)).body;
  for (;;) {
    const shown = analises.map(async ({ analise_id }: Shown) => (await scene.status(analise_id)).body.analise);
    const analyses: Shown[] = await Promise.all(shown);
    decided(analyses, 'Em análise');
    if (analyses.every(({ num_consulta }) => num_consulta !== '')) return { person, analyses };
    // On a busy machine a bank submission may get no answer in time. The poller then finds it at the operator or sends
    // it.
    await scene.tick(person);
  }
}

const decided = (analyses: readonly Shown[], status: string) => {
  for (const { analise_id } of analyses) scene.operator.control.decide(scene.reference(analise_id), status);
};
const told = (analyses: readonly Shown[], status: string) =>
  analyses.map(({ analise_id, banco, num_consulta }) => ({
    reference: scene.reference(analise_id),
    bank: banco,
    queryNumber: num_consulta,
    status,
  }));

async function push(analyses: readonly Shown[], status: string): Promise<string[]> {
  const { body } = await administration('record-outcomes', { body: { submissions: told(analyses, status) } });
  return body.results.map(({ result, reason }: { result: string; reason: string | null }) => reason ?? result);
}

/** Checks that each analysis has its final situation, and one event that says the same. */
async function expectOneOutcome(analyses: readonly Shown[], final: string, point: string) {
  for (const { analise_id } of analyses) {
    const { situacao } = (await scene.status(analise_id)).body.analise;
    expect(situacao, point).toBe(final);
    const events = await scene.events([analise_id]);
    expect(
      events.map(({ body }) => JSON.parse(body)),
      point,
    ).toEqual([
      expect.objectContaining({
        sequencia: 1,
        data: expect.objectContaining({ analise_id, situacao, pendente: false }),
      }),
    ]);
  }
}

describe('POST /resultados', () => {
  let served: ServedAdministration;
  beforeAll(async () => {
    served = await serveAdministration(scene.peers);
    scene.operator.control.pushTo({ url: served.url, token: served.tokens['operator']! });
  });
  afterAll(() => served.close());

  it('a pushed outcome is booked with its event within the call, and the next poll asks nothing about it', async () => {
    const { person, analyses } = await submitted(['itau', 'inter']);
    decided(analyses, 'Aprovado com restrição');
    const references = analyses.map(({ analise_id }) => scene.reference(analise_id));
    const order = await fetch(`${scene.operator.url}/control/push`, {
      method: 'POST',
      headers: { authorization: 'Bearer the-operator-token' },
      body: JSON.stringify({ references }),
    });
    expect(await order.json()).toEqual({
      status: 200,
      body: { ok: true, results: references.map(() => ({ result: 'recorded', reason: null })) },
    });
    await expectOneOutcome(analyses, 'condicionado', 'pushed');
    const { query, batch } = scene.operator.control.state().calls;
    await scene.tick(person);
    expect(scene.operator.control.state().calls).toMatchObject({ query, batch });
  });
});

describe.each(COUNTS)('a push of %i outcomes', (count) => {
  const banks = BANKS.slice(0, count);

  it.each([
    ['pushed again', (analyses: readonly Shown[]) => push(analyses, 'Aprovado')],
    ['polled', (_: readonly Shown[], person: Person) => scene.tick(person)],
  ])('a push that is stopped at any call leaves one outcome and one event each once it is %s', async (_, goOn) => {
    const points = await atEachCall(async (point) => {
      const { person, analyses } = await submitted(banks);
      decided(analyses, 'Aprovado');
      const { where, finished } = await stoppedAt(point, () => push(analyses, 'Aprovado'));
      await goOn(analyses, person);
      await expectOneOutcome(analyses, 'aprovado', where);
      return finished;
    });
    // The calls for each outcome: read its row, change the row, and send to the queue.
    expect(points).toBe(3 * count);
  });
});
