import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Analysis, SITUATIONS } from '#shared/domain/analyses/analysis.ts';
import type { PollResult } from '#shared/domain/analyses/poll-analysis.ts';
import type { AnalysisChange, Delivery } from '#shared/domain/analyses/ports.ts';
import { type PushedOutcome, type RecordDeps, recordOutcomes } from '#shared/domain/analyses/record-outcomes.ts';
import type { AnalysisId } from '#shared/domain/values/ids.ts';
import { readStatus } from '#shared/operator/statuses.ts';
import { makeAnalysis } from '#test/makers/analysis.ts';
import { makeDelivery } from '#test/makers/delivery.ts';

const delivery = makeDelivery();
let rows: Map<AnalysisId, Analysis>;
let notified: Delivery[];
let concluded: [AnalysisChange, boolean][];
let asked: [Analysis, PollResult][];
let errors: unknown[];
beforeEach(() => {
  rows = new Map();
  [notified, concluded, asked, errors] = [[], [], [], []];
});

const keep = (overrides: Partial<Analysis> = {}): Analysis => {
  const row = makeAnalysis(overrides);
  rows.set(row.id, row);
  return row;
};
const told = (of: Analysis, overrides: Partial<PushedOutcome> = {}): PushedOutcome => ({ ...of, ...overrides });

/** Records over rows in memory; a write is refused where the row has moved on since it was read. */
function record(outcomes: readonly (PushedOutcome | undefined)[], over: Partial<RecordDeps['analyses']> = {}) {
  const write = (before: Analysis, after: Partial<Analysis>) => {
    if (rows.get(before.id) !== before) return false;
    rows.set(before.id, { ...before, ...after });
    return true;
  };
  return recordOutcomes(outcomes, {
    analyses: {
      get: async ({ unitId }, id) => (rows.get(id)?.unitId === unitId ? rows.get(id) : undefined),
      note: async (analysis, queryNumber, rawStatus) => write(analysis, { queryNumber, rawStatus }),
      conclude: async ({ before, after }) => write(before, after),
      markUnanswerable: async (analysis, since) => void write(analysis, { unanswerableSince: since }),
      ...over,
    },
    read: readStatus,
    withoutNames: async (_, said) => said.replace('Marina', '***'),
    event: () => delivery,
    clock: () => makeAnalysis().createdAt + 60_000,
    notify: async (booked) => void notified.push(...booked),
    observer: { asked: (...said) => asked.push(said), concluded: (...said) => concluded.push(said) },
    failed: (error) => errors.push(error),
  });
}
const refused = (reason: string) => ({ kind: 'refused', reason });
const FINAL = refused('final');

describe('an outcome that the operator tells', () => {
  it('is kept and read without the names of its analysis', async () => {
    const row = keep();
    await record([told(row, { rawStatus: 'Aprovado: Marina' })]);
    expect(rows.get(row.id)).toMatchObject({ situation: 'aprovado', rawStatus: 'Aprovado: ***' });
    const known = keep({ rawStatus: 'Em análise: ***' });
    expect(await record([told(known, { rawStatus: 'Em análise: Marina' })])).toEqual([{ kind: 'known' }]);
  });

  it('ends a pending analysis with its event, of which the queue hears, and is known from then on', async () => {
    const row = keep();
    expect(await record([told(row, { rawStatus: 'Aprovado' })])).toEqual([{ kind: 'recorded' }]);
    expect(rows.get(row.id)).toMatchObject({ situation: 'aprovado', rawStatus: 'Aprovado', sequence: 1 });
    expect(notified).toEqual([delivery]);
    expect(concluded.map(([{ after }, booked]) => [after.situation, booked])).toEqual([['aprovado', true]]);
    expect(asked).toMatchObject([[row, { kind: 'change' }]]);
    expect(await record([told(row, { rawStatus: 'Aprovado' })])).toEqual([{ kind: 'known' }]);
    expect(notified).toHaveLength(1);
    expect(concluded).toHaveLength(1);
    expect(asked).toHaveLength(1);
  });

  it('that is another text of the same situation is noted, and the same text is known', async () => {
    const row = keep();
    expect(await record([told(row, { rawStatus: 'Em análise documental' })])).toEqual([{ kind: 'recorded' }]);
    expect(rows.get(row.id)).toMatchObject({ situation: 'em_analise', rawStatus: 'Em análise documental' });
    expect(await record([told(rows.get(row.id)!)])).toEqual([{ kind: 'known' }]);
    expect(notified).toEqual([]);
    expect(concluded).toEqual([]);
  });

  it('takes the mark off an analysis for which the operator had no answer', async () => {
    const row = keep({ unanswerableSince: 5 });
    expect(await record([told(row)])).toEqual([{ kind: 'known' }]);
    expect(rows.get(row.id)!.unanswerableSince).toBeUndefined();
  });

  it.each([
    ['other_bank', {}, { bank: 'inter' }],
    ['other_number', {}, { queryNumber: 'IT-2' }],
    ['not_submitted', { queryNumber: '' }, { queryNumber: '' }],
    ['unknown', {}, { id: 1 as AnalysisId }],
    ['unknown', {}, { unitId: 12 as Analysis['unitId'] }],
    ['unknown', { environment: 'sandbox' }, {}],
  ] as const)('is refused as %s where the row has %o and the operator says %o', async (reason, has, says) => {
    const row = keep(has);
    expect(await record([told({ ...row, rawStatus: 'Aprovado' }, says)])).toEqual([refused(reason)]);
    expect(rows.get(row.id)).toBe(row);
    expect(notified).toEqual([]);
    expect(concluded).toEqual([]);
    expect(asked).toEqual([]);
    expect(errors).toEqual([]);
  });

  it('takes no final situation back: the same is known, another is shown to people, a late text is not', async () => {
    const texts = { em_analise: 'Em análise', aprovado: 'Aprovado', recusado: 'Recusado' };
    // A number that never arrived here takes nothing from the bank's word.
    for (const situation of SITUATIONS.filter((one) => one !== 'em_analise'))
      for (const [says, rawStatus] of Object.entries(texts))
        for (const queryNumber of ['IT-1', '']) {
          concluded = [];
          const row = keep({ situation, queryNumber });
          const [outcome] = await record([told(row, { rawStatus, queryNumber: 'IT-1' })]);
          expect(outcome).toEqual(says === situation && queryNumber ? { kind: 'known' } : refused('final'));
          const isShown = says !== situation && says !== 'em_analise';
          expect(concluded).toEqual(isShown ? [[{ before: row, after: row, delivery: undefined }, false]] : []);
          expect(rows.get(row.id)).toBe(row);
        }
    expect(notified).toEqual([]);
    expect(asked).toEqual([]);
  });
});

describe('an outcome that meets another write', () => {
  /** Another write leaves the row so, just before ours. */
  const meeting = (row: Analysis, left: Partial<Analysis> | undefined): Partial<RecordDeps['analyses']> => ({
    conclude: async () => {
      if (left) rows.set(row.id, { ...row, ...left });
      else rows.delete(row.id);
      return false;
    },
  });

  it.each([
    ['known', { situation: 'aprovado' }, { kind: 'known' }],
    ['final', { situation: 'recusado' }, FINAL],
    ['to be said again while the analysis is pending', {}, refused('unavailable')],
    ['to be said again where the analysis is gone', undefined, refused('unavailable')],
  ] as const)('is %s', async (_, left, outcome) => {
    const row = keep();
    expect(await record([told(row, { rawStatus: 'Aprovado' })], meeting(row, left))).toEqual([outcome]);
    // Two that say the same do no harm; one that says otherwise is shown to people.
    expect(concluded.map(([, booked]) => booked)).toEqual(outcome === FINAL ? [false] : []);
    expect(notified).toEqual([]);
  });

  it('is to be said again where our own store fails, which keeps nothing else from being recorded', async () => {
    const [first, second] = [1, 2].map((id) => told(keep({ id: id as AnalysisId }), { rawStatus: 'Aprovado' }));
    const away = new Error('the table is away');
    const get = async (_: unknown, id: AnalysisId) => (id === first!.id ? Promise.reject(away) : rows.get(id));
    const records = await record([first, undefined, second], { get });
    expect(records).toEqual([refused('unavailable'), refused('unreadable'), { kind: 'recorded' }]);
    expect(errors).toEqual([away]);
  });
});

it('outcomes that are told together are taken in their order though the first look at an analysis is the slower', async () => {
  const row = keep();
  let looks = 0;
  const get = async () => {
    // The first look ends long after any other that begins beside it.
    if (++looks === 1) for (let turn = 0; turn < 20; turn++) await setImmediate();
    return rows.get(row.id);
  };
  const records = await record([told(row, { rawStatus: 'Em fila' }), told(row, { rawStatus: 'Aprovado' })], { get });
  expect(records).toEqual([{ kind: 'recorded' }, { kind: 'recorded' }]);
  expect(rows.get(row.id)).toMatchObject({ situation: 'aprovado', rawStatus: 'Aprovado' });
});
