import { beforeEach, expect, test } from 'vitest';
import { eventOf } from '#shared/contract/event.ts';
import { type Analysis, SUBMIT_LEASE, transition } from '#shared/domain/analyses/analysis.ts';
import { closing } from '#shared/domain/analyses/poll-analysis.ts';
import { pollPartition } from '#shared/domain/analyses/poll-schedule.ts';
import type { AnalysisChange, SubmissionDraft } from '#shared/domain/analyses/ports.ts';
import { NO_LEASE } from '#shared/domain/analyses/unsent-watch.ts';
import { type Lead, withBirthDate } from '#shared/domain/leads/lead.ts';
import { BANKS } from '#shared/domain/values/bank.ts';
import type { Day } from '#shared/domain/values/clock.ts';
import type { Claim } from '#shared/domain/values/idempotency.ts';
import type { AnalysisId, LeadId, SubmissionId } from '#shared/domain/values/ids.ts';
import type { Tenancy } from '#shared/domain/values/tenancy.ts';
import { TableAnalyses } from '#shared/table/analyses/analyses.ts';
import { TableLeads } from '#shared/table/leads/leads.ts';
import { type KeyRecord, recordOf } from '#shared/table/rows/idempotency.ts';
import { TableDeliveries } from '#shared/table/webhooks/deliveries.ts';
import { createLead } from '../makers/lead.ts';
import { usePeers } from '../makers/peers.ts';
import { makeSubmissionDraft, newClaim, newKey } from '../makers/submission.ts';
import { newTenancy } from '../makers/tenancy.ts';

const START = 1_780_000_000_000;
const ANSWER = { status: 202, body: '{"ok":true}' };

/** Returns the change of a pending analysis that its bank approves. */
function approved(before: Analysis): AnalysisChange {
  const after = transition(before, { situation: 'aprovado', rawStatus: 'Aprovado', queryNumber: 'IT-1' })!;
  return { before, after };
}

/** Returns the change of a pending analysis on which its bank fails, with another event. */
function failed(before: Analysis): AnalysisChange {
  const after = transition(before, { situation: 'erro', rawStatus: 'ERRO', queryNumber: 'IT-1' })!;
  return { before, after, refusal: 'other' };
}

/** Returns the analysis after its outcome at `now`. */
const concluded = ({ after }: AnalysisChange): Analysis => ({ ...after, concludedAt: now });
/** Returns the event about a change that is written at `now`. */
const eventAbout = ({ after, refusal }: AnalysisChange) => eventOf(after, now, refusal);
const storedEvent = (change: AnalysisChange) => deliveries.get(eventAbout(change).eventId);

usePeers();
let now = START;
const clock = () => now;
const [analyses, leads, deliveries] = [new TableAnalyses(clock, eventOf), new TableLeads(clock), new TableDeliveries()];
let tenancy: Tenancy;
let lead: Lead;
let claim: Claim;
let key: KeyRecord;
beforeEach(async () => {
  now = START;
  tenancy = newTenancy();
  lead = await createLead(leads, tenancy);
  claim = newClaim(tenancy, START);
  key = await recordOf(claim);
});

const draftOf = (changes: Partial<SubmissionDraft> = {}) => makeSubmissionDraft(tenancy, lead, changes);
async function claimed(changes: Partial<SubmissionDraft> = {}, by = key): Promise<readonly Analysis[]> {
  const once = await analyses.claim(draftOf(changes), by);
  if (typeof once === 'string' || !('done' in once)) throw new Error('nothing was claimed');
  return once.done;
}
const one = async (by = key) => (await claimed({ banks: ['itau'] }, by))[0]!;
const earlier = async () => (await analyses.prepare(lead.id, claim)).earlier;
const banksOfLead = async () => (await analyses.ofLead(tenancy, lead.id))!.map(({ bank }) => bank);

test('claim stores one pending analysis for each bank, and the form, for their tenancy only', async () => {
  const made = await claimed({ forced: 'Aprovado' });
  const id = made[0]!.submissionId;
  const common = { ...tenancy, partnerId: 3, leadId: lead.id, submissionId: id, situation: 'em_analise' };
  const first = { queryNumber: '', sequence: 0, createdAt: START, forced: 'Aprovado', requestId: 'UmP5IGkXmjQEaRw=' };
  expect(made).toMatchObject(['itau', 'inter'].map((bank) => ({ ...common, ...first, bank })));
  expect(await Promise.all(made.map((analysis) => analyses.get(tenancy, analysis.id)))).toEqual(made);
  expect(await analyses.form(tenancy, id)).toEqual(draftOf().form);
  expect(await analyses.get(newTenancy(), made[0]!.id)).toBeUndefined();
  expect(await analyses.form(newTenancy(), id)).toBeUndefined();
  expect(await analyses.form(tenancy, 1 as SubmissionId)).toBeUndefined();
});

test('findAmong finds an analysis in one of 120 units, and in none if no unit has it', async () => {
  const analysis = await one();
  const others = Array.from({ length: 119 }, () => newTenancy());
  expect(await analyses.findAmong([...others, tenancy], analysis.id)).toEqual(analysis);
  expect(await analyses.findAmong(others, analysis.id)).toBeUndefined();
  expect(await analyses.findAmong([], analysis.id)).toBeUndefined();
});

test('claim with a taken key returns the record of the first call and stores nothing', async () => {
  await claimed();
  const left = { sameContent: true, answer: undefined, lockedUntil: START + SUBMIT_LEASE };
  expect(await analyses.claim(draftOf({ banks: ['brb'] }), key)).toMatchObject({ earlier: left });
  expect(await earlier()).toMatchObject(left);
  expect((await banksOfLead()).sort()).toEqual(['inter', 'itau']);
});

test('claim stores one submission if 10 calls with one key come at once', async () => {
  const all = await Promise.all(Array.from({ length: 10 }, () => analyses.claim(draftOf(), key)));
  expect(all.filter((once) => typeof once === 'object' && 'done' in once)).toHaveLength(1);
  expect(await banksOfLead()).toHaveLength(2);
});

test('claim returns lead_changed and stores nothing if the lead is no longer the version that was read', async () => {
  await leads.change(tenancy, lead.id, (read) => ({ write: { ...read, name: 'Ana' }, result: undefined }));
  expect(await analyses.claim(draftOf(), key)).toBe('lead_changed');
  expect(await earlier()).toBeUndefined();
  expect(await banksOfLead()).toEqual([]);
});

test('claim adds the birth date that the lead lacked, once for each version of the lead', async () => {
  tenancy = newTenancy();
  lead = await createLead(leads, tenancy, { birthDate: undefined });
  const leadToWrite = withBirthDate(lead, '1988-03-14' as Day, now + 1)!;
  await claimed({ leadToWrite }, await newKey(tenancy, START));
  expect(await leads.get(tenancy, lead.id)).toEqual(leadToWrite);
  expect(await analyses.claim(draftOf({ leadToWrite }), await newKey(tenancy, START))).toBe('lead_changed');
});

test('a key is free again once its record has ended, though the row is still there', async () => {
  await claimed();
  now = claim.expiresAt;
  expect(await earlier()).toBeUndefined();
  now -= 1;
  expect(await earlier()).toMatchObject({ sameContent: true });
  expect(await analyses.claim(draftOf(), key)).toHaveProperty('earlier');
  now += 1;
  const again = { ...claim, expiresAt: now + 3_600_000 };
  expect(await analyses.claim(draftOf(), await recordOf(again))).toHaveProperty('done');
});

test('resume gives a claim without an answer to one of three runs, with its analyses and key', async () => {
  const made = await claimed();
  now += SUBMIT_LEASE + 1;
  const left = (await earlier())!;
  const runs = await Promise.allSettled([1, 2, 3].map(() => analyses.resume(left)));
  const [won, ...others] = runs.filter(({ status }) => status === 'fulfilled');
  expect(won).toEqual({ status: 'fulfilled', value: { analyses: made, key: left.key } });
  expect(others).toEqual([]);
  for (const run of runs.filter(({ status }) => status === 'rejected'))
    expect(run).toMatchObject({ reason: { code: 'idempotencia_em_andamento' } });
  expect((await earlier())!.lockedUntil).toBe(now + SUBMIT_LEASE);
});

test('resume refuses a claim that has an answer', async () => {
  await claimed();
  const left = (await earlier())!;
  await analyses.complete(key, [], ANSWER);
  await expect(analyses.resume(left)).rejects.toMatchObject({ code: 'idempotencia_em_andamento' });
});

test('complete writes the outcomes of the banks, their events and the answer for replays', async () => {
  const [first, second] = (await claimed()) as readonly [Analysis, Analysis];
  const change = approved(first);
  const unchanged = { before: second, after: second };
  expect(await analyses.complete(key, [change, unchanged], ANSWER)).toEqual({ events: [eventAbout(change)] });
  expect(await analyses.get(tenancy, first.id)).toEqual(concluded(change));
  expect(await analyses.get(tenancy, second.id)).toEqual(second);
  expect(await storedEvent(change)).toEqual(eventAbout(change));
  expect(await earlier()).toMatchObject({ sameContent: true, answer: ANSWER });
});

test('complete returns the first answer and writes nothing if the key has an answer', async () => {
  const analysis = await one();
  await analyses.complete(key, [], ANSWER);
  const late = await analyses.complete(key, [approved(analysis)], { status: 202, body: '{}' });
  expect(late).toEqual({ earlier: ANSWER });
  expect(await analyses.get(tenancy, analysis.id)).toEqual(analysis);
});

test('complete returns moved_on and writes nothing if an analysis is no longer as it was read', async () => {
  const [first, second] = (await claimed()) as readonly [Analysis, Analysis];
  await analyses.conclude(approved(first));
  const changes = [first, second].map(approved);
  expect(await analyses.complete(key, changes, ANSWER)).toBe('moved_on');
  expect(await analyses.get(tenancy, second.id)).toEqual(second);
  expect((await earlier())!.answer).toBeUndefined();
});

test('complete does not overwrite an outcome by another outcome with another event', async () => {
  const analysis = await one();
  const decided = approved(analysis);
  await analyses.conclude(decided);
  expect(await analyses.complete(key, [failed(analysis)], ANSWER)).toBe('moved_on');
  expect(await analyses.get(tenancy, analysis.id)).toEqual(concluded(decided));
  expect(await storedEvent(failed(analysis))).toBeUndefined();
});

test('acquireSubmitLease gives an analysis to one of 10 runs, and to the next only by the newest lease', async () => {
  const analysis = await one();
  const take = (seen: string) => analyses.acquireSubmitLease(analysis, seen);
  for (let seen = NO_LEASE, before = new Set([seen]); before.size < 4; before.add(seen)) {
    const all = await Promise.all(Array.from({ length: 10 }, () => take(seen)));
    expect(all.filter((one) => one?.isMine)).toHaveLength(1);
    const lease = all.find((one) => one?.isMine)!.lease;
    expect(all.map((one) => one?.lease)).toEqual(all.map(() => lease));
    expect(before).not.toContain(lease);
    for (const old of before) expect(await take(old)).toEqual({ lease, isMine: false });
    seen = lease;
  }
});

test('acquireSubmitLease returns undefined once the bank has the analysis or has decided it', async () => {
  const [noted, decided] = (await claimed()) as readonly [Analysis, Analysis];
  await analyses.note(noted, 'IT-1', 'Em análise');
  await analyses.conclude(approved(decided));
  expect(await analyses.acquireSubmitLease(noted, NO_LEASE)).toBeUndefined();
  expect(await analyses.acquireSubmitLease(decided, NO_LEASE)).toBeUndefined();
});

test('acquireSubmitLease returns undefined once the analysis has ended without a query number', async () => {
  const before = await one();
  const after = transition(before, { situation: 'erro', rawStatus: 'Falha no envio', queryNumber: '' })!;
  expect(await analyses.conclude({ before, after })).toHaveProperty('events');
  expect(await analyses.acquireSubmitLease(before, NO_LEASE)).toBeUndefined();
});

test('conclude ends a pending analysis once, with its event', async () => {
  const change = approved(await one());
  const all = await Promise.all(Array.from({ length: 5 }, () => analyses.conclude(change)));
  expect(all.filter((outcome) => outcome !== 'moved_on')).toEqual([{ events: [eventAbout(change)] }]);
  expect(await analyses.get(tenancy, change.before.id)).toEqual(concluded(change));
  expect(await storedEvent(change)).toEqual(eventAbout(change));
});

test('conclude changes no final analysis, and writes no second event about it', async () => {
  const analysis = await one();
  const decided = approved(analysis);
  await analyses.conclude(decided);
  expect(await analyses.conclude(failed(analysis))).toBe('moved_on');
  expect(await analyses.get(tenancy, analysis.id)).toEqual(concluded(decided));
  expect(await storedEvent(failed(analysis))).toBeUndefined();
});

test('conclude ends no analysis about which the operator has answered since it was found unanswerable', async () => {
  const analysis = await one();
  await analyses.markUnanswerable(analysis, now);
  const marked = (await analyses.get(tenancy, analysis.id))!;
  const close = closing(marked)!;
  await analyses.markUnanswerable(analysis, undefined);
  expect(await analyses.conclude(close)).toBe('moved_on');
  await analyses.markUnanswerable(analysis, now + 1);
  expect(await analyses.conclude(close)).toBe('moved_on');
  expect(await analyses.get(tenancy, analysis.id)).toEqual({ ...marked, unanswerableSince: now + 1 });
  expect(await analyses.conclude(closing({ ...marked, unanswerableSince: now + 1 })!)).toHaveProperty('events');
});

test('note stores number and text of a pending analysis, and changes no final one', async () => {
  const analysis = await one();
  await analyses.note(analysis, 'IT-1', 'Em mesa de crédito');
  const noted = { ...analysis, queryNumber: 'IT-1', rawStatus: 'Em mesa de crédito' };
  expect(await analyses.get(tenancy, analysis.id)).toEqual(noted);
  const change = approved(noted);
  await analyses.conclude(change);
  await analyses.note(noted, 'IT-2', 'Em análise');
  expect(await analyses.get(tenancy, analysis.id)).toEqual(concluded(change));
});

test('ofLead returns the analyses of a lead, newest first, and undefined for an unknown lead', async () => {
  const made: AnalysisId[] = [];
  for (const bank of ['itau', 'brb', 'inter'] as const) {
    now += 1;
    made.unshift((await claimed({ banks: [bank] }, await newKey(tenancy, START)))[0]!.id);
  }
  const listed = (await analyses.ofLead(tenancy, lead.id))!;
  expect(listed.map(({ id }) => id)).toEqual(made);
  expect(listed[0]).toEqual({ id: made[0], bank: 'inter', situation: 'em_analise' });
  expect(await analyses.ofLead(tenancy, 1 as LeadId)).toBeUndefined();
  expect(await analyses.ofLead(newTenancy(), lead.id)).toBeUndefined();
});

test('ofLead returns every analysis of 20 submissions that were made at once', async () => {
  // The clock ticks: a clock that stands still would draw all 120 ids among 4,096, and too many would be taken.
  const ticking = new TableAnalyses(() => now++, eventOf);
  const submit = async () => {
    for (;;) {
      const read = (await leads.get(tenancy, lead.id))!;
      const once = await ticking.claim(
        makeSubmissionDraft(tenancy, read, { banks: BANKS }),
        await newKey(tenancy, START),
      );
      if (typeof once === 'object' && 'done' in once) return once.done;
    }
  };
  const submissions = await Promise.all(Array.from({ length: 20 }, submit));
  const ids = submissions.flat().map(({ id }) => id);
  const listed = (await analyses.ofLead(tenancy, lead.id))!;
  expect(listed.map(({ id }) => id)).toEqual(ids.sort((a, b) => b - a));
});

test('pending finds analyses by partition and age, oldest first, until they are decided', async () => {
  const made: Analysis[] = [];
  // Other tests leave pending analyses behind, so this test has a moment of its own.
  now = START + 86_400_000;
  const from = now;
  for (let index = 0; index < 4; index++, now += 1_000) made.push(await one(await newKey(tenancy, START)));
  const within = async (range: { from: number; to: number }) => {
    const found: Analysis[] = [];
    const partitions = new Map(
      made.map((analysis) => [JSON.stringify(pollPartition(analysis)), pollPartition(analysis)]),
    );
    for (const partition of partitions.values()) {
      const { items } = await analyses.pending(partition, range);
      expect(items.map(({ createdAt }) => createdAt)).toEqual(items.map(({ createdAt }) => createdAt).sort());
      found.push(...items);
    }
    return found.sort((a, b) => a.createdAt - b.createdAt);
  };
  expect(await within({ from, to: now })).toEqual(made);
  expect(await within({ from: from + 1_000, to: from + 3_000 })).toEqual([made[1], made[2]]);
  await analyses.conclude(approved(made[1]!));
  expect(await within({ from, to: now })).toEqual([made[0], made[2], made[3]]);
});
