import { beforeAll, expect, it } from 'vitest';
import { type Analysis, SITUATIONS } from '../../shared/domain/analyses/analysis.ts';
import { BANKS } from '../../shared/domain/values/bank.ts';
import {
  type AnalysisId,
  type ConsentId,
  drawId,
  type KeyId,
  type LeadId,
  type SubmissionId,
} from '../../shared/domain/values/ids.ts';
import { tableAnalyses } from '../../shared/table/analyses.ts';
import { LISTED_MOST, listAnalyses } from '../../shared/table/analysis-list.ts';
import { putAnalysis } from '../../shared/table/analysis-row.ts';
import { tableClient, transact } from '../../shared/table/client.ts';
import { recordConsent, tableConsents } from '../../shared/table/consents.ts';
import { tableLeads } from '../../shared/table/leads.ts';
import { makeAnalysis } from '../makers/analysis.ts';
import { countUnits } from '../makers/counting.ts';
import { keepLead } from '../makers/lead.ts';
import { usePeers } from '../makers/peers.ts';
import { newTenancy } from '../makers/tenancy.ts';

/** Analyses of one lead, each submitted alone: the most consents that they can have. */
const ROWS = process.env['SOAK'] ? 20_000 : 1_000;
/** Read units that a page of the longest list may take. */
const MOST = (60 * ROWS) / 20_000;
/** What a page of 100 consents itself takes, however long the list. */
const PAGE_OF_CONSENTS = 10;
const START = 1_780_000_000_000;
/** Rows of one transaction: two for each analysis, and the list's page. */
const AT_ONCE = LISTED_MOST / 3;

usePeers();
const tenancy = newTenancy();
const made: Analysis[] = [];
let leadId: LeadId;
let counted: ReturnType<typeof countUnits>;

beforeAll(async () => {
  leadId = (await keepLead(tableLeads(Date.now), tenancy)).id;
  for (let index = 0; index < ROWS; index++) {
    const id = drawId<AnalysisId>(START + index);
    made.push(
      makeAnalysis({
        ...tenancy,
        id,
        leadId,
        submissionId: Number(id) as SubmissionId,
        bank: BANKS[index % 6]!,
        situation: SITUATIONS[Math.floor(index / 6) % 6]!,
        listPage: Math.floor(index / LISTED_MOST),
      }),
    );
  }
  for (let start = 0; start < ROWS; start += AT_ONCE) {
    const some = made.slice(start, start + AT_ONCE);
    const consents = some.map((analysis) =>
      recordConsent(
        tenancy,
        {
          id: Number(analysis.id) as ConsentId,
          leadId,
          givenAt: '2026-01-02T12:00:00-03:00',
          ip: '177.45.10.20',
          channel: 'web',
          analysisIds: [analysis.id],
          banks: [analysis.bank],
          keyId: 'abcde' as KeyId,
        },
        START,
      ),
    );
    const parts = [listAnalyses(some), ...some.map(putAnalysis), ...(await Promise.all(consents))];
    expect(await transact(parts)).toBe('written');
  }
  made.reverse();
  counted = countUnits(tableClient());
}, 300_000);

/** What a reading gives, with its round trips and read units. */
async function cost<T>(read: () => Promise<T>) {
  counted.reset();
  const found = await read();
  return { found, calls: counted.units.calls.length, units: counted.units.read };
}

it(`lists ${ROWS} analyses of a lead at bounded cost, each once and as it stands`, async () => {
  const { found, calls, units } = await cost(() => tableAnalyses(Date.now).ofLead(tenancy, leadId));
  console.info(`${ROWS} analyses: ${units} read units`);
  expect(found).toEqual(made.map(({ id, bank, situation }) => ({ id, bank, situation })));
  expect(calls).toBe(1);
  expect(units).toBeLessThanOrEqual(MOST);
});

it.each([0, 0.5, 1])('finds a page of its consents at bounded cost, %f of the way', async (part) => {
  const offset = Math.round(part * (ROWS - 100));
  const { found, calls, units } = await cost(() =>
    tableConsents(Date.now).page(tenancy, leadId, { limit: 100, offset }),
  );
  console.info(`a page of consents from ${offset}: ${units} read units`);
  expect(found!.items.map(({ id }) => id)).toEqual(made.slice(offset, offset + 100).map(({ id }) => Number(id)));
  expect(found!.more).toBe(part < 1);
  expect(calls).toBe(2);
  expect(units).toBeLessThanOrEqual(process.env['SOAK'] ? MOST : MOST + PAGE_OF_CONSENTS);
});
