import { expect, test, vi } from 'vitest';
import { findPresented, offerFor, simulationIdFor } from '#shared/domain/simulations/opportunity.ts';
import { inflationBearer, type Offer, type Opportunity, validUntil } from '#shared/domain/simulations/simulation.ts';
import type { Bank } from '#shared/domain/values/bank.ts';
import type { Day } from '#shared/domain/values/clock.ts';
import type { UnitId } from '#shared/domain/values/ids.ts';
import type { Tenancy } from '#shared/domain/values/tenancy.ts';
import { offerOfBank } from '#test/makers/quote-request.ts';
import { makeOpportunity } from '#test/makers/simulation.ts';

const opportunityOf = (...offers: readonly Offer[]): Opportunity => ({ ...makeOpportunity(offers[0]!), offers });

/** Returns an offer with these costs. */
const costing = (bank: Bank, official: number, projected: number): Offer => {
  const { projection, ...offer } = offerOfBank(bank);
  return { ...offer, effectiveAnnualCost: official, projection: { ...projection, annualCost: projected } };
};

test('simulationIdFor adds the bank’s number to the opportunity’s id, and 32 more for the bank’s second offer', () => {
  const price = (['inter', 'brb'] as const).map((bank) => offerOfBank(bank, { system: 'PRICE' }));
  const offers = [offerOfBank('brb'), ...price, offerOfBank('inter')];
  const opportunity = opportunityOf(...offers);
  const ids = offers.map((offer) => simulationIdFor(opportunity, offer) - opportunity.id);
  // BRB is bank 5 and Inter is bank 4. The id of a second answer is larger by 32.
  expect(ids).toEqual([5, 4, 37, 36]);
  for (const offer of offers) expect(offerFor(opportunity, simulationIdFor(opportunity, offer))).toBe(offer);
  expect(simulationIdFor({ ...opportunity, offers: [] }, offers[2]!) - opportunity.id).toBe(5);
});

test('offerFor returns the first purchase of the comparison for the opportunity’s own id', () => {
  const equity = costing('cashme', 10, 11);
  const opportunity = opportunityOf(
    equity,
    costing('brb', 12, 14),
    costing('inter', 13, 13.5),
    costing('itau', 11, 15),
  );
  expect(offerFor(opportunity, opportunity.id)?.bank).toBe('itau');
  expect(offerFor(opportunity, opportunity.id + 2)?.bank).toBe('itau');
  expect(offerFor(opportunity, opportunity.id + 1)).toBeUndefined();
});

test('validUntil returns the day 30 days later, in any month', () => {
  const last = ['2026-12-15', '2026-02-10', '2028-02-10'].map((day) => validUntil({ contractDay: day as Day }));
  expect(last).toEqual(['2027-01-14', '2026-03-12', '2028-03-11']);
});

test.each([
  ['2026-12-31', '2026-12-31'],
  ['2027-02-01', '2027-01-19'],
  ['2026-12-19', '2027-01-19'],
])('validUntil of an offer of 2026-12-20 whose rate ends on %s returns %s', (rateUntil, last) => {
  expect(validUntil({ contractDay: '2026-12-20' as Day, rateUntil: rateUntil as Day })).toBe(last);
});

test('inflationBearer returns the bank for a fixed rate and the borrower for every indexer', () => {
  const bearers = (['TR', 'IPCA', 'POUPANCA', 'PREFIXADO'] as const).map((indexer) => inflationBearer({ indexer }));
  expect(bearers).toEqual(['borrower', 'borrower', 'borrower', 'bank']);
});

test('findPresented reads the opportunity and its unit’s agent, and decrypts nothing before open', async () => {
  const tenancy: Tenancy = { unitId: 21 as UnitId, environment: 'sandbox' };
  const opportunity = opportunityOf(offerOfBank('brb'));
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
