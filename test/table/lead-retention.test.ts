import { beforeAll, describe, expect, it } from 'vitest';
import { eventOf } from '#shared/contract/event.ts';
import { transition } from '#shared/domain/analyses/analysis.ts';
import { applyLedger, sweepErasures, sweepRetention } from '#shared/domain/leads/erase-person.ts';
import { beginErasure, ERASURE_RETRY, SECOND_PASS_AFTER } from '#shared/domain/leads/erasure.ts';
import type { Lead } from '#shared/domain/leads/ports.ts';
import { noticedEnd } from '#shared/domain/leads/retention.ts';
import { drawOpportunityId, type PartnerId } from '#shared/domain/values/ids.ts';
import type { Environment, Tenancy } from '#shared/domain/values/tenancy.ts';
import { erasureLedgerName } from '#shared/runtime/env.ts';
import { TableAnalyses } from '#shared/table/analyses/analyses.ts';
import { TableErasureLedger } from '#shared/table/leads/erasure-ledger.ts';
import { correctLead } from '#shared/table/leads/lead-correction.ts';
import { TableErasures } from '#shared/table/leads/lead-erasure.ts';
import { TableRetainedLeads } from '#shared/table/leads/lead-retention.ts';
import { TableLeads } from '#shared/table/leads/leads.ts';
import { getRow, scanRows, transact, updateRow } from '#shared/table/rows/client.ts';
import * as keys from '#shared/table/rows/keys.ts';
import { countLeadUse, noteReplay } from '#shared/table/rows/living-lead.ts';
import { atEachCall, intercepted, interceptTable, meanwhile, stoppedAt } from '../makers/intercepted.ts';
import { createLead } from '../makers/lead.ts';
import { usePeers } from '../makers/peers.ts';
import { clearTable, everyRow, writeRows } from '../makers/rows.ts';
import { makeSubmissionDraft, newKey } from '../makers/submission.ts';
import { newTenancy } from '../makers/tenancy.ts';

usePeers();
beforeAll(interceptTable);

/** The moment before a call is the moment after the call before, so only a run with SOAK tries both. */
const SIDES = process.env['SOAK'] ? (['before', 'after'] as const) : (['after'] as const);
const TERMS = { sandboxDays: 61, monthsWithoutAnalysis: 3, yearsAfterAnalysis: 1 };
let now = 1_780_000_000_000;
const clock = () => now;
const [leads, analyses, erasures, retained] = [
  new TableLeads(clock),
  new TableAnalyses(clock, eventOf),
  new TableErasures(clock),
  new TableRetainedLeads(),
];
let tenancy: Tenancy;
let lead: Lead;

/** Runs the sweeper, which looks only at the lead of the test. */
const sweep = () => {
  async function* due(before: number) {
    for await (const one of retained.due(before)) if (one.leadId === lead.id) yield one;
  }
  const deps = { erasures, ledger: new TableErasureLedger(), clock, inTime: () => true };
  return sweepRetention({ ...deps, retained: Object.assign(new TableRetainedLeads(), { due }), terms: TERMS });
};
const eraseOn = () => sweepErasures({ erasures, ledger: new TableErasureLedger(), clock, inTime: () => true });
const rowOfLead = async () => (await getRow(keys.leadKey(tenancy, lead.id)))!;
const inLedger = async () => (await scanRows({}, erasureLedgerName())).Items!.some(({ leadId }) => leadId === lead.id);

/** Returns the key of the row next to the lead that lists a simulation made at `at`. */
const simulated = (at = lead.createdAt) =>
  keys.leadOpportunityKey(
    tenancy,
    lead.id,
    drawOpportunityId(at, () => 0),
  );

/**
 * Makes a lead whose notice is over: every look that was due has come, and the next one claims the lead. The lead is in
 * the first partition that a run asks, so that every run makes the same calls.
 */
async function overdue(environment: Environment = 'producao'): Promise<void> {
  do {
    tenancy = newTenancy(environment);
    lead = await createLead(leads, tenancy);
  } while (keys.retentionDue(tenancy, lead.id, now).duePk !== keys.RETENTION_PARTITIONS[0]);
  await writeRows([{ ...keys.unitNumberKey(tenancy.unitId), partnerId: 3, v: 1 }]);
  await writeRows([{ ...simulated(), v: 1 }]);
  for (;;) {
    const { dueSk, notice } = await rowOfLead();
    now = Number(String(dueSk).split('#')[0]) + 1;
    if (notice) return;
    expect((await sweep()).failed).toEqual([]);
  }
}

const submit = async () =>
  analyses.claim(makeSubmissionDraft(tenancy, lead, { banks: ['itau'] }), await newKey(tenancy, now));

/** Every write that uses a lead or asks for its erasure. Each returns whether it was taken. */
const WRITES: Readonly<Record<string, () => Promise<boolean>>> = {
  'a change': async () =>
    (await leads.change(tenancy, lead.id, (read) => ({ write: { ...read, name: 'Ana' }, result: true }))) ?? false,
  'its CPF again': async () => (await createLead(leads, tenancy)).id === lead.id,
  'a replay': async () => {
    await noteReplay(tenancy, lead, now);
    return (await rowOfLead())['replayedAt'] !== undefined;
  },
  'a simulation': async () =>
    (await transact([countLeadUse(tenancy, lead.id), { Put: { Item: simulated(now) } }])) === 'written',
  'a submission': async () => typeof (await submit()) !== 'string',
  'a correction': async () =>
    typeof (await correctLead(tenancy, lead.id, { birthDate: '1990-01-01' as Lead['birthDate'] }, clock)) !== 'string',
  'a request for erasure': async () => {
    const asked = beginErasure({ ...tenancy, partnerId: 3 as PartnerId, leadId: lead.id }, now, now);
    return (await erasures.begin(asked))?.cause === undefined;
  },
};

/**
 * Expects one of two outcomes: the use was taken and the lead lives without its notice, or the lead ended and the use
 * was refused.
 */
async function expectOne(taken: boolean, where: string): Promise<void> {
  const ended = (await erasures.get(tenancy, lead.id))?.cause === 'retention';
  expect(taken, where).toBe(!ended);
  expect(await inLedger(), where).toBe(ended);
  if (ended || where.startsWith('a request')) return;
  const living = await leads.get(tenancy, lead.id);
  expect(living && noticedEnd(living, TERMS), where).toBeUndefined();
}

describe('claim of a lead whose notice is over', () => {
  const cuts = Object.keys(WRITES).flatMap((write) =>
    ['the sweep', 'the write'].map((outer) => [write, outer] as const),
  );
  it.each(cuts)(
    'the end of a lead yields to %s or refuses it, at whichever call of %s the two meet',
    async (write, outer) => {
      for (let [at, goesOn] = [1, true]; goesOn; at++) {
        await overdue(write === 'a replay' ? 'sandbox' : 'producao');
        let taken = false;
        const use = async () => {
          taken = await WRITES[write]!();
        };
        const between = meanwhile(undefined, outer === 'the sweep' ? use : sweep, { at });
        await intercepted<unknown>(between, outer === 'the sweep' ? sweep : use);
        goesOn = between.calls >= at && (taken || outer === 'the write');
        await expectOne(taken, `${write} and ${outer}, call ${at}`);
      }
    },
  );

  it('only one of two sweeps that run at the same time ends a lead', async () => {
    for (let [at, other] = [1, 1]; other > 0; at++) {
      await overdue();
      const step = async () => {
        other = (await sweep()).ended.length;
      };
      const { ended, failed } = await intercepted(meanwhile(undefined, step, { at }), sweep);
      expect(failed, `call ${at}`).toEqual([]);
      expect(ended.length + other, `call ${at}`).toBe(1);
      expect(await erasures.get(tenancy, lead.id)).toMatchObject({ state: 'apagado', opportunities: 1 });
    }
  });
});

it('a sweep that is cut off at any call is continued, and deletes nothing before the ledger has the lead', async () => {
  const points = await atEachCall(async (point) => {
    await overdue();
    const { where, finished } = await stoppedAt(point, sweep);
    expect((await getRow(simulated())) !== undefined || (await inLedger()), where).toBe(true);
    if (!(await erasures.get(tenancy, lead.id))) expect(await inLedger(), where).toBe(false);
    await sweep();
    for (const pause of [ERASURE_RETRY, SECOND_PASS_AFTER, ERASURE_RETRY]) {
      now += pause + 1;
      await eraseOn();
    }
    const erasure = await erasures.get(tenancy, lead.id);
    expect(erasure?.cause, where).toBe('retention');
    expect(erasure?.state, where).toBe('apagado');
    expect(erasure?.nextCheckAt, where).toBeUndefined();
    expect(await inLedger(), where).toBe(true);
    expect(await leads.get(tenancy, lead.id), where).toBeUndefined();
    return finished;
  }, SIDES);
  expect(points).toBeGreaterThan(10);
});

it('applyLedger ends a lead again in a restored table', async () => {
  await overdue();
  const before = await everyRow();
  expect((await sweep()).ended).toHaveLength(1);
  await clearTable();
  await writeRows(before);
  expect((await leads.get(tenancy, lead.id))?.id).toBe(lead.id);
  const { failed } = await applyLedger({ erasures, ledger: new TableErasureLedger(), clock });
  expect(failed).toEqual([]);
  expect(await leads.get(tenancy, lead.id)).toBeUndefined();
});

it('a sweep ends a sandbox lead that a reset had marked before the reset was cut off', async () => {
  await overdue('sandbox');
  const marked = { UpdateExpression: 'SET erasingSince = :now', ExpressionAttributeValues: { ':now': now } };
  await updateRow({ Key: keys.leadKey(tenancy, lead.id), ...marked });
  expect((await sweep()).ended).toHaveLength(1);
  expect(await erasures.get(tenancy, lead.id)).toMatchObject({ state: 'apagado', cause: 'retention' });
});

it('look shows when the analyses of a lead ended, once none of them is pending', async () => {
  await overdue();
  const claimed = await submit();
  if (typeof claimed === 'string' || !('done' in claimed)) throw new Error('nothing was claimed');
  const [before] = claimed.done;
  const look = async () => {
    const entry = String((await rowOfLead())['dueSk']);
    return (await retained.look({ ...tenancy, leadId: lead.id, entry }))!;
  };
  expect(await look()).toMatchObject({ pending: true, analysedAt: undefined, usedAt: now });
  const after = transition(before!, { situation: 'recusado', rawStatus: 'Reprovado', queryNumber: 'IT-1' })!;
  await analyses.conclude({ before: before!, after });
  expect(await look()).toMatchObject({ pending: false, analysedAt: now });
});
