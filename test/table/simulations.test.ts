import { beforeEach, expect, test } from 'vitest';
import type { QuoteRequest } from '#shared/domain/simulations/simulation.ts';
import type { Day } from '#shared/domain/values/clock.ts';
import type { LeadId, OpportunityId } from '#shared/domain/values/ids.ts';
import { centavos } from '#shared/domain/values/money.ts';
import { TableLeads } from '#shared/table/leads/leads.ts';
import { recordOf } from '#shared/table/rows/idempotency.ts';
import { TableSimulations } from '#shared/table/simulations/simulations.ts';
import { createLead } from '../makers/lead.ts';
import { usePeers } from '../makers/peers.ts';
import { makeOffer, makeOpportunity } from '../makers/simulation.ts';
import { claimedBySkewed, SKEWS } from '../makers/skews.ts';
import { newClaim, newKey } from '../makers/submission.ts';
import { newTenancy } from '../makers/tenancy.ts';

const START = 1_780_000_000_000;
/** Two offers with every optional field and every kind of notice, and one with none of them. */
const second = { income: centavos(300_000), birthDate: '1966-03-20' as Day };
const full: Partial<QuoteRequest> = { contractDay: '2027-06-21' as Day, term: 180, segment: 'alta_renda' };
const offers = [
  makeOffer('inter', {
    ...full,
    secondBorrower: second,
    income: centavos(900_000),
    financedValue: centavos(25_000_000),
    financeExpenses: true,
    fgts: { value: centavos(1_000_000), ownHome: true },
  }),
  makeOffer('brb', { ...full, secondBorrower: second, birthDate: undefined }),
  makeOffer('itau'),
].map(({ offer }) => offer);
const opportunityOf = (leadId: LeadId, id: number, createdAt = START) => ({
  ...makeOpportunity(offers[0]!),
  offers,
  refusals: [{ bank: 'cashme' as const, system: 'PRICE' as const, reasons: ['O prazo passa do máximo.'] }],
  leadId,
  id: id as OpportunityId,
  createdAt,
});

usePeers();
let now = START;
const [simulations, leads] = [new TableSimulations(() => now), new TableLeads(() => now)];
beforeEach(() => {
  now = START;
});

/** Returns a tenancy with a lead, and a function that makes simulations of the lead. */
async function withLead() {
  const tenancy = newTenancy();
  const { id: leadId } = await createLead(leads, tenancy);
  const made = (id: number) => (createdAt: number) => ({
    opportunity: opportunityOf(leadId, id, createdAt),
    answer: { status: 201, body: String(id) },
  });
  return { tenancy, leadId, made };
}

test('save stores an opportunity with all its fields, for its tenancy only', async () => {
  const { tenancy, leadId, made } = await withLead();
  expect(await simulations.save(tenancy, made(512))).toEqual({ done: { status: 201, body: '512' } });
  expect(await simulations.get(tenancy, 512 as OpportunityId)).toEqual(opportunityOf(leadId, 512));
  expect(await simulations.get(newTenancy(), 512 as OpportunityId)).toBeUndefined();
  expect(await simulations.get({ ...tenancy, environment: 'sandbox' }, 512 as OpportunityId)).toBeUndefined();
});

test('save returns lead_gone and stores nothing for an unknown lead', async () => {
  const tenancy = newTenancy();
  const make = (now: number) => ({
    opportunity: opportunityOf(1 as LeadId, 512, now),
    answer: { status: 201, body: '512' },
  });
  expect(await simulations.save(tenancy, make)).toBe('lead_gone');
  expect(await simulations.get(tenancy, 512 as OpportunityId)).toBeUndefined();
});

test('save draws another id if the id is taken', async () => {
  const { tenancy, made } = await withLead();
  await simulations.save(tenancy, made(512));
  const ids = [512, 512, 1024];
  now += 7;
  const once = await simulations.save(tenancy, (moment) => made(ids.shift()!)(moment));
  expect(once).toEqual({ done: { status: 201, body: '1024' } });
  expect(await simulations.get(tenancy, 512 as OpportunityId)).toMatchObject({ createdAt: START });
  expect(await simulations.get(tenancy, 1024 as OpportunityId)).toMatchObject({ createdAt: START + 7 });
});

const newSimulations = (clock: () => number) => new TableSimulations(clock);

test.each([0, ...SKEWS])(
  'save stores one opportunity for 10 calls with one key at once, by clocks %i ms apart',
  async (skew) => {
    const { tenancy, made } = await withLead();
    const callers = claimedBySkewed(START, skew, newClaim(tenancy, START, 'create-simulation'), newSimulations);
    // All callers call at the same time, and then one after the other.
    const once = callers.map(async ({ port, claim }, index) =>
      port.save(tenancy, made(512 * (index + 1)), await recordOf(claim)),
    );
    const all = await Promise.all(once);
    for (const { port, claim } of callers) all.push(await port.save(tenancy, made(9_999), await recordOf(claim)));
    const done = all.flatMap((one) => (one !== 'lead_gone' && 'done' in one ? [one.done] : []));
    expect(done).toHaveLength(1);
    for (const later of all.slice(callers.length))
      expect(later).toMatchObject({ earlier: { sameContent: true, answer: done[0] } });
    const kept = await Promise.all(
      callers.map((_, index) => simulations.get(tenancy, (512 * (index + 1)) as OpportunityId)),
    );
    expect(kept.filter(Boolean)).toHaveLength(1);
  },
);

test('prepare returns the lead, and no earlier record for a new key', async () => {
  const tenancy = newTenancy();
  const lead = await createLead(leads, tenancy);
  const nothing = { lead, earlier: undefined };
  expect(await simulations.prepare(tenancy, lead.id)).toEqual(nothing);
  const key = await newKey(tenancy, START, 'create-simulation');
  expect(await simulations.prepare(tenancy, lead.id, key.claim)).toEqual({ ...nothing, key });
  expect((await simulations.prepare(newTenancy(), lead.id)).lead).toBeUndefined();
  expect((await simulations.prepare(tenancy, 1 as LeadId)).lead).toBeUndefined();
});

test('prepare returns the record of an earlier call with the key, and whether the content is the same', async () => {
  const { tenancy, leadId, made } = await withLead();
  const claim = newClaim(tenancy, START, 'create-simulation');
  await simulations.save(tenancy, made(512), await recordOf(claim));
  const earlierOf = async (asked = claim) => (await simulations.prepare(tenancy, leadId, asked)).earlier;
  expect(await earlierOf()).toMatchObject({ sameContent: true, answer: { status: 201, body: '512' } });
  expect(await earlierOf({ ...claim, content: '{"a":2}' })).toMatchObject({ sameContent: false });
  now = claim.expiresAt + 1_000;
  expect(await earlierOf()).toBeUndefined();
});
