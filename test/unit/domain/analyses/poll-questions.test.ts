import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Analysis, PENDING_LIMIT } from '#shared/domain/analyses/analysis.ts';
import type { Due } from '#shared/domain/analyses/poll-lane.ts';
import { laneQuestions, type PollDeps } from '#shared/domain/analyses/poll-questions.ts';
import { pollPartition } from '#shared/domain/analyses/poll-schedule.ts';
import type { NoUsableAnswer, OperatorApi, OperatorStatus, QuestionEnd } from '#shared/domain/analyses/ports.ts';
import type { AnalysisId } from '#shared/domain/values/ids.ts';
import type { Environment } from '#shared/domain/values/tenancy.ts';
import { makeAnalysis } from '#test/makers/analysis.ts';
import { PollWorld, SILENT } from '#test/makers/poll-world.ts';

const NOW = 1_780_000_900_000;
const DEAD: OperatorStatus = { kind: 'failed' };
const ODD: OperatorStatus = { kind: 'unanswerable' };
const APPROVED: OperatorStatus = { kind: 'known', queryNumber: 'IT-1', rawStatus: 'Aprovado' };
const SAME: OperatorStatus = { kind: 'known', queryNumber: 'IT-1', rawStatus: 'Em análise' };
const OLD: Partial<Analysis> = { createdAt: NOW - PENDING_LIMIT - 1 };

let world: PollWorld;
let seen: string[];
let timeouts: number[];
beforeEach(() => {
  world = new PollWorld();
  [seen, timeouts] = [[], []];
});

function due(overrides: Partial<Analysis> = {}): Due {
  const analysis = makeAnalysis(overrides);
  world.add(analysis);
  return { analysis, span: { partition: pollPartition(analysis), from: 0, to: NOW, since: 0, through: 1 } };
}
const many = (count: number) => Array.from({ length: count }, (_, at) => due({ id: (at + 1) as AnalysisId }));

/** The calls of a production lane whose operator gives these answers. Without `batches`, the operator has none. */
type Over = Partial<PollDeps['analyses']>;
type Batch = readonly OperatorStatus[] | NoUsableAnswer;
function questions(status: OperatorStatus, batches?: readonly Batch[], over: Over = {}) {
  const answers = [...(batches ?? [])];
  const operatorOf = (environment: Environment): OperatorApi => ({
    openFor: () => undefined,
    submit: () => Promise.reject(new Error('all have been submitted')),
    query: async ({ id }) => {
      seen.push(`${environment} asked ${id}`);
      return status;
    },
    ...(batches && { queryBatch: async () => answers.shift() ?? [] }),
  });
  const deps = world.deps(() => NOW, operatorOf);
  const observed = {
    ...SILENT,
    asked: ({ id }: Analysis, { kind }: { kind: string }) => void seen.push(`${kind} ${id}`),
    becameUnanswerable: ({ id }: Analysis) => void seen.push(`mark ${id}`),
    gaveUp: ({ id }: Analysis) => void seen.push(`gave up ${id}`),
    concluded: ({ after }: { after: Analysis }, booked: boolean) => void seen.push(`${after.situation} ${booked}`),
  };
  const timeout = (milliseconds: number) => {
    timeouts.push(milliseconds);
    return new AbortController().signal;
  };
  return laneQuestions('producao', { ...deps, timeout, analyses: { ...deps.analyses, ...over } }, observed);
}

describe('ask', () => {
  const asked = 'producao asked 9001';
  const [END, MARK] = ['conclude 9001', 'unanswerable 9001'];
  const BOOKED = ['change 9001', 'aprovado true'];
  const MARKED = ['unanswerable 9001', 'mark 9001'];
  const ENDED = ['no_news 9001', 'gave up 9001', 'cancelado true'];
  const OLD_ODD = { ...OLD, unanswerableSince: 7 };
  it.each<[string, OperatorStatus, Partial<Analysis>, QuestionEnd, string[], string[]]>([
    ['books the answer', APPROVED, {}, 'answered', [END], [asked, ...BOOKED]],
    ['without an answer writes nothing', DEAD, {}, 'failed', [], [asked, 'failed 9001']],
    ['whose answer does not fit marks the analysis', ODD, {}, 'unanswerable', [MARK], [asked, ...MARKED]],
    ['marks an analysis only once', ODD, { unanswerableSince: 7 }, 'unanswerable', [], [asked, 'unanswerable 9001']],
    ['after 30 days ends an analysis that is still pending', SAME, OLD, 'answered', [END], [asked, ...ENDED]],
    ['after 30 days books the outcome that it finds', APPROVED, OLD_ODD, 'answered', [END], [asked, ...BOOKED]],
    [
      'after 30 days only marks the analysis if nobody answers',
      DEAD,
      OLD,
      'failed',
      [MARK],
      [asked, 'failed 9001', 'mark 9001'],
    ],
  ])(
    'a question %s, and returns what that says about the bank',
    async (_, status, overrides, end, writes, observed) => {
      expect(await questions(status).ask(due(overrides))).toBe(end);
      expect(world.writes).toEqual(writes);
      expect(seen).toEqual(observed);
      expect(timeouts).toEqual([10_000]);
    },
  );

  it('an analysis is in a batch only if it has a number, is not marked, and is not overdue', () => {
    const { isBatchable } = questions(SAME, []);
    expect(isBatchable(due())).toBe(true);
    for (const overrides of [{ queryNumber: '' }, { unanswerableSince: 7 }, OLD])
      expect(isBatchable(due(overrides)), JSON.stringify(overrides)).toBe(false);
  });

  it('an analysis that ends after 30 days keeps the number and the text that the bank gave last', async () => {
    await questions({ kind: 'known', queryNumber: 'IT-2', rawStatus: 'Na mesa de crédito' }).ask(due(OLD));
    const said = { situation: 'cancelado', queryNumber: 'IT-2', rawStatus: 'Na mesa de crédito', sequence: 1 };
    expect(world.concluded).toMatchObject([said]);
  });
});

describe('askBatch', () => {
  const unexpected = (error: unknown) => expect.fail(String(error));
  const idsOf = (of: readonly Due[]) => of.map(({ analysis }) => analysis.id);

  it('no analysis is in a batch if the operator has no batches', () => {
    expect(questions(SAME).isBatchable(due())).toBe(false);
  });

  it('a batch makes one call, and writes what the answer says about each analysis', async () => {
    const { askBatch, counts } = questions(ODD, [[SAME, APPROVED]]);
    expect(await askBatch(many(2), unexpected)).toEqual({ end: 'answered', again: [] });
    expect(world.writes).toEqual(['conclude 2']);
    expect(seen).toEqual(['no_news 1', 'change 2', 'aprovado true']);
    expect(timeouts).toEqual([10_000]);
    expect(counts).toEqual({ answered: 2, failed: 0, unanswerable: 0 });
  });

  it('an analysis that a batch left out is asked about again, without a mark', async () => {
    // One entry of the answer does not fit, and one is missing.
    const { again } = await questions(SAME, [[SAME, ODD]]).askBatch(many(3), unexpected);
    expect(idsOf(again)).toEqual([2, 3]);
    expect(world.writes).toEqual([]);
    expect(seen).toEqual(['no_news 1']);
  });

  it('of the analyses that batches left out, a run asks about twenty again, and marks the others', async () => {
    const { askBatch } = questions(SAME, []);
    expect((await askBatch(many(15), unexpected)).again).toHaveLength(15);
    expect((await askBatch(many(15), unexpected)).again).toHaveLength(5);
    expect(world.writes).toHaveLength(10);
  });

  it.each([
    ['fails', 'failed', false],
    ['fails after another one was answered', 'failed', true],
    ['is not supported', 'unanswerable', false],
  ] as const)(
    'a batch that %s counts and writes nothing, and each analysis is asked about alone',
    async (_, end, worked) => {
      const { askBatch, counts, isBatchable } = questions(SAME, worked ? [[SAME], end] : [end]);
      if (worked) await askBatch(many(1), unexpected);
      seen = [];
      const batch = many(2);
      expect(await askBatch(batch, unexpected)).toEqual({ end, again: batch });
      expect(isBatchable(due())).toBe(worked);
      expect(counts).toEqual({ answered: worked ? 1 : 0, failed: 0, unanswerable: 0 });
      expect(seen).toEqual([]);
      expect(world.writes).toEqual([]);
    },
  );

  it('a batch writes all other changes if some cannot be written, and reports each error', async () => {
    let [running, most] = [0, 0];
    const concluded: number[] = [];
    const conclude: PollDeps['analyses']['conclude'] = async ({ before: { id } }) => {
      most = Math.max(most, ++running);
      await setImmediate();
      running -= 1;
      if (id % 10 === 3) throw new Error(`no row ${id}`);
      concluded.push(id);
      return { events: [] };
    };
    const errors: unknown[] = [];
    const batch = [...Array<OperatorStatus>(25).fill(APPROVED), ODD];
    const { askBatch } = questions(APPROVED, [batch], { conclude });
    const { again } = await askBatch(many(26), (error) => errors.push(error));
    expect(idsOf(again)).toEqual([26]);
    expect(errors.map(String)).toEqual(['Error: no row 3', 'Error: no row 13', 'Error: no row 23']);
    expect(concluded).toHaveLength(22);
    expect(most).toBe(10);
  });
});
