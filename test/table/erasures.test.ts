import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { transition } from '../../shared/domain/analyses/analysis.ts';
import { erasePerson } from '../../shared/domain/leads/erase-person.ts';
import type { Erasure } from '../../shared/domain/leads/erasure.ts';
import type { Lead } from '../../shared/domain/leads/ports.ts';
import type { Clock } from '../../shared/domain/values/clock.ts';
import type { Cpf } from '../../shared/domain/values/cpf.ts';
import type { Claim } from '../../shared/domain/values/idempotency.ts';
import type { LeadId, OpportunityId, PartnerId } from '../../shared/domain/values/ids.ts';
import type { Tenancy } from '../../shared/domain/values/tenancy.ts';
import { tableAnalyses } from '../../shared/table/analyses.ts';
import { transact } from '../../shared/table/client.ts';
import { erasureDue, erasureKey, leadOpportunityKey } from '../../shared/table/keys.ts';
import { tableErasures } from '../../shared/table/lead-erasure.ts';
import { tableLeads, useLead } from '../../shared/table/leads.ts';
import { type Interception, intercepted, interceptTable } from '../makers/intercepted.ts';
import { keepLead, makeLeadDraft } from '../makers/lead.ts';
import { usePeers } from '../makers/peers.ts';
import { rowsOf, writeRows } from '../makers/rows.ts';
import { makeSubmissionDraft, newClaim } from '../makers/submission.ts';
import { newTenancy } from '../makers/tenancy.ts';
import { describeErasures, makeErasure } from './erasures.suite.ts';

const peers = usePeers();
beforeAll(interceptTable);

const NOW = 1_780_000_000_000;
const rows = (clock: Clock) => ({
  leads: tableLeads(clock),
  analyses: tableAnalyses(clock),
  erasures: tableErasures(clock),
});
describeErasures(rows);

const { leads, analyses, erasures } = rows(() => NOW);

let tenancy: Tenancy;
let lead: Lead;
beforeEach(async () => {
  tenancy = newTenancy();
  lead = await keepLead(leads, tenancy);
});

/** Lists a simulation beside the lead. */
const listSimulation = (id: number) =>
  writeRows([{ ...leadOpportunityKey(tenancy, lead.id, id as OpportunityId), offers: 1, v: 1 }]);

const begun = () => erasures.begin(makeErasure(tenancy, lead.id, NOW));

/** Marks the lead, and lets something happen before the mark is written for the first time. */
async function markedAfter(
  erasure: Erasure,
  step: () => Promise<unknown>,
): Promise<{ marked: Erasure; writes: number }> {
  let writes = 0;
  const marked = await intercepted(
    {
      async around(name, call) {
        if (name === 'table TransactWriteItemsCommand' && ++writes === 1)
          await intercepted({ around: (_, itsCall) => itsCall() }, step);
        return call();
      },
    },
    () => erasures.mark(erasure, NOW + 1),
  );
  return { marked, writes };
}

describe('an erasure beside other writes of its lead', () => {
  it('marks no lead that was changed since it was read: it reads it anew', async () => {
    const rename = () =>
      leads.change(tenancy, lead.id, (read) => ({ write: { ...read, name: 'Ana' }, result: undefined }));
    const { marked, writes } = await markedAfter(await begun(), rename);
    expect(marked.state).toBe('apagando');
    expect(writes).toBe(2);
  });

  it('marks no lead to which something was added since it was read, for the first time or another: it reads it anew', async () => {
    const used = () => transact([useLead(tenancy, lead.id)]);
    expect(await markedAfter(await begun(), used)).toMatchObject({ marked: { state: 'apagando' }, writes: 2 });
    const again = newTenancy();
    [tenancy, lead] = [again, await keepLead(leads, again)];
    await used();
    expect(await markedAfter(await begun(), used)).toMatchObject({ marked: { state: 'apagando' }, writes: 2 });
  });

  it('writes no change of its lead that was read before its mark', async () => {
    const erasure = await begun();
    let marked: Erasure | undefined;
    const rename = () =>
      leads.change(tenancy, lead.id, (read) => ({ write: { ...read, name: 'Ana' }, result: 'made' }));
    const markFirst: Interception = {
      async around(name, call) {
        if (name === 'table UpdateItemCommand') marked ??= await erasures.mark(erasure, NOW + 1);
        return call();
      },
    };
    expect([await intercepted(markFirst, rename), marked?.state]).toEqual([undefined, 'apagando']);
  });

  it('lets nothing more be written for its lead from its mark on', async () => {
    expect(await transact([useLead(tenancy, lead.id)])).toBe('written');
    await erasures.mark(await begun(), NOW + 1);
    expect(await transact([useLead(tenancy, lead.id)])).not.toBe('written');
  });
});

describe('the evidence of an erasure', () => {
  const ledger = { add: async () => {}, page: async () => ({ items: [], next: undefined }) };
  const goOn = async () =>
    erasePerson({ ...tenancy, partnerId: 3 as PartnerId, leadId: lead.id }, { erasures, ledger, clock: () => NOW });
  const lateOne = async () => {
    await listSimulation(9);
    await erasures.erase((await erasures.get(tenancy, lead.id))!);
  };

  // Its writes: what it deletes, the CPF's row, its note.
  it.for(
    [1, 2, 3].flatMap((write) => [
      { write, what: 'a whole run', between: goOn, all: 3 },
      { write, what: 'one that finds a late row and is cut off', between: lateOne, all: 4 },
    ]),
  )('counts each row once where $what comes before write $write', async ({ write, between, all }) => {
    for (const id of [1, 2, 3]) await listSimulation(id);
    await erasures.mark(await begun(), NOW + 1);
    let writes = 0;
    const meanwhile: Interception = {
      async around(name, call) {
        if (name === 'table TransactWriteItemsCommand' && ++writes === write)
          await intercepted<unknown>({ around: (_, itsCall) => itsCall() }, between);
        return call();
      },
    };
    const after = await intercepted(meanwhile, goOn);
    expect(after).toMatchObject({ state: 'apagado', opportunities: all, passes: [{ opportunities: all }] });
    expect(await erasures.get(tenancy, lead.id)).toEqual(after);
  });

  it('is counted for a person with more simulations than a transaction holds', async () => {
    for (let id = 1; id <= 120; id++) await listSimulation(id);
    await begun();
    expect(await goOn()).toMatchObject({ passes: [{ opportunities: 120 }] });
  });
});

describe('an erasure’s second pass', () => {
  it('takes the answers kept for replays along, but none of a key that a new lead has taken over', async () => {
    const [made, found] = [newClaim(tenancy, NOW, 'create-lead'), newClaim(tenancy, NOW, 'create-lead')];
    const cpf = '90000000256' as Cpf;
    const create = async (claim: Claim) => {
      const answer = (leadId: LeadId) => ({ status: 201, body: String(leadId) });
      const once = await leads.createOrReuse(tenancy, makeLeadDraft({ cpf }), answer, claim);
      return Number('done' in once && once.done.body) as LeadId;
    };
    const leadId = await create(made);
    expect(await create(found)).toBe(leadId);
    const draft = makeSubmissionDraft(tenancy, (await leads.get(tenancy, leadId))!, { banks: ['itau'] });
    const claimed = await analyses.claim(draft, newClaim(tenancy, NOW));
    const [before] = typeof claimed === 'object' && 'done' in claimed ? claimed.done.analyses : [];
    const refusal = { situation: 'recusado', rawStatus: 'Reprovado', queryNumber: 'IT-1' } as const;
    await analyses.conclude({ before: before!, after: transition(before!, refusal)!, delivery: undefined });
    const kept = async () =>
      (await rowsOf('IDEMPOTENCY#')).map((row) => row['leadId']).filter((id) => id === leadId || id === renewed);
    let renewed: LeadId | undefined;
    const marked = await erasures.mark(await erasures.begin(makeErasure(tenancy, leadId, NOW)), NOW + 1);
    const { erasure } = await erasures.erase(marked);
    const pass = { opportunities: 0, forms: 1, analyses: 0, consents: 1, at: NOW };
    const closed = await erasures.close(erasure, pass, NOW + 2);
    expect(await kept()).toHaveLength(3);
    renewed = await create(made);
    await erasures.erase(closed);
    expect(await kept()).toEqual([renewed]);
  });
});

describe('the index of erasures', () => {
  it('shows those that can be read, and counts those that cannot', async () => {
    await begun();
    const broken = newTenancy();
    await writeRows([{ ...erasureKey(broken, lead.id), ...erasureDue(broken, lead.id, 1), unitId: 'sete', v: 1 }]);
    expect((await erasures.due(NOW + 1)).items).toContainEqual({ ...tenancy, leadId: lead.id });
    expect(peers.metrics).toContainEqual(expect.objectContaining({ ErasuresFailed: 1 }));
  });
});
