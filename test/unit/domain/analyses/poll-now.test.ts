import { beforeEach, expect, it } from 'vitest';
import { type Analysis, SUBMIT_LEASE } from '#shared/domain/analyses/analysis.ts';
import { pollNow } from '#shared/domain/analyses/book-answer.ts';
import type { Analyses, Delivery, OperatorStatus } from '#shared/domain/analyses/ports.ts';
import { makeAnalysis } from '#test/makers/analysis.ts';
import { makeDelivery } from '#test/makers/delivery.ts';
import { NO_NOTIFIER } from '#test/makers/delivery-queue.ts';

const NOW = 1_780_000_000_000;
const delivery = makeDelivery();
let writes: unknown[][];
let notified: Delivery[];
let observed: unknown[];
beforeEach(() => {
  [writes, notified, observed] = [[], [], []];
});

/** Calls `pollNow` about an analysis. `wins` says whether our write comes before any other. */
function ask(analysis: Analysis, status: OperatorStatus, wins = true) {
  const write = async (...entry: unknown[]) => {
    writes.push(entry);
    return wins;
  };
  const analyses: Partial<Analyses> = {
    get: async () => (wins ? undefined : { ...analysis, situation: 'recusado' }),
    note: (of, queryNumber, rawStatus) => write('note', of.id, queryNumber, rawStatus),
    conclude: async ({ after }) => ((await write('conclude', after.situation)) ? { events: [delivery] } : 'moved_on'),
    markUnanswerable: async (of, since) => void (await write('mark', of.id, since)),
  };
  return pollNow(analysis, {
    operator: {
      openFor: () => undefined,
      query: async () => status,
      submit: () => Promise.reject(new Error('the poller alone sends')),
    },
    analyses: analyses as Analyses,
    clock: () => NOW,
    observer: { concluded: ({ after }, booked) => void observed.push([after.situation, booked]) },
    notifier: { ...NO_NOTIFIER, booked: async (booked) => void notified.push(...booked) },
    signal: new AbortController().signal,
  });
}
const pending = makeAnalysis({ createdAt: NOW - SUBMIT_LEASE });
const known = (rawStatus: string): OperatorStatus => ({ kind: 'known', queryNumber: 'IT-1', rawStatus });

const withoutNumber = { ...pending, queryNumber: '' };
const documents = known('Em análise documental');
const noted = ['note', pending.id, 'IT-1', 'Em análise documental'];
const ended = ['conclude', 'aprovado'];
const marked = { ...pending, unanswerableSince: 0 };
const unmarked = ['mark', pending.id, undefined];
const failed: OperatorStatus = { kind: 'failed' };

it.each<[string, Parameters<typeof ask>, Awaited<ReturnType<typeof pollNow>>, unknown[][], Delivery[]]>([
  ['ends, and its event goes to the queue', [pending, known('Aprovado')], 'change', [ended], [delivery]],
  ['stores a new text of the bank', [pending, documents], 'note', [noted], []],
  ['is not written if there is no news', [pending, known('Em análise')], 'no_news', [], []],
  ['loses its mark when the operator answers again', [marked, known('Em análise')], 'no_news', [unmarked], []],
  ['is overtaken if the poller ended it first', [pending, known('Aprovado'), false], 'overtaken', [ended], []],
  [
    'is overtaken if the poller ended it before a new text is stored',
    [pending, documents, false],
    'overtaken',
    [noted],
    [],
  ],
  ['stays unchanged if the operator has no answer', [pending, failed], 'failed', [], []],
  [
    'is left to the poller if the operator has never received it',
    [withoutNumber, { kind: 'absent' }],
    'no_news',
    [],
    [],
  ],
])('an analysis that pollNow asks about %s', async (_, call, outcome, written, queued) => {
  expect(await ask(...call)).toBe(outcome);
  expect(writes).toEqual(written);
  expect(notified).toEqual(queued);
  // The observer gets an outcome that came too late, too.
  expect(observed).toEqual(written.flatMap(([what, to]) => (what === 'conclude' ? [[to, outcome === 'change']] : [])));
});
