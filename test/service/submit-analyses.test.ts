import { beforeEach, expect, it, vi } from 'vitest';
import { SUBMIT_LEASE } from '#shared/domain/analyses/analysis.ts';
import { stoppedAt } from '../makers/intercepted.ts';
import { useScene } from '../makers/scene.ts';
import { passTime } from '../makers/test-clock.ts';

vi.mock('#shared/wiring.ts', async (real) => (await import('../makers/intercepted.ts')).openWiring(await real()));

const scene = useScene();
beforeEach(() => scene.operator.control.clear());

let keys = 0;
const newKey = () => `key-${++keys}`;

it('POST /v1/analises refuses a consent from a loopback address, and a consent of more than 180 days', async () => {
  const person = await scene.person();
  const old = new Date(Date.now() - 181 * 86_400_000).toISOString();
  for (const [campo, value] of [
    ['consentimento_ip', '127.0.0.1'],
    ['consentimento_timestamp', old],
  ] as const) {
    const { status, body } = await scene.submitBody({ ...person.body, [campo]: value }, newKey());
    expect(status).toBe(400);
    expect(body.codigo).toBe('campo_invalido');
    expect(body.campos).toMatchObject([{ campo }]);
  }
  expect((await scene.consents(person.lead)).body.consentimentos).toEqual([]);
});

it('POST /v1/analises answers one entry per bank in the order asked, with the bank’s number and text', async () => {
  const { body } = await scene.submitBody({ ...(await scene.person()).body, bancos: ['CashMe', 1, 'inter'] }, newKey());
  const entry = { sucesso: true, status: 'Em análise', num_consulta: expect.stringMatching(/\w/) };
  expect(body.analises).toMatchObject([6, 1, 4].map((banco_id) => ({ banco_id, ...entry })));
});

it('POST /v1/analises answers 409 with Retry-After while another run holds the key', async () => {
  const person = await scene.person();
  const key = newKey();
  const died = await stoppedAt(
    { at: 1, when: 'before' },
    () => scene.submit(person, ['itau'], key),
    (name) => name === 'operator submit',
  );
  expect(died).toMatchObject({ finished: false });
  passTime(SUBMIT_LEASE - 40_000);
  const before = scene.peers.metrics.length;
  const answer = await scene.submit(person, ['itau'], key);
  const counted = scene.peers.metrics.slice(before).filter((line) => line['IdempotencyInFlight'] !== undefined);
  expect(counted).toMatchObject([{ IdempotencyInFlight: 1 }]);
  expect(answer.status).toBe(409);
  expect(answer.body.codigo).toBe('idempotencia_em_andamento');
  const rest = Number(answer.headers['retry-after']);
  expect(rest).toBeGreaterThan(2);
  expect(rest).toBeLessThanOrEqual(40);
  passTime(rest * 1000);
  expect((await scene.submit(person, ['itau'], key)).status).toBe(202);
});

it('POST /v1/analises replays the stored answer of a key for 30 days, and submits again after that', async () => {
  const person = await scene.person();
  const key = newKey();
  const first = await scene.submit(person, ['itau'], key);
  passTime(29 * 86_400_000);
  expect((await scene.submit(person, ['itau'], key)).text).toBe(first.text);
  passTime(2 * 86_400_000);
  const later = await scene.submit(person, ['itau'], key);
  expect(later.status).toBe(202);
  expect(later.headers['idempotent-replay']).toBeUndefined();
  expect(later.body.analises[0].analise_id).not.toBe(first.body.analises[0].analise_id);
});
