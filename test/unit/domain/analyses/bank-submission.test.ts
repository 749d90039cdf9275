import { describe, expect, it, vi } from 'vitest';
import { eventOf } from '../../../../shared/contract/event.ts';
import {
  type Analysis,
  type AnalysisForm,
  PENDING_LIMIT,
  SUBMIT_LEASE,
} from '../../../../shared/domain/analyses/analysis.ts';
import { afterBankSubmission, submitToBanks } from '../../../../shared/domain/analyses/bank-submission.ts';
import { expired, pollAnalysis } from '../../../../shared/domain/analyses/poll-analysis.ts';
import type { BankSubmission, OperatorApi, OperatorStatus } from '../../../../shared/domain/analyses/ports.ts';
import { readStatus } from '../../../../shared/operator/statuses.ts';
import { makeAnalysis } from '../../../makers/analysis.ts';

const NOW = 1_780_000_000_000;
const FORM = { cpf: '90000000175' };
const KNOWN: OperatorStatus = { kind: 'known', queryNumber: 'IT-9', rawStatus: 'Em análise' };
const ACCEPTED: BankSubmission = { kind: 'accepted', queryNumber: 'IT-9', rawStatus: 'Em análise' };

/** An operator of fixed answers that notes what it was asked. */
function operator(
  status: OperatorStatus,
  result: BankSubmission = ACCEPTED,
): OperatorApi & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    openFor: () => undefined,
    async query() {
      asked.push('query');
      return status;
    },
    async submit() {
      asked.push('submit');
      return result;
    },
  };
}

const holding = (granted: boolean, toBeErased = false) => ({
  acquireSubmitLease: async () => granted,
  isToBeErased: async () => toBeErased,
});
const unconfirmed = (age: number) => makeAnalysis({ queryNumber: '', createdAt: NOW - age });

describe('a first bank submission', () => {
  const first = (age: number, at: OperatorApi) =>
    submitToBanks([unconfirmed(age)], FORM, false, eventOf, {
      operator: at,
      analyses: holding(true),
      clock: () => NOW,
    });

  it('is sent without a question', async () => {
    const at = operator({ kind: 'absent' });
    const [change] = await first(100, at);
    expect(at.asked).toEqual(['submit']);
    expect(change?.after).toMatchObject({ situation: 'em_analise', queryNumber: 'IT-9' });
  });

  it('that is refused ends the analysis with an event that says why in words of ours', async () => {
    const refused: BankSubmission = { kind: 'refused', rawStatus: 'Falha no envio', reason: 'bank_not_served' };
    const [change] = await first(100, operator({ kind: 'absent' }, refused));
    expect(change?.after).toMatchObject({ situation: 'erro', rawStatus: 'Falha no envio' });
    expect(JSON.parse(change!.delivery!.body).data).toMatchObject({
      status_original: 'Falha no envio',
      motivo: 'O operador não atende este banco no momento; envie uma nova solicitação para outro banco.',
    });
  });

  it('is not sent by a run that was held up until the poller may have sent it', async () => {
    const at = operator({ kind: 'absent' });
    const [change] = await first(SUBMIT_LEASE - 10_000, at);
    expect(at.asked).toEqual([]);
    expect(change?.after).toBe(change?.before);
  });
});

describe('an analysis after its bank submission', () => {
  const after = (analysis: Analysis, result: BankSubmission) => afterBankSubmission(analysis, result, eventOf, NOW);

  it('that was withdrawn ends as cancelled with its event, and was never at the bank', () => {
    const { after: ended, delivery } = after(unconfirmed(100), { kind: 'withdrawn' });
    expect(ended).toMatchObject({ situation: 'cancelado', queryNumber: '', sequence: 1 });
    expect(ended.rawStatus).toBe('Cancelado antes do envio: eliminação dos dados do titular');
    expect([delivery?.type, delivery?.createdAt]).toEqual(['analise.resultado', NOW]);
  });

  it('that was refused has no number', () => {
    const refused: BankSubmission = { kind: 'refused', rawStatus: 'Falha', reason: 'other' };
    expect(after(makeAnalysis(), refused).after).toMatchObject({ situation: 'erro', queryNumber: '', sequence: 1 });
  });

  it('stays as it is where nothing can be trusted, or where it has ended otherwise, without an event', () => {
    const ended = makeAnalysis({ situation: 'aprovado' });
    const refused: BankSubmission = { kind: 'refused', rawStatus: 'Falha', reason: 'other' };
    for (const [analysis, result] of [
      [unconfirmed(100), { kind: 'unknown' }],
      [ended, refused],
      [ended, { kind: 'withdrawn' }],
    ] as const)
      expect(after(analysis, result)).toEqual({ before: analysis, after: analysis, delivery: undefined });
  });

  it('is given up by a bank that has not answered after 10 seconds, and not before', async () => {
    const limit = new AbortController();
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(limit.signal);
    const sent: AbortSignal[] = [];
    const submit: OperatorApi['submit'] = (_analysis, _form, signal) => {
      sent.push(signal);
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve({ kind: 'unknown' })));
    };
    const deps = { operator: { ...operator(KNOWN), submit }, analyses: holding(true), clock: () => NOW };
    const submitted = submitToBanks([unconfirmed(1), unconfirmed(2)], FORM, false, eventOf, deps);
    expect(timeout.mock.calls).toEqual([[10_000]]);
    timeout.mockRestore();
    expect(sent.map(({ aborted }) => aborted)).toEqual([false, false]);
    limit.abort();
    expect((await submitted).map(({ before, after }) => before === after)).toEqual([true, true]);
  });
});

describe('a bank submission that is resumed', () => {
  const resumed = (at: OperatorApi, granted = true) =>
    submitToBanks([unconfirmed(SUBMIT_LEASE)], FORM, true, eventOf, {
      operator: at,
      analyses: holding(granted),
      clock: () => NOW,
    });

  it.each([
    ['known', KNOWN, true, ['query'], 'IT-9'],
    ['absent', { kind: 'absent' }, true, ['query', 'submit'], 'IT-9'],
    ['absent, and someone else sends it', { kind: 'absent' }, false, ['query'], ''],
    ['without an answer', { kind: 'unavailable', fault: 'bank' }, true, ['query'], ''],
  ] as const)('asks first: %s', async (_, status, granted, asked, queryNumber) => {
    const at = operator(status);
    const [change] = await resumed(at, granted);
    expect(at.asked).toEqual(asked);
    expect(change?.after.queryNumber).toBe(queryNumber);
  });

  it('leaves banks alone that have confirmed or whose analysis has ended', async () => {
    const at = operator({ kind: 'absent' });
    const ports = { operator: at, analyses: holding(true), clock: () => NOW };
    const done = [makeAnalysis(), makeAnalysis({ situation: 'erro', queryNumber: '' })];
    expect(await submitToBanks(done, FORM, true, eventOf, ports)).toEqual(
      done.map((one) => ({ before: one, after: one, delivery: undefined })),
    );
    expect(at.asked).toEqual([]);
  });
});

describe('a poll of one analysis', () => {
  const ask = (analysis: Analysis, at: OperatorApi, { form = FORM as AnalysisForm, granted = true } = {}) =>
    pollAnalysis(analysis, {
      operator: at,
      analyses: holding(granted),
      form: async () => form ?? undefined,
      read: readStatus,
      event: eventOf,
      clock: () => NOW,
      signal: new AbortController().signal,
    });

  it('leaves a bank submission to the request that is making it', async () => {
    const at = operator(KNOWN);
    expect(await ask(unconfirmed(SUBMIT_LEASE - 1), at)).toEqual({ kind: 'no_news', unknownStatus: false });
    expect(at.asked).toEqual([]);
  });

  it('without news writes nothing', async () => {
    const same: OperatorStatus = { kind: 'known', queryNumber: 'IT-1', rawStatus: 'Em análise' };
    expect(await ask(makeAnalysis(), operator(same))).toEqual({ kind: 'no_news', unknownStatus: false });
  });

  it('counts a text that no rule reads, each time, and guesses nothing', async () => {
    const odd: OperatorStatus = { kind: 'known', queryNumber: 'IT-1', rawStatus: 'Situação 17-B' };
    expect(await ask(makeAnalysis(), operator(odd))).toMatchObject({ kind: 'note', unknownStatus: true });
    expect(await ask(makeAnalysis({ rawStatus: 'Situação 17-B' }), operator(odd))).toEqual({
      kind: 'no_news',
      unknownStatus: true,
    });
  });

  it('never sends again what has a number, whatever the operator has forgotten', async () => {
    const at = operator({ kind: 'absent' });
    expect(await ask(makeAnalysis(), at)).toEqual({ kind: 'unavailable', fault: 'analysis' });
    expect(at.asked).toEqual(['query']);
  });

  it('says why in words of ours where it sends the analysis and is refused, and in the bank’s where it fails later', async () => {
    const reasonAt = async (analysis: Analysis, at: OperatorApi) => {
      const result = await ask(analysis, at);
      return result.kind === 'change' && JSON.parse(result.change.delivery!.body).data.motivo;
    };
    const refused: BankSubmission = { kind: 'refused', rawStatus: 'Falha no envio', reason: 'other' };
    expect(await reasonAt(unconfirmed(SUBMIT_LEASE), operator({ kind: 'absent' }, refused))).toBe(
      'O operador recusou o envio desta solicitação ao banco.',
    );
    const failed: OperatorStatus = { kind: 'known', queryNumber: 'IT-1', rawStatus: 'ERRO no processamento' };
    expect(await reasonAt(makeAnalysis(), operator(failed))).toBe('ERRO no processamento');
  });

  it('has no news of what is withdrawn or sent too late but its end, and is told of a fault as it lies', async () => {
    const lost = unconfirmed(SUBMIT_LEASE);
    const withdrawn = await ask(lost, operator({ kind: 'absent' }, { kind: 'withdrawn' }));
    expect(withdrawn).toMatchObject({ kind: 'change', change: { before: lost, after: { situation: 'cancelado' } } });
    const outcome = (result: BankSubmission) => ask(lost, operator({ kind: 'absent' }, result));
    expect(await outcome({ kind: 'unknown' })).toEqual({ kind: 'unavailable', fault: 'bank', sent: true });
    expect(await outcome({ kind: 'unknown', fault: 'analysis' })).toEqual({
      kind: 'unavailable',
      fault: 'analysis',
      sent: true,
    });
    expect(await outcome(ACCEPTED)).toEqual({
      kind: 'note',
      queryNumber: 'IT-9',
      rawStatus: 'Em análise',
      unknownStatus: false,
    });
    for (const fault of ['bank', 'analysis'] as const)
      expect(await ask(lost, operator({ kind: 'unavailable', fault }))).toEqual({ kind: 'unavailable', fault });
  });

  it('reads what has no number once its request has had its time, and what has one at once', async () => {
    expect(await ask(unconfirmed(SUBMIT_LEASE), operator(KNOWN))).toMatchObject({ kind: 'note', queryNumber: 'IT-9' });
    expect(await ask(makeAnalysis({ createdAt: NOW }), operator(KNOWN))).toMatchObject({ kind: 'note' });
  });

  it('has no news of what has ended meanwhile, whatever the operator says', async () => {
    const approved: OperatorStatus = { kind: 'known', queryNumber: 'IT-1', rawStatus: 'Aprovado' };
    const ended = makeAnalysis({ situation: 'recusado' });
    expect(await ask(ended, operator(approved))).toEqual({ kind: 'no_news', unknownStatus: false });
    const change = await ask(makeAnalysis(), operator(approved));
    expect(change).toMatchObject({
      kind: 'change',
      change: { after: { situation: 'aprovado' }, delivery: { createdAt: NOW } },
    });
  });

  it('sends what the operator never received, unless someone else does or the form is gone', async () => {
    const lost = unconfirmed(SUBMIT_LEASE);
    expect(await ask(lost, operator({ kind: 'absent' }))).toMatchObject({ kind: 'note', queryNumber: 'IT-9' });
    expect(await ask(lost, operator({ kind: 'absent' }), { granted: false })).toMatchObject({ kind: 'no_news' });
    const at = operator({ kind: 'absent' });
    expect(await ask(lost, at, { form: null as never })).toMatchObject({ kind: 'no_news' });
    expect(at.asked).toEqual(['query']);
  });
});

describe('after 30 days', () => {
  it('an analysis is given up, with its event, and not a millisecond before', () => {
    const old = (age: number) => expired(makeAnalysis({ createdAt: NOW - age }), eventOf, NOW);
    expect(old(PENDING_LIMIT)).toBeUndefined();
    const change = old(PENDING_LIMIT + 1);
    expect(change?.after).toMatchObject({ situation: 'cancelado', queryNumber: 'IT-1', sequence: 1 });
    expect(change?.delivery?.type).toBe('analise.resultado');
    expect(expired(makeAnalysis({ createdAt: 0, situation: 'erro' }), eventOf, NOW)).toBeUndefined();
  });
});
