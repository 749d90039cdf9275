import { beforeAll, expect, it, vi } from 'vitest';
import { seededRandom } from '#infra/local/aws/aws-like/settings.ts';
import type { Bank } from '#shared/domain/values/bank.ts';
import { extendTimeLimits } from '../makers/crowd.ts';
import { intercepted, shuffled } from '../makers/intercepted.ts';
import { useScene } from '../makers/scene.ts';

vi.mock('#shared/wiring.ts', async (real) => (await import('../makers/intercepted.ts')).openWiring(await real()));

const SOAK = Boolean(process.env['SOAK']);
vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 });
const SEEDS = SOAK ? 20 : 2;
const PAIRS = SOAK ? 1_000 : 100;
const BANKS_ASKED: readonly Bank[] = ['itau', 'inter'];

const scene = useScene();

beforeAll(extendTimeLimits);

it.each(Array.from({ length: SEEDS }, (_, index) => index + 1))(
  'one key makes one submission for 200 callers at once (seed %i)',
  async (seed) => {
    const random = seededRandom(seed);
    const person = await scene.person();
    const key = `shared-${seed}`;
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => intercepted(shuffled(random), () => scene.submit(person, BANKS_ASKED, key))),
    );
    const accepted = answers.filter(({ status }) => status === 202);
    expect(answers.filter(({ status }) => status !== 202 && status !== 409)).toEqual([]);
    expect(accepted.filter(({ headers }) => headers['idempotent-replay'] === undefined)).toHaveLength(1);
    expect(new Set(accepted.map(({ text }) => text)).size).toBe(1);
    await scene.settled(person, BANKS_ASKED);
    expect(scene.queriesOn(person, BANKS_ASKED)).toEqual([1, 1]);
    expect((await scene.consents(person.lead)).body.consentimentos).toHaveLength(1);
    expect((await scene.analyses(person.lead)).body.analises).toHaveLength(2);
  },
);

it('one key with two bodies at once is answered 202 for one body and 422 for the other', {
  timeout: 900_000,
}, async () => {
  const random = seededRandom(7);
  const person = await scene.person();
  for (let pair = 0; pair < PAIRS; pair++) {
    const answers = await Promise.all(
      [500_000, 500_001].map((valor_imovel) =>
        intercepted(shuffled(random), () =>
          scene.submitBody({ ...person.body, bancos: ['brb'], valor_imovel }, `pair-${pair}`),
        ),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 422]);
    expect(answers.find(({ status }) => status === 422)?.body.codigo).toBe('idempotency_conflito');
  }
  for (let minute = 0; minute < 2; minute++) await scene.tick();
  expect(scene.operator.control.queriesOn(person.cpf, 'brb')).toBe(PAIRS);
});
