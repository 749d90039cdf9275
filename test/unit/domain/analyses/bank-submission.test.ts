import { beforeEach, describe, expect, it, vi } from 'vitest';
import { eventOf } from '#shared/contract/event.ts';
import {
  type Analysis,
  CLOSE_LIMIT,
  PENDING_LIMIT,
  SUBMIT_LEASE,
  SUBMIT_LIMIT,
} from '#shared/domain/analyses/analysis.ts';
import { afterBankSubmission, submitIfAbsent, submitToBanks } from '#shared/domain/analyses/bank-submission.ts';
import { givenUp, isClosable, isOverdue, pollAnalysis } from '#shared/domain/analyses/poll-analysis.ts';
import type { BankSubmission, OperatorApi, OperatorStatus } from '#shared/domain/analyses/ports.ts';
import { NO_LEASE, UnsentWatch } from '#shared/domain/analyses/unsent-watch.ts';
import { readStatus } from '#shared/operator/statuses.ts';
import { makeAnalysis } from '#test/makers/analysis.ts';

const NOW = 1_780_000_000_000;
const FORM = { cpf: '90000000175' };
const CONFIRMED = { queryNumber: 'IT-9', rawStatus: 'Em análise' };
const KNOWN: OperatorStatus = { kind: 'known', ...CONFIRMED };
const ABSENT: OperatorStatus = { kind: 'absent' };
const ACCEPTED: BankSubmission = { kind: 'accepted', ...CONFIRMED };
const REFUSED: BankSubmission = { kind: 'refused', rawStatus: 'Falha no envio', reason: 'other' };
const said = (rawStatus: string): OperatorStatus => ({ kind: 'known', queryNumber: 'IT-1', rawStatus });
const unconfirmed = (age: number) => makeAnalysis({ queryNumber: '', createdAt: NOW - age });
const lost = unconfirmed(SUBMIT_LEASE);
const patient = () => new AbortController().signal;

/** What was asked of the operator and of the table, in order. */
let calls: string[];
beforeEach(() => {
  calls = [];
});

interface Circumstances {
  readonly status?: OperatorStatus;
  readonly result?: BankSubmission;
  /** The lease after it was asked for, and whether it is this run's. */
  readonly taken?: { readonly lease: string; readonly isMine: boolean } | 'settled';
  /** For how long the analysis has been seen unsent; not at all where undefined. */
  readonly seenFor?: number | undefined;
  /** Milliseconds that taking the lease takes. */
  readonly held?: number;
  readonly toBeErased?: boolean;
}

const MINE = { lease: 'mine', isMine: true };
const THEIRS = { lease: 'theirs', isMine: false };

function ports(circumstances: Circumstances) {
  const { status = ABSENT, result = ACCEPTED, taken = MINE, held = 0, toBeErased = false, ...watched } = circumstances;
  let now = NOW;
  const unsent = new UnsentWatch();
  const { seenFor } = { seenFor: SUBMIT_LEASE, ...watched };
  if (seenFor !== undefined) unsent.see(makeAnalysis(), NOW - seenFor);
  const noting =
    <Answer>(call: string, answer: Answer) =>
    async () => {
      calls.push(call);
      if (call === 'lease') now += held;
      return answer;
    };
  return {
    operator: { openFor: () => undefined, query: noting('query', status), submit: noting('submit', result) },
    analyses: {
      acquireSubmitLease: noting('lease', taken === 'settled' ? undefined : taken),
      isToBeErased: noting('erasure', toBeErased),
    },
    unsent,
    clock: () => now,
  };
}

describe('a first bank submission', () => {
  const first = async (age: number, circumstances: Circumstances = {}) => {
    const [change] = await submitToBanks([unconfirmed(age)], FORM, false, eventOf, ports(circumstances));
    return change!;
  };

  it('is sent without a question', async () => {
    expect((await first(100)).after).toMatchObject({ situation: 'em_analise', queryNumber: 'IT-9' });
    expect(calls).toEqual(['submit']);
  });

  it('that is refused ends the analysis with an event that says why in words of ours', async () => {
    const { after, delivery } = await first(100, { result: { ...REFUSED, reason: 'bank_not_served' } });
    expect(after).toMatchObject({ situation: 'erro', rawStatus: 'Falha no envio', queryNumber: '', sequence: 1 });
    const motivo = 'O operador não atende este banco no momento; envie uma nova solicitação para outro banco.';
    expect(JSON.parse(delivery!.body).data).toMatchObject({ status_original: 'Falha no envio', motivo });
  });

  it('is not sent by a run that was held up until the poller may have sent it', async () => {
    const { before, after } = await first(SUBMIT_LEASE - 10_000);
    expect(calls).toEqual([]);
    expect(after).toEqual(before);
  });
});

describe('an analysis after its bank submission', () => {
  const after = (analysis: Analysis, result: BankSubmission) => afterBankSubmission(analysis, result, eventOf, NOW);

  it('that was withdrawn ends as cancelled with its event, and was never at the bank', () => {
    const { after: ended, delivery } = after(unconfirmed(100), { kind: 'withdrawn' });
    const rawStatus = 'Cancelado antes do envio: eliminação dos dados do titular';
    expect(ended).toMatchObject({ situation: 'cancelado', rawStatus, queryNumber: '', sequence: 1 });
    expect(delivery?.type).toBe('analise.resultado');
    expect(delivery?.createdAt).toBe(NOW);
  });

  const ended = makeAnalysis({ situation: 'aprovado' });
  it.each<[Analysis, BankSubmission]>([
    [unconfirmed(100), { kind: 'unknown' }],
    [ended, REFUSED],
    [ended, { kind: 'withdrawn' }],
  ])('stays as it is where nothing can be trusted, or where it has ended otherwise: %o %o', (before, result) => {
    expect(after(before, result)).toEqual({ before, after: before, delivery: undefined });
  });

  it('is given up by a bank that has not answered after 10 seconds, and not before', async () => {
    const limit = new AbortController();
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(limit.signal);
    const sent: AbortSignal[] = [];
    const submit: OperatorApi['submit'] = (_analysis, _form, signal) => {
      sent.push(signal);
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve({ kind: 'unknown' })));
    };
    const { operator, ...others } = ports({});
    const deps = { ...others, operator: { ...operator, submit } };
    const submitted = submitToBanks([unconfirmed(1), unconfirmed(2)], FORM, false, eventOf, deps);
    expect(timeout.mock.calls).toEqual([[10_000]]);
    timeout.mockRestore();
    expect(sent.map(({ aborted }) => aborted)).toEqual([false, false]);
    limit.abort();
    expect((await submitted).map(({ before, after }) => before === after)).toEqual([true, true]);
  });
});

it.each<[string, Circumstances, string]>([
  ['known', { status: KNOWN }, 'IT-9'],
  ['absent', {}, ''],
  ['without an answer', { status: { kind: 'unavailable', fault: 'bank' } }, ''],
])(
  'a bank submission that is resumed: is asked for and never sent, whatever a clock says of its lock: %s',
  async (_, circumstances, queryNumber) => {
    const [change] = await submitToBanks([lost], FORM, true, eventOf, ports(circumstances));
    expect(calls).toEqual(['query']);
    expect(change?.after.queryNumber).toBe(queryNumber);
  },
);

it('a bank submission that is resumed: leaves banks alone that have confirmed or whose analysis has ended', async () => {
  const done = [makeAnalysis(), makeAnalysis({ situation: 'erro', queryNumber: '' })];
  const unchanged = done.map((one) => ({ before: one, after: one, delivery: undefined }));
  expect(await submitToBanks(done, FORM, true, eventOf, ports({}))).toEqual(unchanged);
  expect(calls).toEqual([]);
});

describe('an analysis that the operator has never received', () => {
  const submit = ({
    age = SUBMIT_LEASE,
    signal = patient(),
    ...rest
  }: Circumstances & { age?: number; signal?: AbortSignal } = {}) =>
    submitIfAbsent(unconfirmed(age), FORM, { asked: NOW, stale: NO_LEASE }, { ...ports(rest), signal });

  it('is sent under its lease, once nobody is found who wants the person erased', async () => {
    expect(await submit()).toEqual(ACCEPTED);
    expect(calls).toEqual(['lease', 'erasure', 'submit']);
  });

  it('takes no lease and sends nothing once its signal is aborted', async () => {
    expect(await submit({ signal: AbortSignal.abort() })).toEqual({ kind: 'unknown' });
    expect(calls).toEqual([]);
  });

  it('sends nothing where its lease may be over before the bank has answered', async () => {
    expect(await submit({ held: SUBMIT_LEASE - 10_000 })).toEqual({ kind: 'unknown' });
    expect(calls).not.toContain('submit');
    expect(await submit({ held: SUBMIT_LEASE - 10_001 })).toEqual(ACCEPTED);
    expect(calls.at(-1)).toBe('submit');
  });

  it('is withdrawn where the person is to be erased', async () => {
    expect(await submit({ toBeErased: true })).toEqual({ kind: 'withdrawn' });
    expect(calls).toEqual(['lease', 'erasure']);
  });

  it('is sent by none but the one who holds its lease', async () => {
    for (const taken of [THEIRS, 'settled'] as const) expect(await submit({ taken })).toBeUndefined();
    expect(calls).toEqual(['lease', 'lease']);
  });

  it('is refused under its lease once it is older than 48 hours, and sent up to then', async () => {
    const rawStatus = 'Falha no envio: prazo de 48 horas encerrado';
    expect(await submit({ age: SUBMIT_LIMIT + 1 })).toEqual({ kind: 'refused', rawStatus, reason: 'too_late' });
    expect(calls).toEqual(['lease']);
    expect(await submit({ age: SUBMIT_LIMIT })).toEqual(ACCEPTED);
    expect(SUBMIT_LIMIT).toBe(48 * 3_600_000);
  });
});

describe('a poll of one analysis', () => {
  const NO_NEWS = { kind: 'no_news', unknownStatus: false };
  const common = { read: readStatus, event: eventOf, signal: patient() };
  const poll = (
    analysis: Analysis,
    { form, ...circumstances }: Circumstances & { readonly form?: 'gone' },
    made = ports(circumstances),
  ) => {
    const resubmit = { ...made, form: async () => (form === 'gone' ? undefined : FORM) };
    return pollAnalysis(analysis, { ...made, ...common, resubmit });
  };

  it('leaves a bank submission to the request that is making it', async () => {
    expect(await poll(unconfirmed(SUBMIT_LEASE - 1), { status: KNOWN })).toEqual(NO_NEWS);
    expect(calls).toEqual([]);
  });

  it.each([undefined, SUBMIT_LEASE - 1])('sends nothing that it has seen unsent for %s ms', async (seenFor) => {
    // Whatever its age: by a clock that is a day ahead, a submission of this moment is old.
    for (const age of [SUBMIT_LEASE, 86_400_000, -86_400_000])
      expect(await poll(unconfirmed(age), { seenFor })).toEqual(NO_NEWS);
    expect(calls).toEqual(['query', 'query', 'query']);
  });

  it('sends nothing that somebody else may send, until it has seen that lease for a minute too', async () => {
    const made = ports({ taken: THEIRS });
    expect(await poll(lost, {}, made)).toEqual(NO_NEWS);
    expect(await poll(lost, {}, made)).toEqual(NO_NEWS);
    expect(calls).toEqual(['query', 'lease', 'query']);
    expect(made.unsent.staleLease(lost, NOW + SUBMIT_LEASE - 1)).toBeUndefined();
    expect(made.unsent.staleLease(lost, NOW + SUBMIT_LEASE)).toBe('theirs');
  });

  it('is watched for as long as it is met each hour, and forgotten two hours after that', () => {
    const unsent = new UnsentWatch();
    const other = { ...lost, id: (lost.id + 1) as Analysis['id'] };
    for (const hour of [0, 1, 2, 3]) unsent.see(lost, NOW + hour * 3_600_000);
    const last = NOW + 3 * 3_600_000;
    unsent.see(other, last + 7_199_999);
    expect(unsent.staleLease(lost, last)).toBe(NO_LEASE);
    unsent.see(other, last + 7_200_000);
    expect([lost, other].map((one) => unsent.staleLease(one, last + 7_260_000))).toEqual([undefined, NO_LEASE]);
  });

  it('sends nothing by who has no watch', async () => {
    const { unsent: _, ...made } = ports({});
    expect(await pollAnalysis(lost, { ...made, ...common })).toEqual(NO_NEWS);
  });

  it('without news writes nothing', async () => {
    expect(await poll(makeAnalysis(), { status: said('Em análise') })).toEqual(NO_NEWS);
  });

  it('counts a text that no rule reads, each time, and guesses nothing', async () => {
    const status = said('Situação 17-B');
    expect(await poll(makeAnalysis(), { status })).toMatchObject({ kind: 'note', unknownStatus: true });
    const noted = makeAnalysis({ rawStatus: 'Situação 17-B' });
    expect(await poll(noted, { status })).toEqual({ kind: 'no_news', unknownStatus: true });
  });

  it('never sends again what has a number, whatever the operator has forgotten', async () => {
    expect(await poll(makeAnalysis(), {})).toEqual({ kind: 'unavailable', fault: 'analysis' });
    expect(calls).toEqual(['query']);
  });

  const OURS = 'O operador recusou o envio desta solicitação ao banco.';
  it.each<[string, Analysis, Circumstances, string]>([
    ['ours where it sends the analysis and is refused', lost, { result: REFUSED }, OURS],
    ['the bank’s where it fails later', makeAnalysis(), { status: said('ERRO no banco') }, 'ERRO no banco'],
  ])('says why in words that are %s', async (_, analysis, circumstances, reason) => {
    const result = await poll(analysis, circumstances);
    expect(result.kind === 'change' && JSON.parse(result.change.delivery!.body).data.motivo).toBe(reason);
  });

  const ended = expect.objectContaining({ situation: 'cancelado' });
  const withdrawn = { kind: 'change', change: expect.objectContaining({ before: lost, after: ended }) };
  it.each<[Circumstances, object]>([
    [{ result: { kind: 'withdrawn' } }, withdrawn],
    [{ result: { kind: 'unknown' } }, { kind: 'unavailable', fault: 'bank' }],
    [{ result: { kind: 'unknown', fault: 'analysis' } }, { kind: 'unavailable', fault: 'analysis' }],
    [{ result: ACCEPTED }, { kind: 'note', ...CONFIRMED, unknownStatus: false }],
    [{ taken: THEIRS }, NO_NEWS],
    [{ status: { kind: 'unavailable', fault: 'bank' } }, { kind: 'unavailable', fault: 'bank' }],
    [{ status: { kind: 'unavailable', fault: 'analysis' } }, { kind: 'unavailable', fault: 'analysis' }],
  ])('sends what the operator never received, and tells what came of it: %o is %o', async (circumstances, result) => {
    expect(await poll(lost, circumstances)).toEqual(result);
  });

  it('sends nothing once the form is gone', async () => {
    expect(await poll(lost, { form: 'gone' })).toEqual(NO_NEWS);
    expect(calls).toEqual(['query']);
  });

  it('reads what has no number once its request has had its time, and what has one at once', async () => {
    expect(await poll(lost, { status: KNOWN })).toMatchObject({ kind: 'note', queryNumber: 'IT-9' });
    expect(await poll(makeAnalysis({ createdAt: NOW }), { status: KNOWN })).toMatchObject({ kind: 'note' });
  });

  it('has no news of what has ended meanwhile, whatever the operator says', async () => {
    const status = said('Aprovado');
    expect(await poll(makeAnalysis({ situation: 'recusado' }), { status })).toEqual(NO_NEWS);
    const change = { after: { situation: 'aprovado' }, delivery: { createdAt: NOW } };
    expect(await poll(makeAnalysis(), { status })).toMatchObject({ kind: 'change', change });
  });
});

it('an analysis ends after 30 days, may be ended by a person after 60, and not a millisecond before', () => {
  const of = (age: number, more: Partial<Analysis> = {}) => makeAnalysis({ createdAt: NOW - age, ...more });
  expect([PENDING_LIMIT, PENDING_LIMIT + 1].map((age) => isOverdue(of(age), NOW))).toEqual([false, true]);
  const marked = { unanswerableSince: 7 };
  const closable = [of(CLOSE_LIMIT, marked), of(CLOSE_LIMIT + 1), of(CLOSE_LIMIT + 1, marked)];
  expect(closable.map((one) => isClosable(one, NOW))).toEqual([false, false, true]);
  const change = givenUp(of(PENDING_LIMIT), of(0), eventOf, NOW);
  expect(change?.after).toMatchObject({ situation: 'cancelado', queryNumber: 'IT-1', sequence: 1 });
  expect(change?.delivery?.type).toBe('analise.resultado');
  expect(givenUp(of(0, { situation: 'erro' }), of(0), eventOf, NOW)).toBeUndefined();
});
