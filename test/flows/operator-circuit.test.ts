import { expect, it } from 'vitest';
import { analysisBody } from '../makers/people.ts';
import { rowsOf } from '../makers/rows.ts';
import { useScene } from '../makers/scene.ts';
import { passTime } from '../makers/test-clock.ts';

// The operator knows another token than the service has: it answers 401 to all.
const scene = useScene({ token: 'another-token-of-16' });

it('a submission that no bank would get is refused before anything is stored, and what was taken in still answers', async () => {
  const person = await scene.person();
  const call = (key: string, body: Record<string, unknown> = person.body) => scene.submitBody(body, key);

  // What may still be served: the token was not refused before. It is in doubt, and the poller's to send.
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
  expect((await call('k3', analysisBody(1, { cpf: person.cpf }))).body.codigo).toBe('lead_nao_encontrado');

  passTime(30_001);
  expect((await call('k2')).status).toBe(202);
});
