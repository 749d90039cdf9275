import { beforeEach, describe, expect, it } from 'vitest';
import { createLead } from '../../shared/contract/routes.ts';
import { tableRefusedCalls } from '../../shared/table/refused-calls.ts';
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
  // Calls of one millisecond have no order.
  passTime(1);
  return api(operation, { key: partner.keys.sandbox, ...options });
};
const errors = async (options: CallOptions = {}) => (await call('listRefusedCalls', options)).body;

describe('GET /v1/erros', () => {
  it('shows what was refused after its admission, newest first, by names and never by values', async () => {
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
    expect(JSON.stringify(erros)).not.toContain('111');
  });

  it('is the unit’s own, for any of its keys, and empty in production with a word on why', async () => {
    await call('getLead', { id: 1 });
    await call('getLead', { id: 1, key: partner.keys.producao });
    expect((await errors({ key: await partner.addKey({ scopes: ['analises'] }) })).erros).toHaveLength(1);
    expect((await errors({ key: await partner.addKey({ unitId: await partner.addUnit() }) })).erros).toEqual([]);
    const { erros, avisos } = await errors({ key: partner.keys.producao });
    expect([erros, avisos]).toEqual([[], [{ campo: 'X-API-Key', motivo: expect.stringContaining('sandbox') }]]);
  });

  it('forgets after 24 hours, and shows the newest 100 in pages', async () => {
    const refusals = tableRefusedCalls();
    const tenancy = { unitId: partner.unitId, environment: 'sandbox' } as const;
    const note = (at: number, requestId: string) =>
      refusals.note(tenancy, {
        at,
        method: 'POST',
        path: createLead.path,
        code: 'json_invalido',
        fields: [],
        requestId,
      });
    await note(Date.now(), 'old');
    passTime(86_400_001);
    await Promise.all(Array.from({ length: 103 }, (_, index) => note(Date.now() + index, `r${index}`)));
    const seen: string[] = [];
    for (const offset of ['0', '60', '100']) {
      const { erros, tem_mais } = await errors({ query: { limit: '60', offset } });
      seen.push(...erros.map((one: { request_id: string }) => one.request_id));
      expect(tem_mais).toBe(offset === '0');
    }
    expect(seen).toEqual(Array.from({ length: 100 }, (_, index) => `r${102 - index}`));
  });
});
