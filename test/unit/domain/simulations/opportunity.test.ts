import { expect, test, vi } from 'vitest';
import { findPresented, offerFor, rankOffers, simulationIdFor } from '#shared/domain/simulations/opportunity.ts';
import { inflationBearer, type Offer, type Opportunity, validUntil } from '#shared/domain/simulations/simulation.ts';
import type { Bank } from '#shared/domain/values/bank.ts';
import type { Day } from '#shared/domain/values/clock.ts';
import type { UnitId } from '#shared/domain/values/ids.ts';
import type { Tenancy } from '#shared/domain/values/tenancy.ts';
import { offered } from '#test/makers/quote-request.ts';
import { makeOpportunity } from '#test/makers/simulation.ts';

const opportunityOf = (...offers: readonly Offer[]): Opportunity => ({ ...makeOpportunity(offers[0]!), offers });

/** An offer with these costs. */
const costing = (bank: Bank, official: number, projected: number): Offer => {
  const { projection, ...offer } = offered(bank);
  return { ...offer, effectiveAnnualCost: official, projection: { ...projection, annualCost: projected } };
};
const banksOf = (offers: readonly Offer[]) => offers.map(({ bank }) => bank);

test('the id of a simulation is the opportunity’s with the bank’s number, and another one for the bank’s second system', () => {
  const price = (['inter', 'brb'] as const).map((bank) => offered(bank, { system: 'PRICE' }));
  const offers = [offered('brb'), ...price, offered('inter')];
  const opportunity = opportunityOf(...offers);
  const ids = offers.map((offer) => simulationIdFor(opportunity, offer) - opportunity.id);
  // BRB is 5 and Inter 4; a second answer is 32 more.
  expect(ids).toEqual([5, 4, 37, 36]);
  for (const offer of offers) expect(offerFor(opportunity, simulationIdFor(opportunity, offer))).toBe(offer);
  expect(simulationIdFor({ ...opportunity, offers: [] }, offers[2]!) - opportunity.id).toBe(5);
});

test('the id of a simulation that is the opportunity’s own means the offer of the lowest projected cost', () => {
  const opportunity = opportunityOf(costing('brb', 12, 14), costing('inter', 13, 13.5), costing('itau', 11, 15));
  expect(offerFor(opportunity, opportunity.id)?.bank).toBe('inter');
  expect(offerFor(opportunity, opportunity.id + 2)?.bank).toBe('itau');
  expect(offerFor(opportunity, opportunity.id + 1)).toBeUndefined();
});

test('the order of offers goes by the projected cost, not by official costs of different indexers', () => {
  const offers = [costing('brb', 11, 14), costing('inter', 13, 13.5), costing('itau', 12, 13.6)];
  expect(banksOf(rankOffers(offers))).toEqual(['inter', 'itau', 'brb']);
});

test('the order of offers of equal projected costs goes by the official cost, then by the bank’s number', () => {
  const offers = [costing('cashme', 12, 14), costing('brb', 12, 14), costing('inter', 11.99, 14)];
  expect(banksOf(rankOffers(offers))).toEqual(['inter', 'brb', 'cashme']);
});

test('a record is held for 30 days, whatever the month', () => {
  const last = ['2026-12-15', '2026-02-10', '2028-02-10'].map((day) => validUntil(day as Day));
  expect(last).toEqual(['2027-01-14', '2026-03-12', '2028-03-11']);
});

test('a record says who bears the inflation: the bank where the rate is fixed, else the borrower', () => {
  const bearers = (['TR', 'IPCA', 'POUPANCA', 'PREFIXADO'] as const).map((indexer) => inflationBearer({ indexer }));
  expect(bearers).toEqual(['borrower', 'borrower', 'borrower', 'bank']);
});

test('an opportunity is presented with its unit’s agent, and stays sealed until it is opened', async () => {
  const tenancy: Tenancy = { unitId: 21 as UnitId, environment: 'sandbox' };
  const opportunity = opportunityOf(offered('brb'));
  const agent = { name: 'Imobiliária da Praça', creci: '12345-J SP' };
  const open = vi.fn(async () => opportunity);
  const [find, agentOf] = [vi.fn(async () => ({ open })), vi.fn(async () => agent)];
  const ports = { simulations: { find }, partners: { agent: agentOf } };
  const presented = await findPresented(ports, tenancy, opportunity.id);
  expect(find.mock.calls).toEqual([[tenancy, opportunity.id]]);
  expect(agentOf.mock.calls).toEqual([[21]]);
  expect(open).not.toHaveBeenCalled();
  expect(await presented!.open()).toEqual({ opportunity, agent });
});
