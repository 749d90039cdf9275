import { describe, expect, it } from 'vitest';
import type { Analysis } from '#shared/domain/analyses/analysis.ts';
import type { Analyses, AnalysisChange, BankSubmission } from '#shared/domain/analyses/ports.ts';
import { type SubmissionPorts, submissionOf } from '#shared/domain/analyses/submission.ts';
import type { Lead } from '#shared/domain/leads/lead.ts';
import { Failure } from '#shared/domain/values/failure.ts';
import type { Answer, IdempotencyRecord } from '#shared/domain/values/idempotency.ts';
import type { AnalysisId, LeadId, UnitId } from '#shared/domain/values/ids.ts';
import { makeAnalysis } from '#test/makers/analysis.ts';
import { makeDelivery } from '#test/makers/delivery.ts';
import { NO_NOTIFIER } from '#test/makers/delivery-queue.ts';
import { makeSubmissionDraft, newClaim } from '#test/makers/submission.ts';

const NOW = 1_780_000_000_000;
const TENANCY = { unitId: 11 as UnitId, environment: 'producao' } as const;
const LEAD = 7001 as LeadId;
const claim = newClaim(TENANCY, NOW);
const key = { claim };
const earlier: IdempotencyRecord = { sameContent: true, answer: undefined, lockedUntil: NOW, resume: '{}' };
const leadOf = (version: number): Lead => {
  return { id: LEAD, version, name: 'Ana', cpf: '90000000175' as Lead['cpf'], createdAt: NOW, updatedAt: NOW };
};
const LEAD_GONE = new Failure('lead_nao_encontrado');

const unsent = (id: number) => makeAnalysis({ id: id as AnalysisId, queryNumber: '', createdAt: NOW });
const [first, second] = [unsent(1), unsent(2)];
const accepted: AnalysisChange = { before: first, after: { ...first, queryNumber: 'IT-9', rawStatus: 'Em análise' } };
const refused: AnalysisChange = {
  before: second,
  after: { ...second, situation: 'erro', rawStatus: 'Falha no envio', sequence: 1 },
  refusal: 'other',
};
const answerFor = (analyses: readonly Analysis[]): Answer => {
  return { status: 202, body: analyses.map((one) => `${one.id} ${one.situation} ${one.queryNumber}`).join() };
};
const event = makeDelivery();

interface Scene extends Partial<Analyses> {
  /** What the banks of the first and of the second analysis say. */
  readonly said?: readonly BankSubmission[];
  readonly openFor?: () => number | undefined;
  readonly draft?: (lead: Lead) => ReturnType<typeof makeSubmissionDraft>;
}

const SAID: readonly BankSubmission[] = [
  { kind: 'accepted', queryNumber: 'IT-9', rawStatus: 'Em análise' },
  { kind: 'refused', rawStatus: 'Falha no envio', reason: 'other' },
];

/** Returns a submission of two analyses, and what its calls have done, in order. */
function sceneOf({ said = SAID, openFor = () => undefined, draft, ...store }: Scene = {}) {
  const done: unknown[] = [];
  const ports: SubmissionPorts = {
    analyses: {
      prepare: async () => ({ lead: leadOf(1), earlier: undefined, key }),
      claim: async () => ({ done: [first, second] }),
      resume: async () => ({ analyses: [first, second], key }),
      get: async () => undefined,
      complete: async (_, changes) => {
        done.push(changes);
        return { events: [event] };
      },
      ...store,
    },
    operator: {
      openFor,
      submit: async ({ id }) => said[id - 1] ?? { kind: 'unknown' },
      query: async () => ({ kind: 'failed' }),
    },
    clock: () => NOW,
    answerFor: (changes) => answerFor(changes.map(({ after }) => after)),
    leadGone: () => LEAD_GONE,
    consentWithdrawn: (cutoff) => new Failure('consentimento_ausente', { text: String(cutoff) }),
    notifier: { ...NO_NOTIFIER, booked: async (booked) => void done.push(booked) },
    observer: { submitted: (resumed, changes, written) => void done.push([resumed, changes, written]) },
  };
  return { ...submissionOf(LEAD, draft ?? ((lead) => makeSubmissionDraft(TENANCY, lead)), ports), done };
}

describe('begin', () => {
  it('begin sends the analyses, writes the answer, queues the events, and then reports the results', async () => {
    const { begin, done } = sceneOf();
    const changes = [accepted, refused];
    expect(await begin(claim)).toEqual({ done: answerFor(changes.map(({ after }) => after)) });
    expect(done).toEqual([changes, [event], [false, changes, changes]]);
  });

  it.each([0, 2])(
    'begin reads and checks a lead again that changes %i times, until the claim has the checked version',
    async (times) => {
      let version = 1;
      const drafted: number[] = [];
      const { begin } = sceneOf({
        prepare: async () => ({ lead: leadOf(version), earlier: undefined, key }),
        claim: async ({ lead }) => {
          if (version <= times) version += 1;
          return lead.version === version ? { done: [first] } : 'lead_changed';
        },
        draft: (lead) => {
          drafted.push(lead.version);
          return makeSubmissionDraft(TENANCY, lead);
        },
      });
      expect(await begin(claim)).toHaveProperty('done');
      expect(drafted).toEqual([1, 2, 3].slice(0, times + 1));
    },
  );

  it('begin refuses with a Retry-After while the circuit is open, and claims nothing', async () => {
    const claimNothing = { claim: () => expect.fail('the submission was claimed') };
    const closed = new Failure('servico_indisponivel', { retryAfter: 17 });
    await expect(sceneOf({ ...claimNothing, openFor: () => 17 }).begin(claim)).rejects.toEqual(closed);
    const { begin } = sceneOf({ ...claimNothing, openFor: () => 0 });
    await expect(begin(claim)).rejects.toMatchObject({ code: 'servico_indisponivel' });
  });

  it('begin returns the record of an earlier call even if the circuit is open and there is no lead', async () => {
    const { begin } = sceneOf({ prepare: async () => ({ lead: undefined, earlier, key }), openFor: () => 17 });
    expect(await begin(claim)).toEqual({ earlier });
  });

  it('begin returns the record of a call that took the key between the read and the claim', async () => {
    const { begin, done } = sceneOf({ claim: async () => ({ earlier }) });
    expect(await begin(claim)).toEqual({ earlier });
    expect(done).toEqual([]);
  });

  it('begin reports a fault of the lead before an open circuit', async () => {
    const openFor = () => 17;
    const absent = sceneOf({ prepare: async () => ({ lead: undefined, earlier: undefined, key }), openFor });
    await expect(absent.begin(claim)).rejects.toBe(LEAD_GONE);
    const mismatch = new Failure('divergencia_titular');
    const draft = () => {
      throw mismatch;
    };
    await expect(sceneOf({ draft, openFor }).begin(claim)).rejects.toBe(mismatch);
  });

  it('begin sends nothing if the claim finds that the lead is gone or the consent withdrawn', async () => {
    const gone = sceneOf({ claim: async () => 'lead_gone' });
    await expect(gone.begin(claim)).rejects.toBe(LEAD_GONE);
    const withdrawn = sceneOf({ claim: async () => ({ cutoff: 7 }) });
    await expect(withdrawn.begin(claim)).rejects.toMatchObject({ code: 'consentimento_ausente', text: '7' });
    expect(gone.done.concat(withdrawn.done)).toEqual([]);
  });
});

describe('resume', () => {
  it('resume asks the operator, writes the answer, queues the events, and then reports the results', async () => {
    const { resume, done } = sceneOf();
    const changes = [first, second].map((one) => ({ before: one, after: one }));
    expect(await resume(earlier)).toEqual(answerFor([first, second]));
    expect(done).toEqual([changes, [event], [true, changes, changes]]);
  });

  it('resume fails if the person was erased meanwhile', async () => {
    await expect(sceneOf({ resume: async () => 'lead_gone' }).resume(earlier)).rejects.toBe(LEAD_GONE);
  });
});

describe('the answer of a submission', () => {
  /** Begins a submission. Other writes come before its answer `overtaken` times, and leave these rows. */
  async function begin(overtaken: number, rows: readonly Analysis[] = [], scene: Scene = {}) {
    const tried: (readonly AnalysisChange[])[] = [];
    const scened = sceneOf({
      complete: async (_, made) => (tried.push(made) <= overtaken ? 'moved_on' : { events: [] }),
      get: async (_, id) => rows.find((row) => row.id === id),
      ...scene,
    });
    const begun = await scened.begin(claim);
    return { answer: 'done' in begun ? begun.done : undefined, tried, done: scened.done };
  }

  it('rows that the poller changed first make the answer, and are not written again', async () => {
    const moved = { ...second, situation: 'aprovado', sequence: 1, queryNumber: 'IT-2' } as const;
    const { answer, tried, done } = await begin(1, [first, moved]);
    const written = [accepted, { before: moved, after: moved }];
    expect(answer).toEqual(answerFor([accepted.after, moved]));
    expect(tried[1]).toEqual(written);
    expect(done.at(-1)).toEqual([false, [accepted, refused], written]);
  });

  it('a change is kept while the situation and the number of events of its analysis are as read', async () => {
    const noted = { ...second, rawStatus: 'Em fila' };
    expect((await begin(1, [first, noted])).tried[1]).toEqual([accepted, refused]);
    const counted = { ...second, sequence: 1 };
    expect((await begin(1, [first, counted])).tried[1]).toEqual([accepted, { before: counted, after: counted }]);
    expect((await begin(1, [])).tried[1]).toEqual([accepted, refused]);
  });

  it('an analysis without an answer of its bank is read again, because the poller may know more', async () => {
    const noted = { ...first, queryNumber: 'IT-9' };
    const { answer } = await begin(1, [noted, second], { said: [] });
    expect(answer).toEqual(answerFor([noted, second]));
  });

  it('the answer of another run that completed the submission is returned, and no event is queued', async () => {
    const other = { status: 202, body: 'earlier' };
    const { answer, done } = await begin(0, [], { complete: async () => ({ earlier: other }) });
    expect(answer).toEqual(other);
    expect(done).toEqual([[false, [accepted, refused], []]]);
  });

  it('a submission has eight attempts to be completed, and is then refused as servico_indisponivel', async () => {
    expect((await begin(7, [first, second])).tried).toHaveLength(8);
    await expect(begin(8, [first, second])).rejects.toMatchObject({ code: 'servico_indisponivel' });
  });
});
