import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Erasure } from '../../shared/domain/leads/erasure.ts';
import type { Lead } from '../../shared/domain/leads/ports.ts';
import type { Clock } from '../../shared/domain/values/clock.ts';
import type { Tenancy } from '../../shared/domain/values/tenancy.ts';
import { tableAnalyses } from '../../shared/table/analyses.ts';
import { transact } from '../../shared/table/client.ts';
import { tableErasures } from '../../shared/table/lead-erasure.ts';
import { tableLeads, useLead } from '../../shared/table/leads.ts';
import { type Interception, intercepted, interceptTable } from '../makers/intercepted.ts';
import { keepLead } from '../makers/lead.ts';
import { usePeers } from '../makers/peers.ts';
import { newTenancy } from '../makers/tenancy.ts';
import { describeErasures, makeErasure } from './erasures.suite.ts';

usePeers();
beforeAll(interceptTable);

const NOW = 1_780_000_000_000;
const rows = (clock: Clock) => ({
  leads: tableLeads(clock),
  analyses: tableAnalyses(clock),
  erasures: tableErasures(clock),
});
describeErasures(rows);

const { leads, erasures } = rows(() => NOW);

let tenancy: Tenancy;
let lead: Lead;
beforeEach(async () => {
  tenancy = newTenancy();
  lead = await keepLead(leads, tenancy);
});

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
