import { beforeEach, expect, it } from 'vitest';
import { api, type Operation } from '../makers/api.ts';
import type { CallOptions } from '../makers/call.ts';
import { type MadePartner, makePartner } from '../makers/peers.ts';
import { leadBody } from '../makers/people.ts';
import { useScene } from '../makers/scene.ts';
import { passTime } from '../makers/test-clock.ts';

useScene();
let partner: MadePartner;
beforeEach(async () => {
  partner = await makePartner(120);
});

const call = (operation: Operation, options: CallOptions = {}) => {
  // Two calls in the same millisecond would have no order.
  passTime(1);
  return api(operation, { key: partner.keys.sandbox, ...options });
};
const errors = async (options: CallOptions = {}) => (await call('listRefusedCalls', options)).body;

it('GET /v1/erros shows calls that were refused after admission, newest first, by names and never by values', async () => {
  const cpf = '111.222.333-44';
  const refused = await call('createLead', { body: { ...leadBody({ cpf }), renda: 'muito' } });
  passTime(1000);
  await call('getLead', { id: 7 });
  const { erros, ...rest } = await errors();
  expect(rest).toEqual({ ok: true, limit: 20, offset: 0, tem_mais: false });
  expect(erros).toMatchObject([
    { metodo: 'GET', rota: '/v1/leads/{id}', status: 404, codigo: 'nao_encontrado', campos: [] },
    {
      ...{ metodo: 'POST', rota: '/v1/leads', status: 400, codigo: 'campo_invalido', campos: ['cpf', 'renda'] },
      request_id: refused.body.request_id,
    },
  ]);
  const shown = JSON.stringify(erros);
  expect(shown).not.toContain('muito');
  expect(shown).not.toContain(cpf);
  expect(shown).not.toContain(cpf.replaceAll(/\D/g, ''));
});

it('GET /v1/erros shows a unit its own calls, for any of its keys, and says why it is empty in production', async () => {
  await call('getLead', { id: 1 });
  await call('getLead', { id: 1, key: partner.keys.producao });
  expect((await errors({ key: await partner.addKey({ scopes: ['analises'] }) })).erros).toHaveLength(1);
  expect((await errors({ key: await partner.addKey({ unitId: await partner.addUnit() }) })).erros).toEqual([]);
  const { erros, avisos } = await errors({ key: partner.keys.producao });
  expect(erros).toEqual([]);
  expect(avisos).toEqual([{ campo: 'X-API-Key', motivo: expect.stringContaining('sandbox') }]);
});
