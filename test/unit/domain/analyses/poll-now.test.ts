import { beforeEach, describe, expect, it } from 'vitest';
import { type Analysis, SUBMIT_LEASE } from '../../../../shared/domain/analyses/analysis.ts';
import { type PollOutcome, pollNow } from '../../../../shared/domain/analyses/poll-now.ts';
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
    get: async () => undefined,
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

const lost = { ...pending, queryNumber: '' };
const documents = known('Em análise documental');
const noted = ['note', pending.id, 'IT-1', 'Em análise documental'];
const ended = ['conclude', 'aprovado', delivery];
const submitted = ['submit', { unidade: pending.unitId, envio: pending.submissionId }];
const unavailable: OperatorStatus = { kind: 'unavailable', fault: 'bank' };
const unknown: BankSubmission = { kind: 'unknown', fault: 'bank' };

describe('an analysis that is asked about at once', () => {
  it.each<[string, Parameters<typeof ask>, PollOutcome, unknown[][], Delivery[]]>([
    ['ends with its event, of which the queue hears', [pending, known('Aprovado')], 'change', [ended], [delivery]],
    ['gets a note of another text', [pending, documents], 'note', [noted], []],
    ['gets nothing where there is no news', [pending, known('Em análise')], 'no_news', [], []],
    [
      'loses the mark of what the operator could not answer as soon as it does',
      [{ ...pending, unanswerableSince: 0 }, known('Em análise')],
      'no_news',
      [['mark', pending.id, undefined]],
      [],
    ],
    ['is overtaken where the poller ended it first', [pending, known('Aprovado'), false], 'overtaken', [ended], []],
    ['is overtaken where the poller noted it first', [pending, documents, false], 'overtaken', [noted], []],
    ['stays as it is where the operator has no answer', [pending, unavailable], 'unavailable', [], []],
    [
      'is sent with the form of its submission where the operator has never received it',
      [lost, { kind: 'absent' }],
      'note',
      [submitted, ['note', pending.id, 'IT-9', 'Em análise']],
      [],
    ],
    ['is in doubt where no answer came', [lost, { kind: 'absent' }, true, unknown], 'in_doubt', [submitted], []],
  ])('%s', async (_, how, outcome, written, heard) => {
    expect(await ask(...how)).toBe(outcome);
    expect([writes, notified]).toEqual([written, heard]);
  });
});
