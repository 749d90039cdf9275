import { beforeEach, describe, expect, it } from 'vitest';
import { type Analysis, SUBMIT_LEASE } from '../../../../shared/domain/analyses/analysis.ts';
import { pollNow } from '../../../../shared/domain/analyses/poll-now.ts';
import type { Analyses, BankSubmission, Delivery, OperatorStatus } from '../../../../shared/domain/analyses/ports.ts';
import { readStatus } from '../../../../shared/operator/statuses.ts';
import { makeAnalysis } from '../../../makers/analysis.ts';
import { makeDelivery } from '../../../makers/delivery.ts';

const NOW = 1_780_000_000_000;
const ACCEPTED: BankSubmission = { kind: 'accepted', queryNumber: 'IT-9', rawStatus: 'Em análise' };
const delivery = makeDelivery();
let writes: unknown[][];
let notified: Delivery[];
beforeEach(() => {
  [writes, notified] = [[], []];
});

/** Asks about an analysis at once; `wins` says whether our write comes before any other. */
function ask(analysis: Analysis, status: OperatorStatus, wins = true, sent: BankSubmission = ACCEPTED) {
  const write = async (...made: unknown[]) => {
    writes.push(made);
    return wins;
  };
  const analyses: Partial<Analyses> = {
    acquireSubmitLease: async () => true,
    isToBeErased: async () => false,
    form: async ({ unitId }, submissionId) => ({ unidade: unitId, envio: submissionId }),
    note: (of, queryNumber, rawStatus) => write('note', of.id, queryNumber, rawStatus),
    conclude: ({ after, delivery: event }) => write('conclude', after.situation, event),
    markUnanswerable: async (of, since) => void (await write('mark', of.id, since)),
  };
  return pollNow(analysis, {
    operator: {
      openFor: () => undefined,
      query: async () => status,
      submit: async (_analysis, form) => {
        writes.push(['submit', form]);
        return sent;
      },
    },
    analyses: analyses as Analyses,
    read: readStatus,
    event: () => delivery,
    clock: () => NOW,
    notify: async (booked) => void notified.push(...booked),
    signal: new AbortController().signal,
  });
}
const pending = makeAnalysis({ createdAt: NOW - SUBMIT_LEASE });
const known = (rawStatus: string): OperatorStatus => ({ kind: 'known', queryNumber: 'IT-1', rawStatus });

describe('an analysis that is asked about at once', () => {
  it('ends with its event where its bank has decided, and the queue hears of it', async () => {
    expect(await ask(pending, known('Aprovado'))).toBe('change');
    expect([writes, notified]).toEqual([[['conclude', 'aprovado', delivery]], [delivery]]);
  });

  it('gets a note of another text, and nothing where there is no news', async () => {
    expect(await ask(pending, known('Em análise documental'))).toBe('note');
    expect(writes).toEqual([['note', pending.id, 'IT-1', 'Em análise documental']]);
    writes = [];
    expect(await ask(pending, known('Em análise'))).toBe('no_news');
    expect([writes, notified]).toEqual([[], []]);
  });

  it('loses the mark of what the operator could not answer as soon as it does', async () => {
    expect(await ask({ ...pending, unanswerableSince: 0 }, known('Em análise'))).toBe('no_news');
    expect(writes).toEqual([['mark', pending.id, undefined]]);
  });

  it('is overtaken where the poller wrote first: the queue hears nothing from us', async () => {
    expect(await ask(pending, known('Aprovado'), false)).toBe('overtaken');
    expect(await ask(pending, known('Em análise documental'), false)).toBe('overtaken');
    expect(notified).toEqual([]);
  });

  it('stays as it is where the operator has no answer', async () => {
    expect(await ask(pending, { kind: 'unavailable', fault: 'bank' })).toBe('unavailable');
    expect(writes).toEqual([]);
  });

  it('is sent with the form of its submission where the operator has never received it', async () => {
    const { unitId, submissionId } = pending;
    expect(await ask({ ...pending, queryNumber: '' }, { kind: 'absent' })).toBe('note');
    expect(writes).toEqual([
      ['submit', { unidade: unitId, envio: submissionId }],
      ['note', pending.id, 'IT-9', 'Em análise'],
    ]);
  });

  it('is in doubt where it was sent and no answer came', async () => {
    const lost = { ...pending, queryNumber: '' };
    expect(await ask(lost, { kind: 'absent' }, true, { kind: 'unknown', fault: 'bank' })).toBe('in_doubt');
    expect(await ask(lost, { kind: 'unavailable', fault: 'bank' })).toBe('unavailable');
  });
});
