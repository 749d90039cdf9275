import { describe, expect, it } from 'vitest';
import { type Cpf, formatCpf } from '../../../shared/domain/values/cpf.ts';
import type { LeadId } from '../../../shared/domain/values/ids.ts';
import type { Environment } from '../../../shared/domain/values/tenancy.ts';
import { leadByCpf } from '../../../shared/table/personal-data.ts';
import { administration, because } from '../../makers/administration.ts';
import { api } from '../../makers/api.ts';
import { type MadePartner, makePartner, usePeers } from '../../makers/peers.ts';
import { analysisBody, cpfFrom, leadBody } from '../../makers/people.ts';

usePeers();

const ISO_MOMENT = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;
let people = 0;
const nobodyYet = () => cpfFrom(++people) as Cpf;

/** A person whom a partner has sent, as the operations name one. */
async function known(made: MadePartner, cpf: Cpf, environment: Environment = 'producao') {
  const { body } = await api('createLead', { key: made.keys[environment], body: leadBody({ cpf, renda: 18_000.5 }) });
  const place = { partner_id: made.partnerId, unit_id: made.unitId, environment, lead_id: Number(body.lead_id) };
  return { place, tenancy: { unitId: made.unitId, environment }, leadId: place.lead_id as LeadId };
}

/** An analysis of the person at one bank; gives its id. */
async function submitted(made: MadePartner, leadId: number, cpf: Cpf): Promise<number> {
  const body = analysisBody(leadId, { cpf, bancos: ['itau'] });
  const call = { key: made.keys.producao, body, headers: { 'idempotency-key': String(leadId) } };
  return (await api('submitAnalyses', call)).body.analises[0].analise_id;
}

describe('an export', () => {
  it('holds lead, simulations, analyses, forms and consents, in reais, ISO dates and Portuguese names', async () => {
    const made = await makePartner();
    const cpf = nobodyYet();
    const { place, leadId } = await known(made, cpf);
    const asked = { lead_id: leadId, valor_imovel: 500_000, valor_financiado: 350_000, bancos: ['inter'] };
    await api('createSimulation', { key: made.keys.producao, body: asked });
    const analise_id = await submitted(made, leadId, cpf);
    const { person } = (await administration('export-lead', { body: { ...place, ...because } })).body;
    const moment = expect.stringMatching(ISO_MOMENT);
    expect(person).toMatchObject({
      parceiro: place.partner_id,
      lead: { lead_id: leadId, nome: 'Marina Duarte Alves', cpf: formatCpf(cpf), renda: 18_000.5, criado_em: moment },
      simulacoes: [{ banco: 'inter', data: moment, valores: { imovel: 500_000, financiado: 350_000 } }],
      analises: [{ analise_id, submetida_em: moment }],
      formularios: [{ nome_mae: expect.any(String) }],
      consentimentos: [{ ip: '177.45.10.20', canal: 'web', bancos: ['itau'], timestamp: expect.any(String) }],
    });
    const raw = (await administration('export-lead', { body: { ...place, raw: true, ...because } })).body.person;
    expect(raw).toMatchObject({ lead: { income: 1_800_050 }, opportunities: [{ leadId }], forms: [{}] });
  });
});

describe('an erasure', () => {
  it('leaves other units, other environments and other people alone', async () => {
    const [here, there] = [await makePartner(), await makePartner()];
    const [cpf, other] = [nobodyYet(), nobodyYet()];
    const left = [
      [await known(there, cpf), cpf],
      [await known(here, cpf, 'sandbox'), cpf],
      [await known(here, other), other],
    ] as const;
    const { place, tenancy } = await known(here, cpf);
    await administration('erase-lead', { body: { ...place, confirm: String(place.lead_id), ...because } });
    expect(await leadByCpf(tenancy, cpf)).toBeUndefined();
    for (const [one, whose] of left) expect(await leadByCpf(one.tenancy, whose)).toBe(one.leadId);
  });
});
