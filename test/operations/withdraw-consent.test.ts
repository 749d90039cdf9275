import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { erasePerson } from '#shared/domain/leads/erase-person.ts';
import { CLOCK_DIFFERENCE, timestamp } from '#shared/domain/values/clock.ts';
import { idOf, type LeadId } from '#shared/domain/values/ids.ts';
import { minutes } from '#shared/domain/values/time.ts';
import { TableErasureLedger } from '#shared/table/leads/erasure-ledger.ts';
import { TableErasures } from '#shared/table/leads/lead-erasure.ts';
import { api } from '../makers/api.ts';
import type { CallAnswer } from '../makers/call.ts';
import { intercepted, interceptTable, meanwhile } from '../makers/intercepted.ts';
import { type MadePartner, makePartner, usePeers } from '../makers/peers.ts';
import { analysisBody, CONSENTED_AT, leadBody, withdrawalBody } from '../makers/people.ts';

usePeers();
beforeAll(interceptTable);
let partner: MadePartner;
let lead: number;
beforeEach(async () => {
  partner = await makePartner();
  lead = Number((await api('createLead', { key: partner.keys.sandbox, body: leadBody() })).body.lead_id);
});

const submit = (once: string, changes: object = {}) =>
  api('submitAnalyses', { key: partner.keys.sandbox, body: analysisBody(lead, { ...changes }), once });
const withdraw = (body: object = withdrawalBody(), once?: string) =>
  api('withdrawConsent', { key: partner.keys.sandbox, id: lead, body, once });
const consents = () => api('listLeadConsents', { key: partner.keys.sandbox, id: lead });

const createAgain = async () => {
  lead = Number((await api('createLead', { key: partner.keys.sandbox, body: leadBody() })).body.lead_id);
};
/** Erases the person of the lead as the administration does. */
const eraseLead = () => {
  const subject = { ...partner, environment: 'sandbox' as const, leadId: idOf<LeadId>(lead) };
  const clock = () => Date.now();
  return erasePerson(subject, { erasures: new TableErasures(clock), ledger: new TableErasureLedger(), clock });
};
const MOMENT = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;

describe('POST /v1/leads/{id}/consentimentos/revogacao', () => {
  it('the answer is 201 with the withdrawal and the pending analyses that rest on the withdrawn consent', async () => {
    const [analysis] = (await submit('k')).body.analises;
    const { status, body } = await withdraw();
    expect(status).toBe(201);
    expect(body.revogacao).toMatchObject({ revogado_em: CONSENTED_AT, canal: 'app' });
    expect(body.analises).toMatchObject([{ analise_id: analysis.analise_id, banco: 'itau', enviada: true }]);
    expect(body.analises[0].motivo).toContain('a análise segue');
  });

  it('a withdrawal of the same moment or an earlier one is answered 200 with the stored one', async () => {
    const { body } = await withdraw();
    for (const after of [0, -60_000]) {
      const again = await withdraw({ ...withdrawalBody(after), canal: 'telefone' });
      expect(again.status).toBe(200);
      expect(again.body.revogacao).toEqual(body.revogacao);
    }
  });

  it('GET consentimentos shows the consents, and the withdrawals next to them', async () => {
    expect((await consents()).body.revogacoes).toEqual([]);
    await submit('k');
    const first = (await withdraw()).body.revogacao;
    const second = (await withdraw(withdrawalBody(1))).body.revogacao;
    const { body } = await consents();
    expect(body.consentimentos).toHaveLength(1);
    expect(body.revogacoes).toEqual([second, first]);
  });

  it('a submission after the withdrawal needs a newer consent, and the refusal says so', async () => {
    await withdraw();
    const refused = await submit('old');
    expect(refused.status).toBe(422);
    expect(refused.body.codigo).toBe('consentimento_ausente');
    expect(refused.body.erro).toContain('revogou o consentimento');
    expect(refused.body.campos).toMatchObject([{ campo: 'consentimento_timestamp' }]);
    const after = Date.parse(CONSENTED_AT) + CLOCK_DIFFERENCE;
    expect(refused.body.campos[0].motivo).toContain(`dado depois de ${timestamp(after)}`);
    const newer = (moment: number) => ({ consentimento_timestamp: new Date(moment).toISOString() });
    expect((await submit('too soon', newer(after))).status).toBe(422);
    expect((await submit('new', newer(after + 1))).status).toBe(202);
  });

  it('a withdrawal of now names an analysis whose consent is dated ahead, and ends this consent', async () => {
    const ahead = { consentimento_timestamp: timestamp(Date.now() + minutes(4)) };
    const [analysis] = (await submit('k', ahead)).body.analises;
    const { status, body } = await withdraw({ ...withdrawalBody(), revogado_em: timestamp(Date.now()) });
    expect(status).toBe(201);
    expect(body.analises).toMatchObject([{ analise_id: analysis.analise_id }]);
    expect((await submit('again', ahead)).body.codigo).toBe('consentimento_ausente');
  });

  it('an analysis whose sending is under way may still reach its bank, as the answer to the withdrawal says', async () => {
    let withdrawn: CallAnswer | undefined;
    const step = async () => {
      withdrawn = await withdraw();
    };
    const afterClaim = meanwhile('table TransactWriteItemsCommand', step, { when: 'after' });
    const [sent] = (await intercepted(afterClaim, () => submit('under way'))).body.analises;
    expect(sent).toMatchObject({ sucesso: true, num_consulta: expect.stringMatching(/./) });
    expect(withdrawn?.body.analises).toMatchObject([{ analise_id: sent.analise_id, enviada: false }]);
    expect(withdrawn?.body.analises[0].motivo).toContain('o envio está em curso: se ele a recebe, ela segue');
    const { analise } = (await api('getAnalysisStatus', { key: partner.keys.sandbox, id: sent.analise_id })).body;
    expect(analise).toMatchObject({ pendente: true, num_consulta: sent.num_consulta });
  });

  it('a submission with the key of an earlier one gets that answer after the withdrawal, too', async () => {
    const first = await submit('k');
    await withdraw();
    const again = await submit('k');
    expect(again.status).toBe(202);
    expect(again.text).toBe(first.text);
    expect(again.headers['idempotent-replay']).toBe('true');
  });

  it('a call with the same Idempotency-Key gets the same answer, and one with another content is refused', async () => {
    const first = await withdraw(withdrawalBody(), 'w');
    const again = await withdraw(withdrawalBody(), 'w');
    expect(again.status).toBe(201);
    expect(again.text).toBe(first.text);
    expect((await withdraw(withdrawalBody(1), 'w')).body.codigo).toBe('idempotency_conflito');
    const cpf = '900.000.002-56';
    lead = Number((await api('createLead', { key: partner.keys.sandbox, body: leadBody({ cpf }) })).body.lead_id);
    expect((await withdraw(withdrawalBody(), 'w')).body.codigo).toBe('idempotency_conflito');
  });

  it('a withdrawal of more than 180 days ago is stored, and the answer asks to check the year', async () => {
    const { status, body } = await withdraw({ ...withdrawalBody(), revogado_em: '2020-01-01T00:00:00Z' });
    expect(status).toBe(201);
    expect(body.avisos).toEqual([{ campo: 'revogado_em', motivo: expect.stringContaining('confira o ano') }]);
  });

  it('a new lead of a person who withdrew and was erased takes no older consent, and a reset ends that', async () => {
    await withdraw();
    await eraseLead();
    await createAgain();
    expect((await consents()).body.revogacoes).toEqual([]);
    const refused = await submit('after the erasure');
    expect(refused.status).toBe(422);
    expect(refused.body.codigo).toBe('consentimento_ausente');
    expect(refused.body.erro).toContain('colha um consentimento novo');
    expect((await api('resetSandbox', { key: partner.keys.sandbox, body: {} })).status).toBe(200);
    await createAgain();
    expect((await submit('after the reset')).status).toBe(202);
  });

  it('a withdrawal of a lead and the erasure of an earlier one are refused with the same sentence', async () => {
    await withdraw();
    const withdrawn = (await submit('withdrawn')).body;
    await eraseLead();
    await createAgain();
    const erased = (await submit('erased')).body;
    expect(erased.erro).toBe(withdrawn.erro);
    const [before, after] = [withdrawn.campos[0].motivo, erased.campos[0].motivo];
    expect(after.replaceAll(MOMENT, '')).toBe(before.replaceAll(MOMENT, ''));
  });

  it('a moment in the future, a channel of one letter and missing fields are refused, and nothing is stored', async () => {
    const future = await withdraw(withdrawalBody(Date.now() - Date.parse(CONSENTED_AT) + 6 * 60_000));
    expect(future.body).toMatchObject({ codigo: 'campo_invalido', campos: [{ campo: 'revogado_em' }] });
    const short = await withdraw({ ...withdrawalBody(), canal: 'x' });
    expect(short.body).toMatchObject({ codigo: 'campo_invalido', campos: [{ campo: 'canal' }] });
    const missing = await withdraw({});
    expect(missing.body).toMatchObject({
      codigo: 'campo_obrigatorio',
      campos: [{ campo: 'revogado_em' }, { campo: 'canal' }],
    });
    expect((await consents()).body.revogacoes).toEqual([]);
  });

  it('a key without the scope analises cannot withdraw a consent', async () => {
    const key = await partner.addKey({ scopes: ['leads', 'acompanhamento'] });
    expect((await api('withdrawConsent', { key, id: lead, body: withdrawalBody() })).status).toBe(403);
  });
});
