import { beforeEach, describe, expect, it, vi } from 'vitest';
import { SUBMIT_LEASE } from '../../shared/domain/analyses/analysis.ts';
import { BANK_IDENTITIES, type Bank } from '../../shared/domain/values/bank.ts';
import { api } from '../makers/api.ts';
import { stoppedAt } from '../makers/intercepted.ts';
import { useScene } from '../makers/scene.ts';
import { passTime } from '../makers/test-clock.ts';

vi.mock('../../shared/wiring.ts', async (original) => {
  const { interceptable } = await import('../makers/intercepted.ts');
  return interceptable(await original());
});

const scene = useScene();
beforeEach(() => scene.operator.control.clear());

let keys = 0;
const newKey = () => `key-${++keys}`;

describe('POST /v1/analises', () => {
  it('takes no consent from an address that is nobody’s in production, and says where one is not public', async () => {
    const person = await scene.person();
    const from = (consentimento_ip: string) => scene.submitBody({ ...person.body, consentimento_ip }, newKey());
    const refused = await from('127.0.0.1');
    expect([refused.status, refused.body.codigo]).toEqual([400, 'campo_invalido']);
    expect(refused.body.campos.map(({ campo }: { campo: string }) => campo)).toEqual(['consentimento_ip']);
    expect((await scene.consents(person.lead)).body.consentimentos).toEqual([]);
    const noticed = await from('192.168.0.7');
    expect(noticed.status).toBe(202);
    expect(noticed.body.avisos).toEqual([{ campo: 'consentimento_ip', motivo: expect.stringContaining('privado') }]);
    expect((await from('177.45.10.20')).body.avisos).toBeUndefined();
    const old = { consentimento_timestamp: new Date(Date.now() - 181 * 86_400_000).toISOString() };
    const late = await scene.submitBody({ ...person.body, ...old }, newKey());
    expect([late.status, late.body.campos]).toEqual([
      400,
      [{ campo: 'consentimento_timestamp', motivo: expect.stringContaining('mais de 180 dias') }],
    ]);
  });

  it('keeps the version of the text that the customer accepted', async () => {
    const person = await scene.person();
    await scene.submitBody({ ...person.body, consentimento_versao: 'termo 7' }, newKey());
    expect((await scene.consents(person.lead)).body.consentimentos).toMatchObject([
      { canal: 'web', versao: 'termo 7' },
    ]);
  });

  it('answers one entry per bank in the order asked, with the number and the text of the bank', async () => {
    const asked: Bank[] = ['cashme', 'bradesco', 'inter'];
    const person = await scene.person();
    const { status, body } = await scene.submitBody(
      { ...person.body, bancos: ['CashMe', 1, 'Banco Inter', 'inter'] },
      newKey(),
    );
    expect(status).toBe(202);
    expect(body.analises.map(({ banco_id }: { banco_id: number }) => banco_id)).toEqual(
      asked.map((bank) => BANK_IDENTITIES[bank].id),
    );
    for (const entry of body.analises) {
      expect(entry).toMatchObject({ sucesso: true, status: 'Em análise', num_consulta: expect.stringMatching(/\w/) });
    }
  });

  it('takes the birth date over into a lead that lacks it, and holds later requests to it', async () => {
    const person = await scene.person(undefined, { data_nascimento: undefined });
    expect((await scene.submit(person, ['itau'], newKey())).status).toBe(202);
    const lead = await api('getLead', { key: scene.key, id: person.lead });
    expect(lead.body.lead.data_nascimento).toBe('1988-03-14');
    const other = await scene.submitBody({ ...person.body, data_nascimento: '1988-03-15' }, newKey());
    expect([other.status, other.body.codigo, other.body.campos[0].campo]).toEqual([
      422,
      'divergencia_titular',
      'data_nascimento',
    ]);
  });

  it('is 422 divergencia_titular where the holder is not the lead, and asks no bank', async () => {
    const person = await scene.person();
    const { submit } = scene.operator.control.state().calls;
    const answer = await scene.submitBody({ ...person.body, nome: 'Marina Alves' }, newKey());
    expect([answer.status, answer.body.codigo]).toEqual([422, 'divergencia_titular']);
    expect(answer.body.campos.map(({ campo }: { campo: string }) => campo)).toEqual(['nome']);
    expect(scene.operator.control.state().calls.submit).toBe(submit);
    expect((await scene.consents(person.lead)).body.consentimentos).toEqual([]);
  });

  it('says in a 409 for how long the run that claimed the key still holds it', async () => {
    const person = await scene.person();
    const key = newKey();
    const died = await stoppedAt(
      { at: 1, when: 'before' },
      () => scene.submit(person, ['itau'], key),
      (name) => name === 'operator submit',
    );
    expect(died).toHaveProperty('stoppedAt');
    passTime(SUBMIT_LEASE - 40_000);
    const answer = await scene.submit(person, ['itau'], key);
    expect([answer.status, answer.body.codigo]).toEqual([409, 'idempotencia_em_andamento']);
    const rest = Number(answer.headers['retry-after']);
    expect(rest).toBeGreaterThan(2);
    expect(rest).toBeLessThanOrEqual(40);
    passTime(rest * 1000);
    expect((await scene.submit(person, ['itau'], key)).status).toBe(202);
  });

  it('holds a key for the run that claimed it, and for 30 days after', async () => {
    const person = await scene.person();
    const key = newKey();
    const first = await scene.submit(person, ['itau'], key);
    passTime(29 * 86_400_000);
    expect((await scene.submit(person, ['itau'], key)).text).toBe(first.text);
    passTime(2 * 86_400_000);
    const later = await scene.submit(person, ['itau'], key);
    expect([later.status, later.headers['idempotent-replay']]).toEqual([202, undefined]);
    expect(later.body.analises[0].analise_id).not.toBe(first.body.analises[0].analise_id);
  });
});
