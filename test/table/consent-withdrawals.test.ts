import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventOf } from '#shared/contract/event.ts';
import { CONSENT_KEPT, type ConsentWithdrawal } from '#shared/domain/analyses/analysis.ts';
import type { KeyedWithdrawal, RecordedWithdrawal } from '#shared/domain/analyses/ports.ts';
import { NO_LEASE } from '#shared/domain/analyses/unsent-watch.ts';
import type { Lead } from '#shared/domain/leads/lead.ts';
import type { Bank } from '#shared/domain/values/bank.ts';
import { timestamp } from '#shared/domain/values/clock.ts';
import type { KeyId, LeadId, WithdrawalId } from '#shared/domain/values/ids.ts';
import type { Tenancy } from '#shared/domain/values/tenancy.ts';
import { minutes } from '#shared/domain/values/time.ts';
import { TableAnalyses } from '#shared/table/analyses/analyses.ts';
import { putWithdrawal, TableConsentWithdrawals } from '#shared/table/analyses/consent-withdrawals.ts';
import { TableConsents } from '#shared/table/analyses/consents.ts';
import { TableRetainedLeads } from '#shared/table/leads/lead-retention.ts';
import { TableLeads } from '#shared/table/leads/leads.ts';
import { TablePersonalRecords } from '#shared/table/personal-data/personal-data.ts';
import { tableClient, transact, updateRow } from '#shared/table/rows/client.ts';
import { consentPartition, leadKey, withdrawalKey } from '#shared/table/rows/keys.ts';
import { consentsOf, withdrawalsOf } from '#test/makers/evidence.ts';
import { countUnits } from '../makers/counting.ts';
import { intercepted, interceptTable, meanwhile } from '../makers/intercepted.ts';
import { createLead } from '../makers/lead.ts';
import { usePeers } from '../makers/peers.ts';
import { rowsOf } from '../makers/rows.ts';
import { makeSubmissionDraft, newClaim, newKey } from '../makers/submission.ts';
import { newTenancy } from '../makers/tenancy.ts';

usePeers();
beforeAll(interceptTable);

const START = Date.parse('2026-06-01T12:00:00Z');
let now = START;
const clock = () => now;
const [leads, analyses, consents] = [
  new TableLeads(clock),
  new TableAnalyses(clock, eventOf),
  new TableConsents(clock),
];
const withdrawals = new TableConsentWithdrawals(clock);

// In the order of time.
const GIVEN = '2026-06-01T08:00:00-03:00';
const WITHDRAWN = { withdrawnAt: '2026-06-01T08:30:00-03:00', channel: 'app', keyId: 'aaaaa' as KeyId };
const WITHDRAWAL = Date.parse(WITHDRAWN.withdrawnAt);
const GIVEN_AGAIN = '2026-06-01T08:45:00-03:00';

let tenancy: Tenancy;
let lead: Lead;
beforeEach(async () => {
  now = START;
  tenancy = newTenancy();
  lead = await createLead(leads, tenancy);
});

/** Claims a submission of the lead, and sends nothing. */
async function claim(banks: readonly Bank[] = ['itau'], givenAt = GIVEN, changes: { leadToWrite?: Lead } = {}) {
  const consent = { givenAt, ip: '177.45.10.20', channel: 'web' };
  return analyses.claim(
    makeSubmissionDraft(tenancy, lead, { banks, consent, ...changes }),
    await newKey(tenancy, START),
  );
}

async function claimed(banks?: readonly Bank[], givenAt?: string) {
  const outcome = await claim(banks, givenAt);
  if (typeof outcome === 'string' || !('done' in outcome)) throw new Error('nothing was claimed');
  const [first] = outcome.done;
  if (!first) throw new Error('the submission has no analysis');
  return { analyses: outcome.done, first };
}

async function withdraw(draft = WITHDRAWN): Promise<RecordedWithdrawal> {
  const outcome = await withdrawals.record(tenancy, lead.id, draft);
  if (!outcome || !('done' in outcome)) throw new Error('nothing was withdrawn');
  return outcome.done;
}

const markAsErasing = () =>
  updateRow({
    Key: leadKey(tenancy, lead.id),
    UpdateExpression: 'SET erasingSince = :now',
    ExpressionAttributeValues: { ':now': now },
  });
const evidence = () => rowsOf(consentPartition(tenancy, lead.id));
const idsOf = (all: readonly { readonly id: number }[]) => all.map(({ id }) => id);
const keyed = (claim = newClaim(tenancy, START, 'withdraw-consent')): KeyedWithdrawal => ({
  claim,
  answerFor: ({ withdrawal, affected }) => ({ status: 201, body: JSON.stringify([withdrawal.id, affected]) }),
});

describe('record', () => {
  it('record stores the withdrawal and names the pending analyses that rest on the withdrawn consent', async () => {
    const older = await claimed(['itau', 'inter']);
    now += 1;
    const newer = await claimed(['brb']);
    const { withdrawal, isNew, affected } = await withdraw();
    expect(isNew).toBe(true);
    expect(withdrawal).toEqual({ ...WITHDRAWN, id: expect.any(Number), leadId: lead.id });
    expect(await withdrawalsOf(tenancy, lead.id, now)).toEqual([withdrawal]);
    const all = newer.analyses.concat(older.analyses).map(({ id, bank }) => {
      return { id, bank, situation: 'em_analise', isSent: false };
    });
    expect(affected).toEqual(all.sort((a, b) => b.id - a.id));
  });

  it('record changes no analysis, since only the poller can tell which analyses never arrived', async () => {
    const { first } = await claimed();
    await withdraw();
    expect(await analyses.get(tenancy, first.id)).toEqual(first);
  });

  it('record says that an analysis is sent once its bank has confirmed it, and not while a run may be sending', async () => {
    const { first } = await claimed();
    await analyses.acquireSubmitLease(first, NO_LEASE);
    expect((await withdraw()).affected).toMatchObject([{ id: first.id, isSent: false }]);
    await analyses.note(first, 'IT-1', 'Em análise');
    expect((await withdraw()).affected).toMatchObject([{ id: first.id, isSent: true }]);
  });

  it('record names no analysis that has ended or that rests on a newer consent', async () => {
    const { first } = await claimed();
    await claimed(['itau'], GIVEN_AGAIN);
    await analyses.conclude({
      before: first,
      after: { ...first, situation: 'aprovado', sequence: 1 },
    });
    expect((await withdraw()).affected).toEqual([]);
  });

  it('record names an analysis whose consent is at most five minutes later than the withdrawal', async () => {
    const { first } = await claimed(['itau'], timestamp(WITHDRAWAL + minutes(5)));
    await claimed(['inter'], timestamp(WITHDRAWAL + minutes(5) + 1));
    expect(idsOf((await withdraw()).affected)).toEqual([first.id]);
    expect(await analyses.isConsentWithdrawn(first)).toBe(true);
  });

  it('a withdrawal that is dated ahead is stored as it was reported, and counts from its receipt', async () => {
    const ahead = { ...WITHDRAWN, withdrawnAt: timestamp(START + minutes(4)) };
    const { withdrawal } = await withdraw(ahead);
    expect(withdrawal.withdrawnAt).toBe(ahead.withdrawnAt);
    expect((await leads.get(tenancy, lead.id))?.consentWithdrawnAt).toBe(START);
    expect(await claim(['itau'], timestamp(START + minutes(5)))).toBe('lead_changed');
    expect(await claim(['itau'], timestamp(START + minutes(5) + 1))).toHaveProperty('done');
  });

  it('a withdrawal that is dated ahead and reported again stores nothing, and a later one is stored', async () => {
    const ahead = { ...WITHDRAWN, withdrawnAt: timestamp(START + minutes(4)) };
    const { withdrawal } = await withdraw(ahead);
    now += minutes(1);
    expect(await withdraw(ahead)).toMatchObject({ withdrawal, isNew: false });
    const { isNew } = await withdraw({ ...ahead, withdrawnAt: timestamp(START + minutes(4) + 1) });
    expect(isNew).toBe(true);
    expect((await leads.get(tenancy, lead.id))?.consentWithdrawnAt).toBe(now);
  });

  it('record returns undefined and stores nothing for a lead that does not exist or is being erased', async () => {
    expect(await withdrawals.record(tenancy, 1 as LeadId, WITHDRAWN)).toBeUndefined();
    expect(await withdrawals.record(newTenancy(), lead.id, WITHDRAWN)).toBeUndefined();
    await markAsErasing();
    expect(await withdrawals.record(tenancy, lead.id, WITHDRAWN)).toBeUndefined();
    expect(await evidence()).toEqual([]);
  });

  it('a withdrawal is no use of its lead, so that a planned end of the lead stays', async () => {
    const retained = new TableRetainedLeads();
    const due = async () => {
      for await (const one of retained.due(START + 100 * CONSENT_KEPT)) if (one.leadId === lead.id) return one;
      throw new Error('the lead is not due');
    };
    const seen = await retained.look(await due());
    if (!seen) throw new Error('the lead was not seen');
    await withdraw();
    expect(await retained.keep(seen, { at: now, notice: { endsAt: now, seen: 'x' } })).toBe(true);
  });
});

describe('the evidence of a withdrawal', () => {
  it('the row of a withdrawal lies with the consents, is sealed, and is kept for five years', async () => {
    await withdraw();
    const rows = await evidence();
    expect(rows).toHaveLength(1);
    expect(Object.keys(rows[0] ?? {}).sort()).toEqual(['expiresAt', 'pk', 'sealed', 'sk', 'v']);
    expect(rows[0]?.['expiresAt']).toBe((START + CONSENT_KEPT) / 1000);
  });

  it('putWithdrawal never overwrites a withdrawal', async () => {
    const withdrawal: ConsentWithdrawal = { ...WITHDRAWN, id: 4711 as WithdrawalId, leadId: lead.id };
    expect(await transact([await putWithdrawal(tenancy, withdrawal, now)])).toBe('written');
    const other = await putWithdrawal(tenancy, { ...withdrawal, channel: 'telefone' }, now);
    expect(await transact([other])).not.toBe('written');
    expect(await withdrawalsOf(tenancy, lead.id, now)).toEqual([withdrawal]);
  });

  it('a page of consents has the withdrawals of the lead next to its consents, newest first', async () => {
    await claimed();
    const page = { limit: 1, offset: 0 };
    expect(await consents.page(tenancy, lead.id, page)).toMatchObject({ items: [{}], more: false, withdrawals: [] });
    const { withdrawal: first } = await withdraw();
    await claimed(['itau'], GIVEN_AGAIN);
    now += 1;
    const { withdrawal: second } = await withdraw({ ...WITHDRAWN, withdrawnAt: GIVEN_AGAIN });
    for (const offset of [0, 1, 2]) {
      const found = await consents.page(tenancy, lead.id, { limit: 1, offset });
      expect(found?.withdrawals).toEqual([second, first]);
      expect(found?.items).toHaveLength(offset < 2 ? 1 : 0);
    }
    expect(await consentsOf(tenancy, lead.id, now)).toHaveLength(2);
  });

  it('a page of consents reads withdrawals only of a lead that has some', async () => {
    await claimed();
    const { units, reset } = countUnits(tableClient());
    const callsOfPage = async () => {
      reset();
      await consents.page(tenancy, lead.id, { limit: 20, offset: 0 });
      return units.calls.length;
    };
    const before = await callsOfPage();
    await withdraw();
    expect(await callsOfPage()).toBe(before + 1);
  });

  it('a page of consents shows the newest 100 withdrawals of a lead, and the export shows the others', async () => {
    await withdraw();
    const parts = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        putWithdrawal(tenancy, { ...WITHDRAWN, id: (index + 1) as WithdrawalId, leadId: lead.id }, now),
      ),
    );
    expect(await transact(parts)).toBe('written');
    const records = new TablePersonalRecords(clock);
    const first = await records.of(tenancy, lead.id);
    const second = await records.of(tenancy, lead.id, first?.next);
    const third = await records.of(tenancy, lead.id, second?.next);
    expect(third?.page.withdrawals.map(({ id }) => id)).toEqual([1]);
    expect(third?.next).toBeUndefined();
    const page = await consents.page(tenancy, lead.id, { limit: 20, offset: 0 });
    expect(page?.withdrawals).toHaveLength(100);
    expect(page?.withdrawals).toEqual(first?.page.withdrawals.concat(second?.page.withdrawals ?? []));
  });

  it('what is stored about a person contains the withdrawals, also once the person is erased', async () => {
    const { withdrawal } = await withdraw();
    const records = new TablePersonalRecords(clock);
    expect((await records.of(tenancy, lead.id))?.page.withdrawals).toEqual([withdrawal]);
    await markAsErasing();
    expect((await records.of(tenancy, lead.id))?.page).toMatchObject({ lead: undefined, withdrawals: [withdrawal] });
  });
});

describe('a second withdrawal', () => {
  it('the first of two withdrawals counts if the second has the same moment or an earlier one', async () => {
    const { first } = await claimed();
    const { withdrawal } = await withdraw();
    const rows = await evidence();
    for (const withdrawnAt of [WITHDRAWN.withdrawnAt, '2026-06-01T11:30:00Z', GIVEN]) {
      now += 1;
      const again = await withdraw({ ...WITHDRAWN, withdrawnAt, channel: 'telefone' });
      expect(again.withdrawal).toEqual(withdrawal);
      expect(again.isNew).toBe(false);
      expect(idsOf(again.affected)).toEqual([first.id]);
    }
    expect(await evidence()).toEqual(rows);
  });

  it('a withdrawal is stored again if the evidence of a later one is no longer kept, and the later one counts', async () => {
    const { withdrawal } = await withdraw();
    await transact([{ Delete: { Key: withdrawalKey(tenancy, lead.id, withdrawal.id) } }]);
    now += 1;
    const { isNew } = await withdraw({ ...WITHDRAWN, withdrawnAt: GIVEN });
    expect(isNew).toBe(true);
    expect(await evidence()).toHaveLength(1);
    expect((await leads.get(tenancy, lead.id))?.consentWithdrawnAt).toBe(Date.parse(WITHDRAWN.withdrawnAt));
  });

  it('a later withdrawal is stored next to the first, and affects a consent that was given between them', async () => {
    const { withdrawal: one } = await withdraw();
    const { first } = await claimed(['itau'], GIVEN_AGAIN);
    now += 1;
    const { withdrawal: two, affected } = await withdraw({ ...WITHDRAWN, withdrawnAt: GIVEN_AGAIN });
    expect(idsOf(affected)).toEqual([first.id]);
    expect(await withdrawalsOf(tenancy, lead.id, now)).toEqual([two, one]);
    expect(await analyses.isConsentWithdrawn(first)).toBe(true);
  });

  it('two withdrawals at once store one row, and both callers get it', async () => {
    const both = await Promise.all([withdraw(), withdraw()]);
    expect(await withdrawalsOf(tenancy, lead.id, now)).toHaveLength(1);
    expect(both.map(({ isNew }) => isNew).sort()).toEqual([false, true]);
    expect(both[0]?.withdrawal).toEqual(both[1]?.withdrawal);
  });
});

describe('an Idempotency-Key', () => {
  it('a call with the same key gets the stored answer, and nothing more is stored', async () => {
    const call = keyed();
    const first = await withdrawals.record(tenancy, lead.id, WITHDRAWN, call);
    const rows = await evidence();
    const again = await withdrawals.record(tenancy, lead.id, { ...WITHDRAWN, withdrawnAt: GIVEN_AGAIN }, call);
    if (!first || !('done' in first)) throw new Error('nothing was withdrawn');
    expect(again).toMatchObject({ earlier: { sameContent: true, answer: call.answerFor(first.done) } });
    expect(await evidence()).toEqual(rows);
  });

  it('a withdrawal that is not later than the stored one stores its answer under its own key', async () => {
    const { withdrawal } = await withdraw();
    const call = keyed();
    const first = await withdrawals.record(tenancy, lead.id, WITHDRAWN, call);
    const again = await withdrawals.record(tenancy, lead.id, WITHDRAWN, call);
    expect(first).toMatchObject({ done: { isNew: false, withdrawal } });
    expect(again).toMatchObject({ earlier: { answer: call.answerFor({ withdrawal, isNew: false, affected: [] }) } });
  });

  it('two calls with one key at once store one withdrawal and one answer', async () => {
    const { claim: shared } = keyed();
    const calls = await Promise.all(
      [1, 2].map(() => withdrawals.record(tenancy, lead.id, WITHDRAWN, keyed({ ...shared }))),
    );
    expect(calls.filter((call) => call && 'earlier' in call)).toHaveLength(1);
    expect(await withdrawalsOf(tenancy, lead.id, now)).toHaveLength(1);
  });

  it('record stores no answer for a lead that is marked for erasure before the transaction', async () => {
    for (const first of [true, false]) {
      tenancy = newTenancy();
      lead = await createLead(leads, tenancy);
      if (!first) await withdraw();
      const rows = await evidence();
      const outcome = await intercepted(meanwhile('table TransactWriteItemsCommand', markAsErasing), () =>
        withdrawals.record(tenancy, lead.id, WITHDRAWN, keyed()),
      );
      expect(outcome).toBeUndefined();
      expect(await evidence()).toEqual(rows);
    }
    const stored = await rowsOf('IDEMPOTENCY#');
    expect(stored.filter(({ leadId }) => leadId === lead.id)).toEqual([]);
  });
});

describe('a submission and a withdrawal at the same time', () => {
  /** Lets something else happen before the n-th call of the table that a run makes. Returns undefined after the last. */
  async function beforeCall<T>(at: number, step: () => Promise<unknown>, run: () => Promise<T>) {
    const interception = meanwhile(undefined, step, { at });
    const result = await intercepted(interception, run);
    return interception.calls < at ? undefined : { result };
  }

  /** Returns the change of a draft that writes a new version of the lead, as if its birth date had been missing. */
  const completing = () => ({ leadToWrite: { ...lead, version: lead.version + 1 } });

  it('a withdrawal names each submission that is claimed before its transaction, at whatever call of it', async () => {
    let calls = 0;
    for (let at = 1; ; at++) {
      tenancy = newTenancy();
      lead = await createLead(leads, tenancy);
      const made = [(await claimed()).first];
      const step = async () => {
        now += 1;
        made.unshift((await claimed()).first);
      };
      const run = await beforeCall(at, step, () => withdraw());
      if (!run) break;
      calls = at;
      expect(idsOf(run.result.affected), `before call ${at}`).toEqual(idsOf(made));
    }
    // The calls are: the lead, the lead's list, the pending analyses, and the transaction.
    expect(calls).toBe(4);
  });

  it('a withdrawal names a submission that completes the birth date of its lead before the transaction', async () => {
    const step = async () => expect(await claim(['itau'], GIVEN, completing())).toHaveProperty('done');
    const run = await intercepted(meanwhile('table TransactWriteItemsCommand', step), () => withdraw());
    expect(run.affected).toHaveLength(1);
  });

  it('claim is refused if the withdrawal comes before its transaction, and stores nothing', async () => {
    const run = await intercepted(
      meanwhile('table TransactWriteItemsCommand', () => withdraw()),
      () => claim(),
    );
    expect(run).toBe('lead_changed');
    expect(await analyses.ofLead(tenancy, lead.id)).toEqual([]);
    expect(await evidence()).toHaveLength(1);
  });

  it('claim refuses a consent of up to five minutes after the withdrawal, and takes a newer one', async () => {
    await withdraw();
    expect(await claim(['itau'], GIVEN)).toBe('lead_changed');
    expect(await claim(['itau'], timestamp(WITHDRAWAL + minutes(5)))).toBe('lead_changed');
    expect(await analyses.ofLead(tenancy, lead.id)).toEqual([]);
    expect((await claimed(['itau'], timestamp(WITHDRAWAL + minutes(5) + 1))).analyses).toHaveLength(1);
  });

  it('a claim that completes the birth date of its lead is refused after a withdrawal, too', async () => {
    await withdraw();
    expect(await claim(['itau'], GIVEN, completing())).toBe('lead_changed');
  });

  it('prepare shows a submission when the consent of its lead was withdrawn', async () => {
    await withdraw();
    const { lead: found } = await analyses.prepare(lead.id, newClaim(tenancy, START));
    expect(found?.consentWithdrawnAt).toBe(Date.parse(WITHDRAWN.withdrawnAt));
  });
});

describe('isConsentWithdrawn', () => {
  it('isConsentWithdrawn is true for an analysis whose consent was withdrawn, and false for a newer one', async () => {
    const { first } = await claimed();
    expect(await analyses.isConsentWithdrawn(first)).toBe(false);
    await withdraw();
    expect(await analyses.isConsentWithdrawn(first)).toBe(true);
    expect(await analyses.isConsentWithdrawn((await claimed(['brb'], GIVEN_AGAIN)).first)).toBe(false);
  });
});
