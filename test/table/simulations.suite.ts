import { beforeEach, describe, expect, test } from 'vitest';
import type { Leads } from '../../shared/domain/leads/ports.ts';
import type { Simulations } from '../../shared/domain/simulations/ports.ts';
import type { Clock } from '../../shared/domain/values/clock.ts';
import type { LeadId, OpportunityId } from '../../shared/domain/values/ids.ts';
import { keepLead } from '../makers/lead.ts';
import { makeOffer, makeOpportunity } from '../makers/simulation.ts';
import { newClaim } from '../makers/submission.ts';
import { newTenancy } from '../makers/tenancy.ts';

const START = 1_780_000_000_000;
const { offer } = makeOffer('inter', { term: 24 });
const opportunityOf = (id: number, createdAt = START) => ({
  ...makeOpportunity(offer),
  id: id as OpportunityId,
  createdAt,
});
const made = (id: number) => (createdAt: number) => ({
  opportunity: opportunityOf(id, createdAt),
  answer: { status: 201, body: String(id) },
});

/** What every adapter of Simulations keeps to. */
export function describeSimulations(make: (clock: Clock) => { simulations: Simulations; leads: Leads }): void {
  let now = START;
  let simulations: Simulations;
  let leads: Leads;
  beforeEach(() => {
    now = START;
    ({ simulations, leads } = make(() => now));
  });

  describe('an opportunity', () => {
    test('is kept whole, of the moment that its maker was told, and for its tenancy alone', async () => {
      const tenancy = newTenancy();
      expect(await simulations.save(tenancy, made(512))).toEqual({ done: { status: 201, body: '512' } });
      expect(await simulations.get(tenancy, 512 as OpportunityId)).toEqual(opportunityOf(512));
      expect(await simulations.get(newTenancy(), 512 as OpportunityId)).toBeUndefined();
      expect(await simulations.get({ ...tenancy, environment: 'sandbox' }, 512 as OpportunityId)).toBeUndefined();
    });

    test('whose id is taken is drawn again', async () => {
      const tenancy = newTenancy();
      await simulations.save(tenancy, made(512));
      const ids = [512, 512, 1024];
      now += 7;
      const once = await simulations.save(tenancy, (moment) => made(ids.shift()!)(moment));
      expect(once).toEqual({ done: { status: 201, body: '1024' } });
      expect(await simulations.get(tenancy, 512 as OpportunityId)).toMatchObject({ createdAt: START });
      expect(await simulations.get(tenancy, 1024 as OpportunityId)).toMatchObject({ createdAt: START + 7 });
    });

    test('that is claimed is made once: a later call gets the kept answer, and nothing of its own is kept', async () => {
      const tenancy = newTenancy();
      const claim = newClaim(tenancy, START, 'create-simulation');
      await simulations.save(tenancy, made(512), claim);
      expect(await simulations.save(tenancy, made(1024), claim)).toMatchObject({
        earlier: { sameContent: true, answer: { status: 201, body: '512' } },
      });
      expect(await simulations.get(tenancy, 1024 as OpportunityId)).toBeUndefined();
    });

    test('claimed 10 times at once is made once', async () => {
      const tenancy = newTenancy();
      const claim = newClaim(tenancy, START, 'create-simulation');
      const ids = Array.from({ length: 10 }, (_, index) => 512 * (index + 1));
      const all = await Promise.all(ids.map((id) => simulations.save(tenancy, made(id), claim)));
      expect(all.filter((once) => 'done' in once)).toHaveLength(1);
      const kept = await Promise.all(ids.map((id) => simulations.get(tenancy, id as OpportunityId)));
      expect(kept.filter(Boolean)).toHaveLength(1);
    });
  });

  describe('to prepare one', () => {
    test('gives the lead, and nothing earlier where the key is new', async () => {
      const tenancy = newTenancy();
      const lead = await keepLead(leads, tenancy);
      const nothing = { lead, earlier: undefined };
      expect(await simulations.prepare(tenancy, lead.id)).toEqual(nothing);
      expect(await simulations.prepare(tenancy, lead.id, newClaim(tenancy, START, 'create-simulation'))).toEqual(
        nothing,
      );
      expect((await simulations.prepare(newTenancy(), lead.id)).lead).toBeUndefined();
      expect((await simulations.prepare(tenancy, 1 as LeadId)).lead).toBeUndefined();
    });

    test('gives what an earlier call with the key left, and whether it asked the same', async () => {
      const tenancy = newTenancy();
      const claim = newClaim(tenancy, START, 'create-simulation');
      await simulations.save(tenancy, made(512), claim);
      const earlierOf = async (asked = claim) => (await simulations.prepare(tenancy, 1 as LeadId, asked)).earlier;
      expect(await earlierOf()).toMatchObject({ sameContent: true, answer: { status: 201, body: '512' } });
      expect(await earlierOf({ ...claim, content: '{"a":2}' })).toMatchObject({ sameContent: false });
      now = claim.expiresAt + 1_000;
      expect(await earlierOf()).toBeUndefined();
    });
  });
}
