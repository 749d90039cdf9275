import { beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type Analysis,
  CLOSE_LIMIT,
  PENDING_LIMIT,
  SUBMIT_LEASE,
  SUBMIT_LIMIT,
} from '#shared/domain/analyses/analysis.ts';
import {
  afterBankSubmission,
  findAtBanks,
  sendToBanks,
  submitIfAbsent,
} from '#shared/domain/analyses/bank-submission.ts';
import { givenUp, isClosable, isOverdue, pollAnalysis } from '#shared/domain/analyses/poll-analysis.ts';
import type { BankSubmission, OperatorApi, OperatorStatus } from '#shared/domain/analyses/ports.ts';
import { NO_LEASE, UnsentWatch } from '#shared/domain/analyses/unsent-watch.ts';
import { hours, type Milliseconds } from '#shared/domain/values/time.ts';
import { makeAnalysis } from '#test/makers/analysis.ts';
import { stopwatchBy } from '#test/makers/stopwatch.ts';

const NOW = 1_780_000_000_000;
const FORM = { cpf: '90000000175' };
const CONFIRMED = { queryNumber: 'IT-9', rawStatus: 'Em análise' };
const KNOWN: OperatorStatus = { kind: 'known', ...CONFIRMED };
const ABSENT: OperatorStatus = { kind: 'absent' };
const ACCEPTED: BankSubmission = { kind: 'accepted', ...CONFIRMED };
const REFUSED: BankSubmission = { kind: 'refused', rawStatus: 'Falha no envio', reason: 'other' };
const statusOf = (rawStatus: string): OperatorStatus => ({ kind: 'known', queryNumber: 'IT-1', rawStatus });
const unconfirmed = (age: number) => makeAnalysis({ queryNumber: '', createdAt: NOW - age });
const neverArrived = unconfirmed(SUBMIT_LEASE);
const neverAborted = () => new AbortController().signal;

/** The calls to the operator and to the table, in order. */
let calls: string[];
beforeEach(() => {
  calls = [];
});

interface Circumstances {
  readonly status?: OperatorStatus;
  readonly result?: BankSubmission;
  /** What `acquireSubmitLease` returns. `settled`: the analysis needs no lease any more. */
  readonly taken?: { readonly lease: string; readonly isMine: boolean } | 'settled';
  /** For how long the container has seen the analysis unsent. Undefined if it has not seen it. */
  readonly seenFor?: number | undefined;
  /** Milliseconds that acquiring the lease takes. */
  readonly leaseTakes?: number;
  readonly toBeErased?: boolean;
  readonly consentWithdrawn?: boolean;
}

const MINE = { lease: 'mine', isMine: true };
const THEIRS = { lease: 'theirs', isMine: false };

function ports(circumstances: Circumstances) {
  const {
    status = ABSENT,
    result = ACCEPTED,
    taken = MINE,
    leaseTakes = 0,
    toBeErased = false,
    consentWithdrawn = false,
    ...watched
  } = circumstances;
  let now = NOW;
  let measured = 0;
  const unsent = new UnsentWatch(stopwatchBy(() => measured));
  const { seenFor } = { seenFor: SUBMIT_LEASE, ...watched };
  if (seenFor !== undefined) {
    unsent.see(makeAnalysis());
    measured += seenFor;
  }
  const recording =
    <Answer>(call: string, answer: Answer) =>
    async () => {
      calls.push(call);
      if (call === 'lease') now += leaseTakes;
      return answer;
    };
  return {
    operator: { openFor: () => undefined, query: recording('query', status), submit: recording('submit', result) },
    analyses: {
      acquireSubmitLease: recording('lease', taken === 'settled' ? undefined : taken),
      isToBeErased: recording('erasure', toBeErased),
      isConsentWithdrawn: recording('consent', consentWithdrawn),
    },
    unsent,
    clock: () => now,
    /** Lets the stopwatch of the container run on. */
    pass: (time: Milliseconds) => {
      measured += time;
    },
  };
}

describe('sendToBanks', () => {
  const first = async (age: number, circumstances: Circumstances = {}) => {
    const [change] = await sendToBanks([unconfirmed(age)], FORM, ports(circumstances));
    return change!;
  };

  it('a new analysis is sent without asking the operator first', async () => {
    expect((await first(100)).after).toMatchObject({ situation: 'em_analise', queryNumber: 'IT-9' });
    expect(calls).toEqual(['submit']);
  });

  it('a refused submission ends the analysis with the reason of the refusal', async () => {
    const { after, refusal } = await first(100, { result: { ...REFUSED, reason: 'bank_not_served' } });
    expect(after).toMatchObject({ situation: 'erro', rawStatus: 'Falha no envio', queryNumber: '', sequence: 1 });
    expect(refusal).toBe('bank_not_served');
  });

  it('a run that was held up for 50 s sends nothing, because the poller may send the analysis', async () => {
    const { before, after } = await first(SUBMIT_LEASE - 10_000);
    expect(calls).toEqual([]);
    expect(after).toEqual(before);
  });
});

describe('afterBankSubmission', () => {
  const after = (analysis: Analysis, result: BankSubmission) => afterBankSubmission(analysis, result);

  it('a withdrawn analysis ends as cancelado, and gets no query number', () => {
    const { after: ended } = after(unconfirmed(100), { kind: 'withdrawn' });
    const rawStatus = 'Cancelado antes do envio: eliminação dos dados do titular';
    expect(ended).toMatchObject({ situation: 'cancelado', rawStatus, queryNumber: '', sequence: 1 });
  });

  it('an analysis whose consent was withdrawn ends as cancelado, and its text says why', () => {
    const { after: ended } = after(unconfirmed(100), { kind: 'consent_withdrawn' });
    const rawStatus = 'Cancelado antes do envio: consentimento revogado pelo titular';
    expect(ended).toMatchObject({ situation: 'cancelado', rawStatus, queryNumber: '', sequence: 1 });
  });

  const ended = makeAnalysis({ situation: 'aprovado' });
  it.each<[string, Analysis, BankSubmission]>([
    ['if no answer can be trusted', unconfirmed(100), { kind: 'unknown' }],
    ['if it has ended before it is refused', ended, REFUSED],
    ['if it has ended before it is withdrawn', ended, { kind: 'withdrawn' }],
  ])('an analysis stays unchanged %s', (_, before, result) => {
    expect(after(before, result)).toEqual({ before, after: before });
  });

  it('sendToBanks aborts the calls to all banks after 10 seconds, and not before', async () => {
    const limit = new AbortController();
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(limit.signal);
    const sent: AbortSignal[] = [];
    const submit: OperatorApi['submit'] = (_analysis, _form, signal) => {
      sent.push(signal);
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve({ kind: 'unknown' })));
    };
    const { operator, ...others } = ports({});
    const deps = { ...others, operator: { ...operator, submit } };
    const submitted = sendToBanks([unconfirmed(1), unconfirmed(2)], FORM, deps);
    expect(timeout.mock.calls).toEqual([[10_000]]);
    timeout.mockRestore();
    expect(sent.map(({ aborted }) => aborted)).toEqual([false, false]);
    limit.abort();
    expect((await submitted).map(({ before, after }) => before === after)).toEqual([true, true]);
  });
});

it.each<[string, Circumstances, string]>([
  ['the operator knows the analysis', { status: KNOWN }, 'IT-9'],
  ['the operator has never received it', {}, ''],
  ['the operator has no answer', { status: { kind: 'failed' } }, ''],
])('a resumed submission asks about its analysis and never sends it: %s', async (_, circumstances, queryNumber) => {
  const [change] = await findAtBanks([neverArrived], ports(circumstances));
  expect(calls).toEqual(['query']);
  expect(change?.after.queryNumber).toBe(queryNumber);
});

it('a resumed submission asks nothing about an analysis that is confirmed or has ended', async () => {
  const done = [makeAnalysis(), makeAnalysis({ situation: 'erro', queryNumber: '' })];
  const unchanged = done.map((one) => ({ before: one, after: one }));
  expect(await findAtBanks(done, ports({}))).toEqual(unchanged);
  expect(calls).toEqual([]);
});

describe('submitIfAbsent', () => {
  const submit = ({
    age = SUBMIT_LEASE,
    signal = neverAborted(),
    ...rest
  }: Circumstances & { age?: number; signal?: AbortSignal } = {}) =>
    submitIfAbsent(unconfirmed(age), FORM, { asked: NOW, stale: NO_LEASE }, { ...ports(rest), signal });

  it('an analysis is sent after its lease is acquired, if no withdrawal and no request for an erasure is found', async () => {
    expect(await submit()).toEqual(ACCEPTED);
    expect(calls).toEqual(['lease', 'consent', 'erasure', 'submit']);
  });

  it('nothing is sent and no lease is acquired once the signal is aborted', async () => {
    expect(await submit({ signal: AbortSignal.abort() })).toEqual({ kind: 'unknown' });
    expect(calls).toEqual([]);
  });

  it('nothing is sent if the lease might run out before the bank has answered', async () => {
    expect(await submit({ leaseTakes: SUBMIT_LEASE - 10_000 })).toEqual({ kind: 'unknown' });
    expect(calls).not.toContain('submit');
    expect(await submit({ leaseTakes: SUBMIT_LEASE - 10_001 })).toEqual(ACCEPTED);
    expect(calls.at(-1)).toBe('submit');
  });

  it('an analysis is withdrawn if the erasure of its person was requested', async () => {
    expect(await submit({ toBeErased: true })).toEqual({ kind: 'withdrawn' });
    expect(calls).toEqual(['lease', 'consent', 'erasure']);
  });

  it('an analysis is not sent if its person withdrew the consent, however old it is', async () => {
    for (const age of [SUBMIT_LEASE, SUBMIT_LIMIT + 1])
      expect(await submit({ age, consentWithdrawn: true })).toEqual({ kind: 'consent_withdrawn' });
    expect(calls).toEqual(['lease', 'consent', 'lease', 'consent']);
  });

  it('only the run that acquired the lease sends the analysis', async () => {
    for (const taken of [THEIRS, 'settled'] as const) expect(await submit({ taken })).toBeUndefined();
    expect(calls).toEqual(['lease', 'lease']);
  });

  it('an analysis is refused under its lease once it is older than 48 hours, and sent up to then', async () => {
    const rawStatus = 'Falha no envio: prazo de 48 horas encerrado';
    expect(await submit({ age: SUBMIT_LIMIT + 1 })).toEqual({ kind: 'refused', rawStatus, reason: 'too_late' });
    expect(calls).toEqual(['lease', 'consent']);
    expect(await submit({ age: SUBMIT_LIMIT })).toEqual(ACCEPTED);
    expect(SUBMIT_LIMIT).toBe(48 * 3_600_000);
  });
});

describe('pollAnalysis', () => {
  const NO_NEWS = { kind: 'no_news', unknownStatus: false };
  const signal = neverAborted();
  const poll = (
    analysis: Analysis,
    { form, ...circumstances }: Circumstances & { readonly form?: 'gone' },
    deps = ports(circumstances),
  ) => {
    const resubmit = { ...deps, form: async () => (form === 'gone' ? undefined : FORM) };
    return pollAnalysis(analysis, { ...deps, signal, resubmit });
  };

  it('an analysis is not asked about while the request that claimed it may still be sending it', async () => {
    expect(await poll(unconfirmed(SUBMIT_LEASE - 1), { status: KNOWN })).toEqual(NO_NEWS);
    expect(calls).toEqual([]);
  });

  it.each([undefined, SUBMIT_LEASE - 1])(
    'nothing is sent if the container has seen the analysis unsent for only %s ms',
    async (seenFor) => {
      // Age does not count: to a clock that is a day ahead, an analysis of this moment looks a day old.
      for (const age of [SUBMIT_LEASE, 86_400_000, -86_400_000])
        expect(await poll(unconfirmed(age), { seenFor })).toEqual(NO_NEWS);
      expect(calls).toEqual(['query', 'query', 'query']);
    },
  );

  it('nothing is sent under the lease of another run until the container has seen that lease for a minute', async () => {
    const deps = ports({ taken: THEIRS });
    expect(await poll(neverArrived, {}, deps)).toEqual(NO_NEWS);
    expect(await poll(neverArrived, {}, deps)).toEqual(NO_NEWS);
    expect(calls).toEqual(['query', 'lease', 'query']);
    deps.pass(SUBMIT_LEASE - 1);
    expect(deps.unsent.staleLease(neverArrived)).toBeUndefined();
    deps.pass(1);
    expect(deps.unsent.staleLease(neverArrived)).toBe('theirs');
  });

  it('UnsentWatch remembers an analysis that it sees each hour, and forgets it after two hours', () => {
    let measured = 0;
    const unsent = new UnsentWatch(stopwatchBy(() => measured));
    const other = { ...neverArrived, id: (neverArrived.id + 1) as Analysis['id'] };
    unsent.see(neverArrived);
    for (let hour = 0; hour < 3; hour++) {
      measured += hours(1);
      unsent.see(neverArrived);
    }
    measured += hours(2) - 1;
    unsent.see(other);
    expect(unsent.staleLease(neverArrived)).toBe(NO_LEASE);
    measured += 1;
    unsent.see(other);
    measured += SUBMIT_LEASE;
    expect([neverArrived, other].map((one) => unsent.staleLease(one))).toEqual([undefined, NO_LEASE]);
  });

  it('a caller without a watch sends nothing', async () => {
    const { unsent: _, ...deps } = ports({});
    expect(await pollAnalysis(neverArrived, { ...deps, signal })).toEqual(NO_NEWS);
  });

  it('a status that says nothing new is no news', async () => {
    expect(await poll(makeAnalysis(), { status: statusOf('Em análise') })).toEqual(NO_NEWS);
  });

  it('a text that no rule reads is reported each time, and ends no analysis', async () => {
    const status = statusOf('Situação 17-B');
    expect(await poll(makeAnalysis(), { status })).toMatchObject({ kind: 'note', unknownStatus: true });
    const noted = makeAnalysis({ rawStatus: 'Situação 17-B' });
    expect(await poll(noted, { status })).toEqual({ kind: 'no_news', unknownStatus: true });
  });

  it('an analysis with a query number is never sent again, even if the operator has forgotten it', async () => {
    expect(await poll(makeAnalysis(), {})).toEqual({ kind: 'unanswerable' });
    expect(calls).toEqual(['query']);
  });

  it.each<[string, Analysis, Circumstances, string | undefined]>([
    ['a refusal if the analysis is sent and refused', neverArrived, { result: REFUSED }, 'other'],
    ['no refusal if the bank fails later', makeAnalysis(), { status: statusOf('ERRO no banco') }, undefined],
  ])('pollAnalysis ends an analysis with %s', async (_, analysis, circumstances, refusal) => {
    const result = await poll(analysis, circumstances);
    expect(result.kind === 'change' && result.change.after.situation).toBe('erro');
    expect(result.kind === 'change' && result.change.refusal).toBe(refusal);
  });

  const ended = expect.objectContaining({ situation: 'cancelado' });
  const withdrawn = { kind: 'change', change: expect.objectContaining({ before: neverArrived, after: ended }) };
  it.each<[string, Circumstances, object]>([
    ['its end if the erasure of the person was requested', { result: { kind: 'withdrawn' } }, withdrawn],
    ['its end if the person withdrew the consent', { consentWithdrawn: true }, withdrawn],
    [
      'a fault of the bank if no answer to the submission can be trusted',
      { result: { kind: 'unknown' } },
      { kind: 'failed' },
    ],
    [
      'a fault of the analysis if the answer to the submission does not fit',
      { result: { kind: 'unknown', fault: 'unanswerable' } },
      { kind: 'unanswerable' },
    ],
    [
      'its number if the submission is accepted',
      { result: ACCEPTED },
      { kind: 'note', ...CONFIRMED, unknownStatus: false },
    ],
    ['no news if another run has its lease', { taken: THEIRS }, NO_NEWS],
    ['a fault of the bank if the question has no answer', { status: { kind: 'failed' } }, { kind: 'failed' }],
    [
      'a fault of the analysis if the answer to the question does not fit',
      { status: { kind: 'unanswerable' } },
      { kind: 'unanswerable' },
    ],
  ])('pollAnalysis of an unsent analysis returns %s', async (_, circumstances, result) => {
    expect(await poll(neverArrived, circumstances)).toEqual(result);
  });

  it('nothing is sent once the form is gone', async () => {
    expect(await poll(neverArrived, { form: 'gone' })).toEqual(NO_NEWS);
    expect(calls).toEqual(['query']);
  });

  it('an analysis without a number is asked about after a minute, and one with a number at once', async () => {
    expect(await poll(neverArrived, { status: KNOWN })).toMatchObject({ kind: 'note', queryNumber: 'IT-9' });
    expect(await poll(makeAnalysis({ createdAt: NOW }), { status: KNOWN })).toMatchObject({ kind: 'note' });
  });

  it('there is no news about an analysis that has ended, whatever the operator says', async () => {
    const status = statusOf('Aprovado');
    expect(await poll(makeAnalysis({ situation: 'recusado' }), { status })).toEqual(NO_NEWS);
    const change = { after: { situation: 'aprovado' } };
    expect(await poll(makeAnalysis(), { status })).toMatchObject({ kind: 'change', change });
  });
});

it('an analysis is overdue after 30 days, closable after 60 days, and not a millisecond before', () => {
  const of = (age: number, more: Partial<Analysis> = {}) => makeAnalysis({ createdAt: NOW - age, ...more });
  expect([PENDING_LIMIT, PENDING_LIMIT + 1].map((age) => isOverdue(of(age), NOW))).toEqual([false, true]);
  const marked = { unanswerableSince: 7 };
  const closable = [of(CLOSE_LIMIT, marked), of(CLOSE_LIMIT + 1), of(CLOSE_LIMIT + 1, marked)];
  expect(closable.map((one) => isClosable(one, NOW))).toEqual([false, false, true]);
  const change = givenUp(of(PENDING_LIMIT), of(0));
  expect(change?.after).toMatchObject({ situation: 'cancelado', queryNumber: 'IT-1', sequence: 1 });
  expect(givenUp(of(0, { situation: 'erro' }), of(0))).toBeUndefined();
});
