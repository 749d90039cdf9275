import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { type Cpf, formatCpf } from '../../../shared/domain/values/cpf.ts';
import type { LeadId, SubmissionId } from '../../../shared/domain/values/ids.ts';
import type { Environment } from '../../../shared/domain/values/tenancy.ts';
import { tableClient } from '../../../shared/table/client.ts';
import { analysisListKey } from '../../../shared/table/keys.ts';
import { leadByCpf, personalData } from '../../../shared/table/personal-data.ts';
import * as wiring from '../../../shared/wiring.ts';
import { administration, because } from '../../makers/administration.ts';
import { api } from '../../makers/api.ts';
import { type MadePartner, makePartner, usePeers } from '../../makers/peers.ts';
import { analysisBody, cpfFrom, leadBody } from '../../makers/people.ts';
import { put } from '../../makers/walk.ts';

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

  it('waits for a pending analysis with all that it needs, and keeps analyses and consents without a name', async () => {
    const made = await makePartner();
    const cpf = nobodyYet();
    const { place, tenancy, leadId } = await known(made, cpf);
    const id = await submitted(made, leadId, cpf);
    const erase = async () =>
      (await administration('erase-lead', { body: { ...place, confirm: String(leadId), ...because } })).body.erasure;
    expect(await erase()).toMatchObject({ state: 'aguardando', pending: 1 });
    expect(await personalData(tenancy, leadId, Date.now)).toMatchObject({ forms: [{}], lead: { cpf } });

    const analyses = wiring.analyses();
    const before = (await analyses.get(tenancy, id as never))!;
    const after = { ...before, situation: 'recusado', sequence: before.sequence + 1 } as const;
    expect(await analyses.conclude({ before, after, delivery: undefined })).toBe(true);
    expect(await erase()).toMatchObject({ state: 'apagado', passes: [{ forms: 1, analyses: 1, consents: 1 }] });
    const left = (await personalData(tenancy, leadId, Date.now))!;
    expect(left).toMatchObject({ forms: [], opportunities: [], lead: undefined, analyses: [{}], consents: [{}] });
  });
});

it('the ledger is applied behind one whose rows cannot be read: it is named, and the audit stays open', async () => {
  const made = await makePartner();
  const [broken, other] = [await known(made, nobodyYet()), await known(made, nobodyYet())];
  for (const { tenancy, leadId } of [broken, other])
    await wiring.erasureLedger().add({ partnerId: made.partnerId, ...tenancy, leadId }, Date.now());
  // A list that no version of the service has written.
  const Key = analysisListKey({ ...broken.tenancy, leadId: broken.leadId, submissionId: 1 as SubmissionId });
  await put({ ...Key, analyses: 'none' });
  const apply = async () =>
    (await administration('apply-erasure-ledger', { body: { confirm: 'ledger', ...because } })).body;
  const { failed, erasures } = await apply();
  expect(failed).toEqual([broken.place]);
  expect(erasures).toContainEqual(expect.objectContaining({ ...other.place, state: 'apagado' }));
  const { entries } = (await administration('list-audit', { query: { service: 'true' } })).body;
  expect(entries[0]).toMatchObject({ action: 'apply-erasure-ledger', outcome: 'started' });
  await tableClient().send(new DeleteCommand({ TableName: process.env['TABLE_NAME']!, Key }));
  expect((await apply()).failed).toEqual([]);
});
