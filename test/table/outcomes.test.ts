import * as fc from 'fast-check';
import { beforeEach, expect, it, test } from 'vitest';
import { eventOf } from '#shared/contract/event.ts';
import { type Analysis, transition } from '#shared/domain/analyses/analysis.ts';
import type { Outcome, OutcomePage, OutcomeQuery } from '#shared/domain/analyses/ports.ts';
import type { Lead } from '#shared/domain/leads/lead.ts';
import { BANKS } from '#shared/domain/values/bank.ts';
import { type AnalysisId, idOf } from '#shared/domain/values/ids.ts';
import type { Tenancy } from '#shared/domain/values/tenancy.ts';
import { TableAnalyses } from '#shared/table/analyses/analyses.ts';
import { unlistOutcome } from '#shared/table/analyses/analysis-row.ts';
import { TableLeads } from '#shared/table/leads/leads.ts';
import { updateRow } from '#shared/table/rows/client.ts';
import { analysisKey } from '#shared/table/rows/keys.ts';
import { createLead } from '../makers/lead.ts';
import { usePeers } from '../makers/peers.ts';
import { makeSubmissionDraft, newKey } from '../makers/submission.ts';
import { newTenancy } from '../makers/tenancy.ts';

const START = 1_780_000_000_000;

usePeers();
let now = START;
const clock = () => now;
const [analyses, leads] = [new TableAnalyses(clock, eventOf), new TableLeads(clock)];
let tenancy: Tenancy;
let lead: Lead;
beforeEach(async () => {
  now = START;
  tenancy = newTenancy();
  lead = await createLead(leads, tenancy);
});

/** Submits one analysis to each bank. */
async function submitted(): Promise<readonly Analysis[]> {
  const read = (await leads.get(tenancy, lead.id))!;
  const draft = makeSubmissionDraft(tenancy, read, { banks: BANKS });
  const claimed = await analyses.claim(draft, await newKey(tenancy, START));
  if (typeof claimed === 'string' || !('done' in claimed)) throw new Error('nothing was claimed');
  return claimed.done;
}

/** Ends an analysis at a moment, and returns it as the list shows it. */
async function ended(before: Analysis, at: number, situation: 'aprovado' | 'erro' = 'aprovado'): Promise<Outcome> {
  now = at;
  const after = transition(before, { situation, rawStatus: 'X', queryNumber: '' })!;
  await analyses.conclude({ before, after });
  const { id, bank, createdAt } = before;
  return { id, bank, situation, createdAt, concludedAt: at };
}

const since = (concludedAt: number) => ({ concludedAt, id: idOf<AnalysisId>(0) });
const page = (query: Partial<OutcomeQuery> = {}, of = tenancy): Promise<OutcomePage> =>
  analyses.outcomes(of, { after: since(0), situation: undefined, limit: 100, ...query });

/** Reads page after page, and calls `between` after each. */
async function walk(query: Partial<OutcomeQuery>, between = async () => {}): Promise<readonly Outcome[]> {
  let [found, { items, next }]: [readonly Outcome[], OutcomePage] = [[], await page(query)];
  for (;;) {
    found = found.concat(items);
    if (!next) return found;
    await between();
    ({ items, next } = await page({ ...query, after: next }));
  }
}

test('outcomes lists the ended analyses of a unit by the moment of their end, pending ones not', async () => {
  const [first, second, third] = await submitted();
  const late = await ended(first!, START + 9);
  const early = await ended(second!, START + 3, 'erro');
  expect(await page()).toEqual({ items: [early, late], next: undefined });
  expect((await analyses.get(tenancy, third!.id))?.situation).toBe('em_analise');
});

test('outcomes lists an analysis that was made before a moment and ended after it', async () => {
  const [early, late] = await submitted();
  await ended(early!, START + 10);
  const missed = await ended(late!, START + 3_600_000);
  expect((await page({ after: since(START + 11) })).items).toEqual([missed]);
});

test('outcomes lists from the moment itself on, not from the millisecond before', async () => {
  const [own] = await submitted();
  const listed = await ended(own!, START + 10);
  expect((await page({ after: since(START + 10) })).items).toEqual([listed]);
  expect((await page({ after: since(START + 11) })).items).toEqual([]);
});

test('outcomes shows nothing of another unit or environment', async () => {
  const [own] = await submitted();
  await ended(own!, START);
  expect((await page({}, newTenancy())).items).toEqual([]);
  expect((await page({}, { ...tenancy, environment: 'sandbox' })).items).toEqual([]);
});

test('outcomes of one situation continues behind entries of the others', async () => {
  const [first, second, third] = await submitted();
  await ended(first!, START + 1);
  const failed = await ended(second!, START + 2, 'erro');
  const later = await ended(third!, START + 3, 'erro');
  const { items, next } = await page({ situation: 'erro', limit: 1 });
  expect(items).toEqual([failed]);
  expect(await page({ situation: 'erro', limit: 1, after: next })).toEqual({ items: [later], next: undefined });
});

test('outcomes leaves out an entry that this release cannot read, and goes on behind it', async () => {
  const [first, second] = await submitted();
  await ended(first!, START + 1);
  const later = await ended(second!, START + 2);
  const values = { ':bank': 'caixa' };
  await updateRow({
    Key: analysisKey(tenancy, first!.id),
    UpdateExpression: 'SET bank = :bank',
    ExpressionAttributeValues: values,
  });
  const { items, next } = await page({ limit: 1 });
  expect(items).toEqual([]);
  expect((await page({ after: next! })).items).toEqual([later]);
});

test('outcomes continues behind an analysis that has left the list', async () => {
  const [first, second] = await submitted();
  await ended(first!, START + 1);
  const later = await ended(second!, START + 2);
  const { next } = await page({ limit: 1 });
  await unlistOutcome(tenancy, first!.id);
  expect((await page({ after: next! })).items).toEqual([later]);
});

test('a second end of an analysis moves it nowhere', async () => {
  const [own] = await submitted();
  const listed = await ended(own!, START + 1);
  await ended(own!, START + 9, 'erro');
  expect((await page()).items).toEqual([listed]);
});

test('unlistOutcome makes no row for an analysis that is gone', async () => {
  const gone = idOf<AnalysisId>(1);
  await unlistOutcome(tenancy, gone);
  expect(await analyses.get(tenancy, gone)).toBeUndefined();
});

it('pages of outcomes have each analysis once while others end between the pages', async () => {
  const moves = fc.array(fc.record({ count: fc.nat(2), wait: fc.integer({ min: 1, max: 3 }) }), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.nat(3), moves, async (limit, from, steps) => {
      now = START;
      tenancy = newTenancy();
      lead = await createLead(leads, tenancy);
      const waiting = [await submitted(), await submitted()].flat();
      const all: Outcome[] = [];
      const end = async (count: number, wait: number) => {
        const at = now + wait;
        for (const analysis of waiting.splice(0, count)) all.push(await ended(analysis, at));
      };
      for (let count = 0; count < 3; count++) await end(2, 1);
      const left = steps.values();
      const found = await walk({ limit, after: since(START + from) }, async () => {
        const { value } = left.next();
        if (value) await end(value.count, value.wait);
      });
      const order = (a: Outcome, b: Outcome) => a.concludedAt - b.concludedAt || a.id - b.id;
      expect(found).toEqual(all.filter(({ concludedAt }) => concludedAt >= START + from).sort(order));
    }),
    { numRuns: process.env['SOAK'] ? 200 : 12 },
  );
});
