import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { describe, expect, it, vi } from 'vitest';
import { handler as comparison } from '../../functions/api/simulations/get-simulation-comparison.ts';
import { handler } from '../../functions/api/simulations/get-simulation-pdf.ts';
import type { Agent, Caller } from '../../shared/domain/partners/partner.ts';
import { scheduleOf } from '../../shared/domain/simulations/pricing/quote.ts';
import type { Opportunity } from '../../shared/domain/simulations/simulation.ts';
import type { KeyId, OpportunityId, PartnerId, UnitId } from '../../shared/domain/values/ids.ts';
import { comparisonPdf } from '../../shared/pdf/comparison-pdf.ts';
import { simulationPdf } from '../../shared/pdf/simulation-pdf.ts';
import { makeOffer, makeOpportunity } from '../makers/simulation.ts';

const { offer: dear } = makeOffer('itau', { term: 60 });
const { offer: cheap } = makeOffer('brb', { term: 60, system: 'PRICE' });
const opportunity: Opportunity = { ...makeOpportunity(dear), offers: [dear, cheap] };
const REFUSED: Opportunity = { ...opportunity, id: (opportunity.id + 64) as OpportunityId, offers: [] };
const DEAR_ID = opportunity.id + 2;
const AGENT: Agent = { name: 'Unidade Centro', creci: '12.345-J SP' };
const caller: Caller = {
  partnerId: 3 as PartnerId,
  unitId: 11 as UnitId,
  environment: 'producao',
  keyId: 'aaaaa' as KeyId,
  scopes: ['simulacoes'],
  limit: 120,
  left: 119,
  resetsIn: 60,
};

vi.mock('../../shared/wiring.ts', async (original) => ({
  ...(await original<typeof import('../../shared/wiring.ts')>()),
  clock: () => () => opportunity.createdAt,
  apiKeyAuth: () => ({ authenticate: async () => caller }),
  simulations: () => ({
    find: async (_: unknown, id: number) => {
      const found = [opportunity, REFUSED].find((candidate) => candidate.id === id);
      return found && { open: async () => found };
    },
  }),
  partners: () => ({ agent: async (unitId: number) => (unitId === caller.unitId ? AGENT : undefined) }),
}));

async function call(id: number, called = handler): Promise<APIGatewayProxyResult> {
  const event = {
    httpMethod: 'GET',
    pathParameters: { id: String(id) },
    multiValueHeaders: { 'X-API-Key': ['chave'] },
    requestContext: { extendedRequestId: 'pedido-1' },
  } as unknown as APIGatewayProxyEvent;
  return called(event, { getRemainingTimeInMillis: () => 10_000 } as Context);
}

describe('GET /v1/simulacoes/{id}/pdf', () => {
  it('answers with the bytes of the document, to be shown in place and saved under the simulation’s number', async () => {
    const { statusCode, headers, body, isBase64Encoded } = await call(DEAR_ID);
    expect([statusCode, isBase64Encoded]).toEqual([200, true]);
    expect(headers).toMatchObject({
      'Content-Type': 'application/pdf',
      'Content-Disposition': `inline; filename="simulacao-${DEAR_ID}.pdf"`,
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'X-Request-Id': 'pedido-1',
      RateLimit: '"padrao";r=119;t=60',
    });
    const drawn = await simulationPdf({ opportunity, offer: dear, schedule: scheduleOf(dear), agent: AGENT });
    expect(Buffer.compare(Buffer.from(body, 'base64'), drawn)).toBe(0);
  });

  it('takes the number of the opportunity for its simulation of the lowest CET', async () => {
    const lowest = cheap.effectiveAnnualCost < dear.effectiveAnnualCost ? cheap : dear;
    const { headers } = await call(opportunity.id);
    expect(headers!['Content-Disposition']).toBe(
      `inline; filename="simulacao-${opportunity.id + (lowest === dear ? 2 : 5)}.pdf"`,
    );
  });

  it.each([
    ['an unknown simulation', DEAR_ID + 8],
    ['a bank that made no offer', DEAR_ID + 1],
  ])('answers JSON about %s', async (_, id) => {
    const { statusCode, headers, body, isBase64Encoded } = await call(id);
    expect([statusCode, isBase64Encoded ?? false]).toEqual([404, false]);
    expect(headers!['Content-Type']).toBe('application/json; charset=utf-8');
    expect(headers).not.toHaveProperty('Content-Disposition');
    expect(JSON.parse(body)).toMatchObject({ codigo: 'nao_encontrado', request_id: 'pedido-1' });
  });
});

describe('GET /v1/simulacoes/{id}/comparativo', () => {
  it.each([
    ['the opportunity', opportunity.id],
    ['one of its simulations', DEAR_ID],
  ])('answers with all offers side by side for the number of %s', async (_, id) => {
    const { statusCode, headers, body } = await call(id, comparison);
    expect(statusCode).toBe(200);
    expect(headers).toMatchObject({
      'Content-Type': 'application/pdf',
      'Content-Disposition': `inline; filename="comparativo-${opportunity.id}.pdf"`,
      'Cache-Control': 'no-store',
    });
    const drawn = await comparisonPdf({ opportunity, agent: AGENT });
    expect(Buffer.compare(Buffer.from(body, 'base64'), drawn)).toBe(0);
  });

  it.each([
    ['an opportunity in which no bank offers', REFUSED.id],
    ['an unknown one', opportunity.id + 128],
  ])('answers JSON about %s', async (_, id) => {
    const { statusCode, body } = await call(id, comparison);
    expect([statusCode, JSON.parse(body).codigo]).toEqual([404, 'nao_encontrado']);
  });

  it('says of an opportunity in which no bank offers what its record says', async () => {
    const { erro } = JSON.parse((await call(REFUSED.id, comparison)).body);
    expect(erro).toContain('Nenhum banco ofereceu');
    expect(JSON.parse((await call(REFUSED.id)).body).erro).toBe(erro);
  });
});
