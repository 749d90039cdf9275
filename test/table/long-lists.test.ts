import { beforeAll, expect, it } from 'vitest';
import { eventOf } from '#shared/contract/event.ts';
import { type Analysis, SITUATIONS } from '#shared/domain/analyses/analysis.ts';
import { BANKS } from '#shared/domain/values/bank.ts';
import type { Cpf } from '#shared/domain/values/cpf.ts';
import * as ids from '#shared/domain/values/ids.ts';
import { TableAnalyses } from '#shared/table/analyses/analyses.ts';
import { listAnalyses } from '#shared/table/analyses/analysis-list.ts';
import { putAnalysis } from '#shared/table/analyses/analysis-row.ts';
import { recordConsent, TableConsents } from '#shared/table/analyses/consents.ts';
import { TableLeads } from '#shared/table/leads/leads.ts';
import { tableClient, transact } from '#shared/table/rows/client.ts';
import { makeAnalysis } from '../makers/analysis.ts';
import { countUnits } from '../makers/counting.ts';
import { createLead } from '../makers/lead.ts';
import { usePeers } from '../makers/peers.ts';
import { makeSubmissionDraft, newKey } from '../makers/submission.ts';
import { newTenancy } from '../makers/tenancy.ts';

/** Analyses of one lead, each in a submission of its own. So the lead has the longest list and the most consents. */
const ROWS = process.env['SOAK'] ? 20_000 : 1_000;
/** Most read units for the whole list. */
const MOST = (750 * ROWS) / 20_000;
/** Read units of a page of 100 consents, however long the list. */
const PAGE_OF_CONSENTS = 10;
const START = 1_780_000_000_000;
/** Submissions in one transaction, with three rows each. */
const AT_ONCE = 30;

usePeers();
const tenancy = newTenancy();
const made: Analysis[] = [];
let leadId: ids.LeadId;
let counted: ReturnType<typeof countUnits>;

beforeAll(async () => {
  leadId = (await createLead(new TableLeads(Date.now), tenancy)).id;
  for (let index = 0; index < ROWS; index++) {
    const id = ids.drawId<ids.AnalysisId>(START + index);
    made.push(
      makeAnalysis({
        ...tenancy,
        id,
        leadId,
        submissionId: Number(id) as ids.SubmissionId,
        bank: BANKS[index % BANKS.length]!,
        situation: SITUATIONS[Math.floor(index / BANKS.length) % SITUATIONS.length]!,
      }),
    );
  }
  for (let start = 0; start < ROWS; start += AT_ONCE) {
    const some = made.slice(start, start + AT_ONCE);
    const consents = some.map((analysis) =>
      recordConsent(
        tenancy,
        {
          id: Number(analysis.id) as ids.ConsentId,
          leadId,
          givenAt: '2026-01-02T12:00:00-03:00',
          ip: '177.45.10.20',
          channel: 'web',
          analysisIds: [analysis.id],
          banks: [analysis.bank],
          keyId: 'abcde' as ids.KeyId,
        },
        START,
      ),
    );
    const parts = [
      ...some.flatMap((one) => [listAnalyses([one]), putAnalysis(one, START)]),
      ...(await Promise.all(consents)),
    ];
    expect(await transact(parts)).toBe('written');
  }
  made.reverse();
  counted = countUnits(tableClient());
}, 300_000);

/** Returns the result of a call, with its round trips and units. */
async function cost<T>(call: () => Promise<T>) {
  counted.reset();
  const found = await call();
  const { calls, read, write } = counted.units;
  return { found, calls: calls.length, read, write };
}

it(`ofLead lists ${ROWS} analyses of a lead at bounded cost, each once`, async () => {
  const { found, calls, read } = await cost(() => new TableAnalyses(Date.now, eventOf).ofLead(tenancy, leadId));
  console.info(`${ROWS} analyses: ${read} read units`);
  expect(found).toEqual(made.map(({ id, bank, situation }) => ({ id, bank, situation })));
  expect(calls).toBe(Math.ceil(ROWS / 7_500));
  expect(read).toBeLessThanOrEqual(MOST);
});

it.each([0, 0.5, 1])(
  'page reads consents of a long list at bounded cost, at the fraction %f of the list',
  async (part) => {
    const offset = Math.round(part * (ROWS - 100));
    const { found, calls, read } = await cost(() =>
      new TableConsents(Date.now).page(tenancy, leadId, { limit: 100, offset }),
    );
    console.info(`a page of consents from ${offset}: ${read} read units`);
    expect(found!.items.map(({ id }) => id)).toEqual(made.slice(offset, offset + 100).map(({ id }) => Number(id)));
    expect(found!.more).toBe(part < 1);
    expect(calls).toBe(1 + Math.ceil(ROWS / 7_500));
    expect(read).toBeLessThanOrEqual(MOST + PAGE_OF_CONSENTS);
  },
);

it('a submission and an outcome cost as much for a lead with a long list as for a new lead', async () => {
  const [analyses, leads] = [new TableAnalyses(Date.now, eventOf), new TableLeads(Date.now)];
  /** Returns the write units of a submission to every bank, and of one outcome. */
  const price = async (id: ids.LeadId) => {
    const draft = makeSubmissionDraft(tenancy, (await leads.get(tenancy, id))!, { banks: BANKS });
    const key = await newKey(tenancy, Date.now());
    const claimed = await cost(() => analyses.claim(draft, key));
    if (typeof claimed.found === 'string' || !('done' in claimed.found)) throw new Error('nothing was claimed');
    const before = claimed.found.done[0]!;
    const after = { ...before, situation: 'aprovado', sequence: 1 } as const;
    const ended = await cost(() => analyses.conclude({ before, after }));
    expect(ended.found).toHaveProperty('events');
    return [claimed.write, ended.write];
  };
  const first = await price((await createLead(leads, tenancy, { cpf: '90000000256' as Cpf })).id);
  console.info(`a submission and an outcome: ${first} write units`);
  expect(await price(leadId)).toEqual(first);
});
