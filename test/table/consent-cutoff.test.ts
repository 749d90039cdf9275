import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventOf } from '#shared/contract/event.ts';
import { applyLedger, erasePerson } from '#shared/domain/leads/erase-person.ts';
import { beginErasure, type Erasure } from '#shared/domain/leads/erasure.ts';
import type { Lead } from '#shared/domain/leads/lead.ts';
import { CLOCK_DIFFERENCE, timestamp } from '#shared/domain/values/clock.ts';
import type { Cpf } from '#shared/domain/values/cpf.ts';
import type { PartnerId } from '#shared/domain/values/ids.ts';
import type { Tenancy } from '#shared/domain/values/tenancy.ts';
import { days, hours, type Instant } from '#shared/domain/values/time.ts';
import { consentDays } from '#shared/runtime/env.ts';
import { TableAnalyses } from '#shared/table/analyses/analyses.ts';
import { TableConsentWithdrawals } from '#shared/table/analyses/consent-withdrawals.ts';
import { TableErasureLedger } from '#shared/table/leads/erasure-ledger.ts';
import { correctLead } from '#shared/table/leads/lead-correction.ts';
import { TableErasures } from '#shared/table/leads/lead-erasure.ts';
import { TableRetainedLeads } from '#shared/table/leads/lead-retention.ts';
import { TableLeads } from '#shared/table/leads/leads.ts';
import { TablePersonalRecords } from '#shared/table/personal-data/personal-data.ts';
import { transact } from '#shared/table/rows/client.ts';
import { cutoffOf, keepCutoff } from '#shared/table/rows/consent-cutoff.ts';
import { cutoffPartition, unitNumberKey } from '#shared/table/rows/keys.ts';
import { countRows, rewriteRows } from '#shared/table/sealing/rewriting.ts';
import { atEachCall, intercepted, interceptTable, meanwhile, stoppedAt } from '../makers/intercepted.ts';
import { createLead } from '../makers/lead.ts';
import { usePeers } from '../makers/peers.ts';
import { clearLedger, clearTable, everyRow, rowsOf, writeRows } from '../makers/rows.ts';
import { setServiceKeys } from '../makers/service-keys.ts';
import { makeSubmissionDraft, newKey } from '../makers/submission.ts';
import { newTenancy } from '../makers/tenancy.ts';

const peers = usePeers();
beforeAll(interceptTable);

const START = Date.parse('2026-06-01T12:00:00Z');
const GIVEN = START - days(10);
const WITHDRAWN = START - days(5);
const CPF = '90000000175' as Cpf;
const RIGHT_CPF = '90000000680' as Cpf;
const atOnce = { unitsPerSecond: 1_000_000, pause: async () => {} };

let now = START;
const clock = () => now;
const [leads, analyses, erasures] = [
  new TableLeads(clock),
  new TableAnalyses(clock, eventOf),
  new TableErasures(clock),
];
const [withdrawals, retained] = [new TableConsentWithdrawals(clock), new TableRetainedLeads()];
const deps = { erasures, ledger: new TableErasureLedger(), clock };

let tenancy: Tenancy;
let lead: Lead;
beforeEach(async () => {
  now = START;
  setServiceKeys(peers.secrets);
  tenancy = newTenancy();
  lead = await createLead(leads, tenancy);
});

/** Claims a submission of a new lead of the person, on a consent of `givenAt`. */
async function claim(givenAt: Instant, of: Tenancy = tenancy) {
  const renewed = await createLead(leads, of);
  const consent = { givenAt: timestamp(givenAt), ip: '177.45.10.20', channel: 'web' };
  return analyses.claim(makeSubmissionDraft(of, renewed, { banks: ['itau'], consent }), await newKey(of, now));
}

const subject = () => ({ partnerId: 3 as PartnerId, ...tenancy, leadId: lead.id });
const erase = () => erasePerson(subject(), deps);
const withdraw = (moment: Instant) =>
  withdrawals.record(tenancy, lead.id, { withdrawnAt: timestamp(moment), channel: 'app' });
const cutoffs = () => rowsOf(cutoffPartition(tenancy));

/** Begins the end of the lead as the sweeper does once its term is over. */
async function endUnused(step: () => Promise<unknown> = async () => undefined): Promise<Erasure | undefined> {
  await writeRows([{ ...unitNumberKey(tenancy.unitId), partnerId: 3, v: 1 }]);
  for await (const due of retained.due(START + days(10_000))) {
    if (due.leadId !== lead.id) continue;
    const seen = await retained.look(due);
    await step();
    return seen && retained.claim(seen, now, now);
  }
  throw new Error('the lead is not due');
}

describe('an erasure that the person asked for', () => {
  it('a new lead of an erased person takes no consent from before the erasure', async () => {
    await erase();
    expect(await claim(GIVEN)).toEqual({ cutoff: START });
    expect(await claim(START + CLOCK_DIFFERENCE)).toEqual({ cutoff: START });
    expect(await claim(START + CLOCK_DIFFERENCE + 1)).toHaveProperty('done');
  });

  it('an erasure keeps a withdrawal that came after its request', async () => {
    const begun = await erasures.begin(beginErasure(subject(), now, now));
    now += hours(1);
    await withdraw(now);
    await erasures.mark(begun!, now);
    expect(await cutoffOf(tenancy, CPF, now)).toBe(START + hours(1));
  });

  it('mark reads the lead again if its consent was withdrawn since the read', async () => {
    const begun = await erasures.begin(beginErasure(subject(), now, now));
    now += hours(1);
    const step = () => withdraw(now);
    const marking = meanwhile('table TransactWriteItemsCommand', step);
    expect(await intercepted(marking, () => erasures.mark(begun!, now))).toMatchObject({ state: 'apagando' });
    expect(await cutoffOf(tenancy, CPF, now)).toBe(START + hours(1));
  });

  it('an erasure that is stopped at any call leaves no moment at which a consent from before counts', async () => {
    await atEachCall(async (point) => {
      tenancy = newTenancy();
      lead = await createLead(leads, tenancy);
      await withdraw(WITHDRAWN);
      const { where, finished } = await stoppedAt(point, erase);
      const outcome = await claim(GIVEN);
      if (finished) expect(outcome, where).toEqual({ cutoff: START });
      expect(outcome, where).not.toHaveProperty('done');
      return finished;
    });
  });

  it('a consent from before counts in another unit and in the other environment', async () => {
    await erase();
    expect(await claim(GIVEN, newTenancy())).toHaveProperty('done');
    expect(await claim(GIVEN, { ...tenancy, environment: 'sandbox' })).toHaveProperty('done');
  });

  it('the export of a new lead shows up to when no consent counts', async () => {
    await erase();
    const renewed = await createLead(leads, tenancy);
    const records = new TablePersonalRecords(clock);
    expect((await records.of(tenancy, renewed.id))?.page).toMatchObject({ consentCutoff: START });
    expect((await records.of(tenancy, lead.id))?.page).toMatchObject({ consentCutoff: undefined });
  });
});

describe('the end of a lead that nobody uses', () => {
  it('a lead that ends unused leaves its withdrawal, and nothing without one', async () => {
    await endUnused();
    expect(await cutoffs()).toEqual([]);
    tenancy = newTenancy();
    lead = await createLead(leads, tenancy);
    await withdraw(WITHDRAWN);
    await endUnused();
    expect(await claim(GIVEN)).toEqual({ cutoff: WITHDRAWN });
  });

  it('a lead is not ended if its consent was withdrawn since the look', async () => {
    expect(await endUnused(() => withdraw(WITHDRAWN))).toBeUndefined();
    expect(await endUnused()).toMatchObject({ cause: 'retention' });
    expect(await cutoffOf(tenancy, CPF, now)).toBe(WITHDRAWN);
  });

  it('a withdrawal before which no consent is young enough any more leaves no row', async () => {
    await withdraw(START - days(consentDays() + 1));
    await endUnused();
    expect(await cutoffs()).toEqual([]);
  });
});

describe('keepCutoff', () => {
  it('the later of two moments counts, in whatever order they are kept', async () => {
    const [earlier, later] = [await keepCutoff(tenancy, CPF, GIVEN, now), await keepCutoff(tenancy, CPF, START, now)];
    expect(await transact(later)).toBe('written');
    expect(await transact(earlier)).not.toBe('written');
    expect(await keepCutoff(tenancy, CPF, GIVEN, now)).toEqual([]);
    expect(await cutoffOf(tenancy, CPF, now)).toBe(START);
    expect(await transact(await keepCutoff(tenancy, CPF, START + 1, now))).toBe('written');
    expect(await cutoffOf(tenancy, CPF, now)).toBe(START + 1);
  });

  it('the row has a hash of the CPF, the moment, its end and the name of its index key', async () => {
    await erase();
    const [row] = await cutoffs();
    expect(Object.keys(row ?? {}).sort()).toEqual(['consentWithdrawnAt', 'expiresAt', 'indexedBy', 'pk', 'sk', 'v']);
    expect(JSON.stringify(row)).not.toContain(CPF);
  });

  it('the row counts until every consent from before is too old, though TTL has not deleted it', async () => {
    await erase();
    const last = START + CLOCK_DIFFERENCE;
    now = last + days(consentDays());
    expect(await claim(last)).toEqual({ cutoff: START });
    now += CLOCK_DIFFERENCE;
    expect(await claim(last)).toHaveProperty('done');
    expect(await cutoffs()).toHaveLength(1);
    // A row that has ended gives way, even to an earlier moment.
    expect(await transact(await keepCutoff(tenancy, CPF, START + 1, now - 1))).toBe('written');
  });
});

describe('a rotation of the index key', () => {
  it('a cutoff is found under the older index key, under the newer and under both', async () => {
    const keys = setServiceKeys(peers.secrets);
    await transact(await keepCutoff(tenancy, CPF, WITHDRAWN, now));
    setServiceKeys(peers.secrets, { keys, index: 'rotated' });
    expect(await claim(GIVEN)).toEqual({ cutoff: WITHDRAWN });
    expect(await keepCutoff(tenancy, CPF, WITHDRAWN, now)).toEqual([]);
    await transact(await keepCutoff(tenancy, CPF, START, now));
    expect(await cutoffs()).toHaveLength(2);
    expect(await claim(GIVEN)).toEqual({ cutoff: START });
    expect(await claim(START)).toEqual({ cutoff: START });
  });

  it('a cutoff counts as a row under its index key until it ends, and rewriteRows leaves it there', async () => {
    await clearTable();
    const keys = setServiceKeys(peers.secrets);
    await transact(await keepCutoff(tenancy, CPF, START, now));
    setServiceKeys(peers.secrets, { keys, index: 'rotated' });
    for await (const { moved, removed, brokenCount } of rewriteRows({ state: '', moves: true }, atOnce))
      expect(moved + removed + brokenCount).toBe(0);
    const [row] = await cutoffs();
    const end = Number(row?.['expiresAt']) * 1000;
    for await (const { indexed } of countRows(atOnce, end - 1))
      expect(indexed).toEqual([{ name: row?.['indexedBy'], cpfs: 0, records: 1, recordsEndAt: end }]);
    for await (const { indexed } of countRows(atOnce, end)) expect(indexed).toEqual([]);
  });
});

describe('correctLead', () => {
  it('correctLead carries the cutoff to the right CPF, and leaves it at the wrong one', async () => {
    await erase();
    const renewed = await createLead(leads, tenancy);
    expect(await correctLead(tenancy, renewed.id, { cpf: RIGHT_CPF }, clock)).toEqual({ fields: ['cpf'] });
    expect(await cutoffOf(tenancy, RIGHT_CPF, now)).toBe(START);
    expect(await cutoffOf(tenancy, CPF, now)).toBe(START);
  });

  it('correctLead lowers no cutoff of the right CPF', async () => {
    await transact(await keepCutoff(tenancy, CPF, WITHDRAWN, now));
    await transact(await keepCutoff(tenancy, RIGHT_CPF, START, now));
    await correctLead(tenancy, lead.id, { cpf: RIGHT_CPF }, clock);
    expect(await cutoffOf(tenancy, RIGHT_CPF, now)).toBe(START);
  });
});

describe('applyLedger', () => {
  /** Ends the lead, puts the table back as it was before, and applies the ledger a day later. */
  async function restored(end: () => Promise<unknown>): Promise<void> {
    await clearTable();
    await clearLedger();
    lead = await createLead(leads, tenancy);
    const rows = await everyRow();
    await end();
    await clearTable();
    await writeRows(rows);
    now += days(1);
    await applyLedger(deps);
  }

  it('applyLedger keeps the moment at which a restored lead was erased first', async () => {
    await restored(erase);
    expect(await claim(GIVEN)).toEqual({ cutoff: START });
    expect(await claim(START + hours(1))).toHaveProperty('done');
  });

  it('applyLedger keeps nothing of a lead that had ended because nobody used it', async () => {
    await restored(async () => {
      await endUnused();
      await erase();
    });
    expect(await cutoffs()).toEqual([]);
    expect(await claim(GIVEN)).toHaveProperty('done');
  });
});
