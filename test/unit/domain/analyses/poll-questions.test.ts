import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Analysis, PENDING_LIMIT } from '#shared/domain/analyses/analysis.ts';
import type { CallEnd } from '#shared/domain/analyses/circuit-breaker.ts';
import type { DueAnalysis } from '#shared/domain/analyses/due-reader.ts';
import { laneQuestions, type PollDeps } from '#shared/domain/analyses/poll-questions.ts';
import { pollPartition } from '#shared/domain/analyses/poll-schedule.ts';
import type { BatchStatus, OperatorApi, OperatorStatus } from '#shared/domain/analyses/ports.ts';
import type { AnalysisId } from '#shared/domain/values/ids.ts';
import type { Environment } from '#shared/domain/values/tenancy.ts';
import { makeAnalysis } from '#test/makers/analysis.ts';
import { PollWorld, SILENT } from '#test/makers/poll-world.ts';

const NOW = 1_780_000_900_000;
const DEAD: OperatorStatus = { kind: 'unavailable', fault: 'bank' };
const ODD: OperatorStatus = { kind: 'unavailable', fault: 'analysis' };
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

function due(overrides: Partial<Analysis> = {}): DueAnalysis {
  const analysis = makeAnalysis(overrides);
  world.add(analysis);
  return { analysis, place: 0, span: { partition: pollPartition(analysis), from: 0, to: NOW, dueAt: NOW } };
}
const many = (count: number) => Array.from({ length: count }, (_, at) => due({ id: (at + 1) as AnalysisId }));

/** The calls of a production lane whose operator gives these answers. Without `batch`, the operator has no batches. */
type Over = Partial<PollDeps['analyses']>;
function questions(status: OperatorStatus, batch?: BatchStatus, over: Over = {}, lastStart = NOW + 1) {
  const operatorOf = (environment: Environment): OperatorApi => ({
    openFor: () => undefined,
    submit: () => Promise.reject(new Error('all have been submitted')),
    query: async ({ id }) => {
      seen.push(`${environment} asked ${id}`);
      return status;
    },
    ...(batch && { queryBatch: async () => batch }),
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
  return laneQuestions('producao', { ...deps, timeout, analyses: { ...deps.analyses, ...over } }, observed, lastStart);
}

describe('ask', () => {
  const asked = 'producao asked 9001';
  const [END, MARK] = ['conclude 9001', 'unanswerable 9001'];
  const BOOKED = ['change 9001', 'aprovado true'];
  const MARKED = ['unavailable 9001', 'mark 9001'];
  const ENDED = ['no_news 9001', 'gave up 9001', 'cancelado true'];
  const OLD_ODD = { ...OLD, unanswerableSince: 7 };
  it.each<[string, OperatorStatus, Partial<Analysis>, CallEnd, string[], string[]]>([
    ['books the answer', APPROVED, {}, 'answered', [END], [asked, ...BOOKED]],
    ['without an answer writes nothing', DEAD, {}, 'failed', [], [asked, 'unavailable 9001']],
    ['whose answer does not fit marks the analysis', ODD, {}, 'neutral', [MARK], [asked, ...MARKED]],
    ['marks an analysis only once', ODD, { unanswerableSince: 7 }, 'neutral', [], [asked, 'unavailable 9001']],
    ['after 30 days ends an analysis that is still pending', SAME, OLD, 'answered', [END], [asked, ...ENDED]],
    ['after 30 days books the outcome that it finds', APPROVED, OLD_ODD, 'answered', [END], [asked, ...BOOKED]],
    ['after 30 days only marks the analysis if nobody answers', DEAD, OLD, 'failed', [MARK], [asked, ...MARKED]],
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
    const { isBatchable } = questions(SAME);
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
  it('askBatch is undefined if the operator has no batches', () => expect(questions(SAME).askBatch).toBeUndefined());

  const asked = () => seen.filter((one) => one.startsWith('producao'));

  it('a batch makes one call, and writes what the answer says about each analysis', async () => {
    expect(await questions(ODD, [SAME, APPROVED]).askBatch!(many(2))).toBe('answered');
    expect(world.writes).toEqual(['conclude 2']);
    expect(asked()).toEqual([]);
    expect(timeouts).toEqual([10_000]);
  });

  it.each<[string, OperatorStatus, string[], string[]]>([
    ['an outcome is booked', APPROVED, ['conclude 2', 'conclude 3'], ['change 2', 'change 3']],
    ['no news is not written', SAME, [], ['no_news 2', 'no_news 3']],
    ['no answer marks it', ODD, ['unanswerable 2', 'unanswerable 3'], ['unavailable 2', 'unavailable 3']],
  ])(
    'an analysis that a batch left out is asked about at once in a call of its own: %s',
    async (_, status, writes, found) => {
      // One entry of the answer does not fit, and one is missing.
      expect(await questions(status, [SAME, ODD]).askBatch!(many(3))).toBe('answered');
      expect(asked()).toEqual(['producao asked 2', 'producao asked 3']);
      expect(world.writes.sort()).toEqual(writes);
      expect(seen.filter((one) => found.includes(one)).sort()).toEqual(found);
    },
  );

  it.each<[string, OperatorStatus, number, number]>([
    ['up to twenty', SAME, NOW + 1, 20],
    ['none from lastStart on', SAME, NOW, 0],
    ['no more once the bank fails', DEAD, NOW + 1, 5],
  ])(
    'of the analyses that a batch left out, a run asks about %s, and marks the others',
    async (_, status, lastStart, alone) => {
      const { askBatch } = questions(status, Array<OperatorStatus>(30).fill(ODD), {}, lastStart);
      expect(await askBatch!(many(30))).toBe('answered');
      expect(asked()).toHaveLength(alone);
      expect(world.writes).toHaveLength(status === SAME ? 30 - alone : 30);
    },
  );

  it('a batch fails for all if the bank is away, and writes nothing if the operator does not support it', async () => {
    expect(await questions(SAME, 'unavailable').askBatch!(many(2))).toBe('failed');
    expect(seen).toEqual(['unavailable 1', 'unavailable 2']);
    expect(world.writes).toEqual([]);
    seen = [];
    expect(await questions(SAME, 'unsupported').askBatch!(many(2))).toBe('unsupported');
    expect(seen).toEqual([]);
    expect(world.writes).toEqual([]);
  });

  it('a batch writes all other changes if some cannot be written, and then throws the first error', async () => {
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
    const batch = Array<OperatorStatus>(25).fill(APPROVED);
    const asked = questions(SAME, batch, { conclude }).askBatch!(many(25));
    await expect(asked).rejects.toThrow('no row 3');
    expect(concluded).toHaveLength(22);
    expect(most).toBe(10);
  });
});
