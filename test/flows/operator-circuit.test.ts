import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import * as routes from '../../shared/contract/routes.ts';
import { callHandler } from '../makers/call.ts';
import { analysisBody } from '../makers/people.ts';
import { rowsOf } from '../makers/rows.ts';
import { type Handlers, Scene } from '../makers/scene.ts';
import { passTime } from '../makers/test-clock.ts';

vi.mock('../../shared/wiring.ts', async (original) => {
  const { interceptable } = await import('../makers/intercepted.ts');
  return interceptable(await original());
});

let scene: Scene;
let submit: unknown;
beforeAll(async () => {
  const { handler } = await import('../../functions/api/analyses/submit-analyses.ts');
  submit = handler;
  const { handler: createLead } = await import('../../functions/api/leads/create-lead.ts');
  // The operator knows another token than the service has: it answers 401 to all.
  scene = await Scene.open({ createLead, submitAnalyses: submit } as Handlers, { token: 'another-token-of-16' });
});
afterAll(() => scene.close());

it('a submission that no bank would get is refused before anything is stored, and what was taken in still answers', async () => {
  const person = await scene.person();
  const call = (key: string, body: unknown = person.body) =>
    callHandler(submit, routes.submitAnalyses, { key: scene.key, body, headers: { 'idempotency-key': key } });

  // What may still be served: the token was not refused before. It is in doubt, and the poller's to send.
  const first = await call('k1');
  expect([first.status, first.body.analises[0].num_consulta]).toEqual([202, '']);

  const rows = async () => (await rowsOf('ANALYSIS#')).length;
  const before = await rows();
  const shed = await call('k2');
  expect([shed.status, shed.body.codigo]).toEqual([503, 'servico_indisponivel']);
  expect(Number(shed.headers['retry-after'])).toBeGreaterThan(0);
  expect(Number(shed.headers['retry-after'])).toBeLessThanOrEqual(30);
  expect(await rows()).toBe(before);

  expect((await call('k1')).headers['idempotent-replay']).toBe('true');
  expect((await call('k1', { ...person.body, renda: 1 })).body.codigo).toBe('idempotency_conflito');
  expect((await call('k3', analysisBody(1, { cpf: person.cpf }))).body.codigo).toBe('lead_nao_encontrado');

  passTime(30_001);
  expect((await call('k2')).status).toBe(202);
});
