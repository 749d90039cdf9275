import { describe, expect, it } from 'vitest';
import type { Analysis } from '#shared/domain/analyses/analysis.ts';
import type { Analyses, AnalysisChange, Submission } from '#shared/domain/analyses/ports.ts';
import { beginSubmission, completeSubmission, submitClaimed } from '#shared/domain/analyses/submission.ts';
import type { Lead } from '#shared/domain/leads/lead.ts';
import { Failure } from '#shared/domain/values/failure.ts';
import type { Answer, IdempotencyRecord } from '#shared/domain/values/idempotency.ts';
import type { AnalysisId, LeadId, SubmissionId, UnitId } from '#shared/domain/values/ids.ts';
import { makeAnalysis } from '#test/makers/analysis.ts';
import { makeDelivery } from '#test/makers/delivery.ts';
import { NO_NOTIFIER } from '#test/makers/delivery-queue.ts';
import { makeSubmissionDraft, newClaim } from '#test/makers/submission.ts';

const NOW = 1_780_000_000_000;
const TENANCY = { unitId: 11 as UnitId, environment: 'producao' } as const;
const LEAD = 7001 as LeadId;
const claim = newClaim(TENANCY, NOW);
const leadOf = (version: number): Lead => {
  return { id: LEAD, version, name: 'Ana', cpf: '90000000175' as Lead['cpf'], createdAt: NOW, updatedAt: NOW };
};
/** A store with only these operations. */
const storeOf = (operations: Partial<Analyses>) => operations as Analyses;

describe('beginSubmission', () => {
  const submission: Submission = { id: 8001 as SubmissionId, analyses: [makeAnalysis()] };
  const closed = { openFor: () => undefined };

  /** Begins a submission. Between a read of the lead and the claim, another write changes the lead, `changes` times. */
  async function begin(changes: number, operator: { openFor(): number | undefined } = closed) {
    let version = 1;
    const drafted: (number | undefined)[] = [];
    const store = storeOf({
      prepare: async () => ({ lead: leadOf(version), earlier: undefined }),
      claim: async ({ lead }) => {
        if (version <= changes) version += 1;
        return lead.version === version ? { done: submission } : 'lead_changed';
      },
    });
    const draftFor = (lead: Lead | undefined) => {
      drafted.push(lead?.version);
      return makeSubmissionDraft(TENANCY, lead!);
    };
    const begun = beginSubmission(store, TENANCY, LEAD, claim, draftFor, operator);
    return { begun: await begun, drafted };
  }

  it('a lead that changes meanwhile is read and checked again, until the claim has the checked version', async () => {
    expect(await begin(0)).toEqual({ begun: { done: submission }, drafted: [1] });
    expect(await begin(2)).toEqual({ begun: { done: submission }, drafted: [1, 2, 3] });
  });

  it('a submission is refused with a Retry-After while the circuit is open, and nothing is claimed', async () => {
    const closed = new Failure('servico_indisponivel', { retryAfter: 17 });
    await expect(begin(0, { openFor: () => 17 })).rejects.toEqual(closed);
    await expect(begin(0, { openFor: () => 0 })).rejects.toMatchObject({ code: 'servico_indisponivel' });
  });

  it('the record of an earlier call is returned even if the circuit is open and the lead is wrong', async () => {
    const earlier = { content: '{"a":1}' } as unknown as IdempotencyRecord;
    const store = storeOf({ prepare: async () => ({ lead: undefined, earlier }) });
    const unfit = () => expect.fail('the lead is wrong');
    expect(await beginSubmission(store, TENANCY, LEAD, claim, unfit, { openFor: () => 17 })).toEqual({ earlier });
  });

  it('a fault of the lead is reported before an open circuit', async () => {
    const store = storeOf({ prepare: async () => ({ lead: undefined, earlier: undefined }) });
    const unfit = (lead: Lead | undefined) => {
      throw new Failure(lead ? 'servico_indisponivel' : 'lead_nao_encontrado');
    };
    const begun = beginSubmission(store, TENANCY, LEAD, claim, unfit, { openFor: () => 17 });
    await expect(begun).rejects.toMatchObject({ code: 'lead_nao_encontrado' });
  });
});

describe('completeSubmission', () => {
  const waiting = makeAnalysis({ id: 1 as AnalysisId, queryNumber: '' });
  const delivery = makeDelivery();
  const accepted: AnalysisChange = { before: waiting, after: { ...waiting, queryNumber: 'IT-9' } };
  const refused: AnalysisChange = {
    before: makeAnalysis({ id: 2 as AnalysisId, queryNumber: '' }),
    after: makeAnalysis({ id: 2 as AnalysisId, situation: 'erro', sequence: 1 }),
  };
  const answerFor = (analyses: readonly Analysis[]): Answer => {
    return { status: 202, body: analyses.map((one) => `${one.id} ${one.situation} ${one.queryNumber}`).join() };
  };

  /** Completes a submission. Other writes come first `overtaken` times, and leave these rows. */
  async function complete(
    changes: readonly AnalysisChange[],
    overtaken: number,
    rows: readonly Analysis[] = [],
    last: Awaited<ReturnType<Analyses['complete']>> = { events: [delivery] },
  ) {
    const tried: (readonly AnalysisChange[])[] = [];
    const store = storeOf({
      complete: async (_claim, made) => (tried.push(made) <= overtaken ? 'moved_on' : last),
      get: async (tenancy, id) => (tenancy === claim.tenancy ? rows.find((row) => row.id === id) : undefined),
    });
    return {
      ended: await completeSubmission(store, claim, changes, (all) => answerFor(all.map(({ after }) => after))),
      tried,
    };
  }

  it('the results of the banks are written with the answer, and the new deliveries are returned', async () => {
    const { ended, tried } = await complete([accepted, refused], 0);
    expect(ended).toEqual({ answer: answerFor([accepted.after, refused.after]), booked: [delivery] });
    expect(tried).toEqual([[accepted, refused]]);
  });

  it('rows that the poller changed first make the answer, and their events are not written again', async () => {
    const moved = { ...refused.before, situation: 'aprovado', sequence: 1, queryNumber: 'IT-2' } as const;
    const { ended, tried } = await complete([accepted, refused], 1, [waiting, moved]);
    expect(ended.answer).toEqual(answerFor([accepted.after, moved]));
    expect(tried[1]).toEqual([accepted, { before: moved, after: moved }]);
  });

  it('a change is kept while the situation and the number of events of its analysis are as read', async () => {
    const noted = { ...refused.before, rawStatus: 'Em fila' };
    expect((await complete([refused], 1, [noted])).tried[1]).toEqual([refused]);
    const counted = { ...refused.before, sequence: 1 };
    const { tried } = await complete([refused], 1, [counted]);
    expect(tried[1]).toEqual([{ before: counted, after: counted }]);
    expect((await complete([refused], 1, [])).tried[1]).toEqual([refused]);
  });

  it('an analysis without an answer of its bank is read again, because the poller may know more', async () => {
    const silent: AnalysisChange = { before: waiting, after: waiting };
    const noted = { ...waiting, queryNumber: 'IT-9' };
    const { ended } = await complete([silent], 1, [noted]);
    expect(ended.answer).toEqual(answerFor([noted]));
  });

  it('the answer of another run that completed the submission is returned', async () => {
    const earlier = { status: 202, body: 'earlier' } as unknown as Answer;
    const { ended } = await complete([refused], 0, [], { earlier });
    expect(ended).toEqual({ answer: earlier, booked: [] });
  });

  it('a submission has eight attempts to be completed, and is then refused as servico_indisponivel', async () => {
    expect((await complete([accepted], 7, [waiting])).tried).toHaveLength(8);
    await expect(complete([accepted], 8, [waiting])).rejects.toMatchObject({ code: 'servico_indisponivel' });
  });
});

it('submitClaimed sends the analyses, writes the answer, queues the events, and then reports the results', async () => {
  const analyses = [makeAnalysis({ queryNumber: '', createdAt: NOW })];
  const done: unknown[] = [];
  const deps = {
    operator: {
      openFor: () => undefined,
      query: async () => ({ kind: 'unavailable', fault: 'bank' }) as const,
      submit: async () => ({ kind: 'refused', rawStatus: 'Dados recusados', reason: 'too_late' }) as const,
    },
    analyses: storeOf({
      complete: async () => {
        done.push('written');
        return { events: [makeDelivery()] };
      },
    }),
    clock: () => NOW,
    answerFor: ([change]: readonly AnalysisChange[]): Answer => ({
      status: 202,
      body: `${change?.after.situation} ${change?.refusal}`,
    }),
    notifier: { ...NO_NOTIFIER, booked: async (booked: unknown) => void done.push(booked) },
    observer: { submitted: (resumed: boolean) => void done.push(resumed) },
  };
  const { form } = makeSubmissionDraft(TENANCY, leadOf(1), { banks: ['itau'] });
  const submission = { id: 8001 as SubmissionId, analyses };
  expect(await submitClaimed(deps, claim, submission, form, false)).toEqual({ status: 202, body: 'erro too_late' });
  expect(done).toEqual(['written', [makeDelivery()], false]);
});
