import { expect, it } from 'vitest';
import { analysisBody, cpfFrom } from '../makers/people.ts';
import { rowsOf } from '../makers/rows.ts';
import { useScene } from '../makers/scene.ts';
import { passTime } from '../makers/test-clock.ts';

// The operator expects another token than the service sends, so it answers every call with 401.
const scene = useScene({ token: 'another-token-of-16' });

it('while the operator refuses our token, a new submission is refused and not stored, and old keys are answered', async () => {
  const person = await scene.person();
  const call = (key: string, body: Record<string, unknown> = person.body) => scene.submitBody(body, key);

  // The first submission is accepted, since the token was not refused before. It is in doubt, and the poller will send
  // it.
  const first = await call('k1');
  expect(first.status).toBe(202);
  expect(first.body.analises[0].num_consulta).toBe('');

  const rows = async () => (await rowsOf('ANALYSIS#')).length;
  const before = await rows();
  const shed = await call('k2');
  expect(shed.status).toBe(503);
  expect(shed.body.codigo).toBe('servico_indisponivel');
  expect(Number(shed.headers['retry-after'])).toBeGreaterThan(0);
  expect(Number(shed.headers['retry-after'])).toBeLessThanOrEqual(30);
  expect(await rows()).toBe(before);

  expect((await call('k1')).headers['idempotent-replay']).toBe('true');
  expect((await call('k1', { ...person.body, renda: 1 })).body.codigo).toBe('idempotency_conflito');
  const ofAnother = analysisBody(person.lead, { cpf: cpfFrom(5) });
  expect((await call('k4', ofAnother)).body.codigo).toBe('divergencia_titular');
  expect((await call('k3', analysisBody(1, { cpf: person.cpf }))).body.codigo).toBe('lead_nao_encontrado');

  passTime(30_001);
  expect((await call('k2')).status).toBe(202);
});
