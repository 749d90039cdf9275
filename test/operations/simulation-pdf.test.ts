import { beforeAll, expect, it } from 'vitest';
import type { Agent } from '#shared/domain/partners/partner.ts';
import { scheduleOf } from '#shared/domain/simulations/pricing/quote.ts';
import type { LeadId, OpportunityId } from '#shared/domain/values/ids.ts';
import { comparisonPdf } from '#shared/pdf/comparison-pdf.ts';
import { simulationPdf } from '#shared/pdf/simulation-pdf.ts';
import { TableLeads } from '#shared/table/leads/leads.ts';
import { presentUnit } from '#shared/table/partners/partner-register.ts';
import { TableSimulations } from '#shared/table/simulations/simulations.ts';
import { api, type Operation } from '../makers/api.ts';
import { createLead } from '../makers/lead.ts';
import { type MadePartner, makePartner, usePeers } from '../makers/peers.ts';
import { makeOffer, makeOpportunity } from '../makers/simulation.ts';

const { offer: dear } = makeOffer('itau', { term: 60 });
const { offer: cheap } = makeOffer('brb', { term: 60, system: 'PRICE' });
const opportunity = { ...makeOpportunity(dear), offers: [dear, cheap] };
const REFUSED = { ...opportunity, id: (opportunity.id + 64) as OpportunityId, offers: [] };
const DEAR_ID = opportunity.id + 2;
const AGENT: Agent = { name: 'Unidade Centro', creci: '12.345-J SP' };

usePeers();
let partner: MadePartner;
beforeAll(async () => {
  partner = await makePartner();
  const tenancy = { unitId: partner.unitId, environment: 'producao' } as const;
  await presentUnit(partner.partnerId, partner.unitId, AGENT, Date.now());
  const { id: leadId } = await createLead(new TableLeads(Date.now), tenancy);
  for (const one of [opportunity, REFUSED])
    await new TableSimulations(() => one.createdAt).save(tenancy, () => ({
      opportunity: { ...one, leadId: leadId as LeadId },
      answer: { status: 201, body: '' },
    }));
});

const call = (operation: Operation, id: number) => api(operation, { key: partner.keys.producao, id });
const PDF = ['getSimulationPdf', 'getSimulationComparison'] as const;

it.each([
  ['getSimulationPdf', 'the simulation', DEAR_ID, `simulacao-${DEAR_ID}.pdf`],
  ['getSimulationComparison', 'one of its simulations', DEAR_ID, `comparativo-${opportunity.id}.pdf`],
  ['getSimulationComparison', 'the opportunity', opportunity.id, `comparativo-${opportunity.id}.pdf`],
] as const)(
  '%s answers the number of %s with a PDF to show inline, and a file name to save it',
  async (name, _, id, file) => {
    const { status, headers, text } = await call(name, id);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': `inline; filename="${file}"`,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    const of = { opportunity, agent: AGENT };
    const drawn =
      name === 'getSimulationPdf'
        ? simulationPdf({ ...of, offer: dear, schedule: scheduleOf(dear) })
        : comparisonPdf(of);
    expect(Buffer.compare(Buffer.from(text, 'latin1'), await drawn)).toBe(0);
  },
);

it('getSimulationPdf takes the number of an opportunity for its first simulation in the order of kinds', async () => {
  // Itaú's rate of a segment comes before BRB's average, which is lower.
  const { headers } = await call('getSimulationPdf', opportunity.id);
  expect(headers['content-disposition']).toBe(`inline; filename="simulacao-${opportunity.id + 2}.pdf"`);
});

it.each([
  ['an unknown simulation', DEAR_ID + 128, 'Não encontrado'],
  ['an opportunity in which no bank offers', REFUSED.id, 'Nenhum banco ofereceu'],
])('getSimulationPdf and getSimulationComparison answer 404 in JSON for %s', async (_, id, erro) => {
  for (const name of PDF) {
    const { status, headers, body } = await call(name, id);
    expect(status).toBe(404);
    expect(body.codigo).toBe('nao_encontrado');
    expect(body.erro).toContain(erro);
    expect(headers).not.toHaveProperty('content-disposition');
  }
});

it('getSimulationPdf and getSimulationComparison answer nao_encontrado for a bank that made no offer', async () => {
  for (const name of PDF) expect((await call(name, DEAR_ID + 1)).body.codigo).toBe('nao_encontrado');
});
