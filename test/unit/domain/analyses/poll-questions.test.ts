import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Analysis } from '../../../../shared/domain/analyses/analysis.ts';
import type { CallEnd } from '../../../../shared/domain/analyses/circuit-breaker.ts';
import type { DueAnalysis } from '../../../../shared/domain/analyses/due-reader.ts';
import { laneQuestions, type PollDeps } from '../../../../shared/domain/analyses/poll-questions.ts';
import { pollPartition } from '../../../../shared/domain/analyses/poll-schedule.ts';
import type { BatchStatus, OperatorApi, OperatorStatus } from '../../../../shared/domain/analyses/ports.ts';
import type { AnalysisId } from '../../../../shared/domain/values/ids.ts';
import type { Environment } from '../../../../shared/domain/values/tenancy.ts';
import { makeAnalysis } from '../../../makers/analysis.ts';
import { PollWorld, SILENT } from '../../../makers/poll-world.ts';

const NOW = 1_780_000_900_000;
const DEAD: OperatorStatus = { kind: 'unavailable', fault: 'bank' };
const ODD: OperatorStatus = { kind: 'unavailable', fault: 'analysis' };
const APPROVED: OperatorStatus = { kind: 'known', queryNumber: 'IT-1', rawStatus: 'Aprovado' };
const SAME: OperatorStatus = { kind: 'known', queryNumber: 'IT-1', rawStatus: 'Em análise' };

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

/** The questions of production's lane where the operator answers so; without `batch` it answers one at a time alone. */
function questions(status: OperatorStatus, batch?: BatchStatus, over: Partial<PollDeps['analyses']> = {}) {
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
    concluded: ({ after }: { after: Analysis }, booked: boolean) => void seen.push(`${after.situation} ${booked}`),
  };
  const timeout = (milliseconds: number) => {
    timeouts.push(milliseconds);
    return new AbortController().signal;
  };
  return laneQuestions('producao', { ...deps, timeout, analyses: { ...deps.analyses, ...over } }, observed);
}

describe('a question about one analysis', () => {
  const asked = 'producao asked 9001';
  it.each<[string, OperatorStatus, Partial<Analysis>, CallEnd, string[], string[]]>([
    ['books the answer', APPROVED, {}, 'answered', ['conclude 9001'], [asked, 'change 9001', 'aprovado true']],
    ['without an answer writes nothing', DEAD, {}, 'failed', [], [asked, 'unavailable 9001']],
    [
      'whose answer does not fit it marks it',
      ODD,
      {},
      'neutral',
      ['unanswerable 9001'],
      [asked, 'unavailable 9001', 'mark 9001'],
    ],
    ['marks it once', ODD, { unanswerableSince: 7 }, 'neutral', [], [asked, 'unavailable 9001']],
  ])('%s, and says what it tells of the bank', async (_, status, overrides, end, writes, observed) => {
    expect(await questions(status).ask(due(overrides))).toBe(end);
    expect([world.writes, seen, timeouts]).toEqual([writes, observed, [10_000]]);
  });

  it('is asked with others only where its bank has confirmed it', () => {
    const { isBatchable } = questions(SAME);
    expect([isBatchable(due()), isBatchable(due({ queryNumber: '' }))]).toEqual([true, false]);
  });
});

describe('a question about several', () => {
  it('is none where the operator answers none', () => {
    expect(questions(SAME).askBatch).toBeUndefined();
  });

  it('books what is said of each, in one call', async () => {
    const batch = [SAME, APPROVED, ODD];
    expect(await questions(SAME, batch).askBatch!(many(3))).toBe('answered');
    expect(world.writes.sort()).toEqual(['conclude 2', 'unanswerable 3']);
    expect(seen.filter((one) => one.startsWith('producao'))).toEqual([]);
    expect(timeouts).toEqual([10_000]);
  });

  it('takes what it was not told of for unanswered by the bank', async () => {
    expect(await questions(SAME, [SAME]).askBatch!(many(2))).toBe('answered');
    expect(seen.sort()).toEqual(['no_news 1', 'unavailable 2']);
    expect(world.writes).toEqual([]);
  });

  it('fails for all where the bank is away, and is given back untouched where it is not supported', async () => {
    expect(await questions(SAME, 'unavailable').askBatch!(many(2))).toBe('failed');
    expect([seen, world.writes]).toEqual([['unavailable 1', 'unavailable 2'], []]);
    seen = [];
    expect(await questions(SAME, 'unsupported').askBatch!(many(2))).toBe('unsupported');
    expect([seen, world.writes]).toEqual([[], []]);
  });

  it('books all others where one cannot be written, and throws the first of the errors then', async () => {
    let [running, most] = [0, 0];
    const concluded: number[] = [];
    const conclude: PollDeps['analyses']['conclude'] = async ({ before: { id } }) => {
      most = Math.max(most, ++running);
      await setImmediate();
      running -= 1;
      if (id % 10 === 3) throw new Error(`no row ${id}`);
      concluded.push(id);
      return true;
    };
    const batch = Array<OperatorStatus>(25).fill(APPROVED);
    const asked = questions(SAME, batch, { conclude }).askBatch!(many(25));
    await expect(asked).rejects.toThrow('no row 3');
    expect(concluded).toHaveLength(22);
    expect(most).toBe(10);
  });
});
