import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Analysis, SITUATIONS } from '#shared/domain/analyses/analysis.ts';
import type { PollResult } from '#shared/domain/analyses/poll-analysis.ts';
import type { AnalysisChange, Delivery } from '#shared/domain/analyses/ports.ts';
import { type PushedOutcome, type RecordDeps, recordOutcomes } from '#shared/domain/analyses/record-outcomes.ts';
import type { AnalysisId } from '#shared/domain/values/ids.ts';
import { makeAnalysis } from '#test/makers/analysis.ts';
import { makeDelivery } from '#test/makers/delivery.ts';
import { NO_NOTIFIER } from '#test/makers/delivery-queue.ts';

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
const outcomeFor = (of: Analysis, overrides: Partial<PushedOutcome> = {}): PushedOutcome => ({ ...of, ...overrides });

/** Calls `recordOutcomes` over rows in memory. A write is refused if the row has changed since it was read. */
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
      conclude: async ({ before, after }) => (write(before, after) ? { events: [delivery] } : 'moved_on'),
      markUnanswerable: async (analysis, since) => void write(analysis, { unanswerableSince: since }),
      ...over,
    },
    names: {
      withoutNames: async (_, said) => said.replace('Marina', '***'),
      numberWithoutNames: async (_, number) => number.replace('MARINA', '***'),
    },
    notifier: { ...NO_NOTIFIER, booked: async (booked) => void notified.push(...booked) },
    observer: { asked: (...said) => asked.push(said), concluded: (...said) => concluded.push(said) },
    failed: (error) => errors.push(error),
  });
}
const refused = (reason: string) => ({ kind: 'refused', reason });
const FINAL = refused('final');

describe('recordOutcomes', () => {
  it('an outcome is stored and compared without the names of the people of its analysis', async () => {
    const row = keep();
    await record([outcomeFor(row, { rawStatus: 'Aprovado: Marina' })]);
    expect(rows.get(row.id)).toMatchObject({ situation: 'aprovado', rawStatus: 'Aprovado: ***' });
    const known = keep({ rawStatus: 'Em análise: ***' });
    expect(await record([outcomeFor(known, { rawStatus: 'Em análise: Marina' })])).toEqual([{ kind: 'known' }]);
  });

  it('a reported number with a name is compared without the name, and the number without the name is stored', async () => {
    const row = keep({ queryNumber: '***-7' });
    const told = outcomeFor(row, { queryNumber: 'MARINA-7', rawStatus: 'Aprovado' });
    expect(await record([told])).toEqual([{ kind: 'recorded' }]);
    expect(rows.get(row.id)).toMatchObject({ situation: 'aprovado', queryNumber: '***-7' });
    const other = outcomeFor(keep({ queryNumber: '***-7' }), { queryNumber: 'MARINA-8', rawStatus: 'Aprovado' });
    expect(await record([other])).toEqual([refused('other_number')]);
  });

  it('an outcome ends a pending analysis, passes its event to the queue, and is known from then on', async () => {
    const row = keep();
    expect(await record([outcomeFor(row, { rawStatus: 'Aprovado' })])).toEqual([{ kind: 'recorded' }]);
    expect(rows.get(row.id)).toMatchObject({ situation: 'aprovado', rawStatus: 'Aprovado', sequence: 1 });
    expect(notified).toEqual([delivery]);
    expect(concluded.map(([{ after }, booked]) => [after.situation, booked])).toEqual([['aprovado', true]]);
    expect(asked).toMatchObject([[row, { kind: 'change' }]]);
    expect(await record([outcomeFor(row, { rawStatus: 'Aprovado' })])).toEqual([{ kind: 'known' }]);
    expect(notified).toHaveLength(1);
    expect(concluded).toHaveLength(1);
    expect(asked).toHaveLength(1);
  });

  it('an outcome with a new text of the same situation is stored, and the same text is known', async () => {
    const row = keep();
    expect(await record([outcomeFor(row, { rawStatus: 'Em análise documental' })])).toEqual([{ kind: 'recorded' }]);
    expect(rows.get(row.id)).toMatchObject({ situation: 'em_analise', rawStatus: 'Em análise documental' });
    expect(await record([outcomeFor(rows.get(row.id)!)])).toEqual([{ kind: 'known' }]);
    expect(notified).toEqual([]);
    expect(concluded).toEqual([]);
  });

  it('an outcome removes the mark of an analysis that the operator could not answer', async () => {
    const row = keep({ unanswerableSince: 5 });
    expect(await record([outcomeFor(row)])).toEqual([{ kind: 'known' }]);
    expect(rows.get(row.id)!.unanswerableSince).toBeUndefined();
  });

  it.each([
    ['other_bank', {}, { bank: 'inter' }],
    ['other_number', {}, { queryNumber: 'IT-2' }],
    ['not_submitted', { queryNumber: '' }, { queryNumber: '' }],
    ['unknown', {}, { id: 1 as AnalysisId }],
    ['unknown', {}, { unitId: 12 as Analysis['unitId'] }],
    ['unknown', { environment: 'sandbox' }, {}],
  ] as const)('an outcome is refused as %s if the row has %o and the operator says %o', async (reason, has, says) => {
    const row = keep(has);
    expect(await record([outcomeFor({ ...row, rawStatus: 'Aprovado' }, says)])).toEqual([refused(reason)]);
    expect(rows.get(row.id)).toBe(row);
    expect(notified).toEqual([]);
    expect(concluded).toEqual([]);
    expect(asked).toEqual([]);
    expect(errors).toEqual([]);
  });

  it('an outcome changes no final situation: the same one is known, and another one is shown to people', async () => {
    const texts = { em_analise: 'Em análise', aprovado: 'Aprovado', recusado: 'Recusado' };
    // A different situation is shown even if the row never got its query number.
    for (const situation of SITUATIONS.filter((one) => one !== 'em_analise'))
      for (const [says, rawStatus] of Object.entries(texts))
        for (const queryNumber of ['IT-1', '']) {
          concluded = [];
          const row = keep({ situation, queryNumber });
          const [outcome] = await record([outcomeFor(row, { rawStatus, queryNumber: 'IT-1' })]);
          expect(outcome).toEqual(says === situation && queryNumber ? { kind: 'known' } : refused('final'));
          const isShown = says !== situation && says !== 'em_analise';
          expect(concluded).toEqual(isShown ? [[{ before: row, after: row }, false]] : []);
          expect(rows.get(row.id)).toBe(row);
        }
    expect(notified).toEqual([]);
    expect(asked).toEqual([]);
  });
});

describe('an outcome that meets another write', () => {
  /** Another write changes the row just before ours, or deletes it if `left` is undefined. */
  const meeting = (row: Analysis, left: Partial<Analysis> | undefined): Partial<RecordDeps['analyses']> => ({
    conclude: async () => {
      if (left) rows.set(row.id, { ...row, ...left });
      else rows.delete(row.id);
      return 'moved_on';
    },
  });

  it.each([
    ['known if the analysis ended with the same situation', { situation: 'aprovado' }, { kind: 'known' }],
    ['final if the analysis ended with another situation', { situation: 'recusado' }, FINAL],
    ['unavailable while the analysis is pending', {}, refused('unavailable')],
    ['unavailable if the analysis is gone', undefined, refused('unavailable')],
  ] as const)('an outcome that meets another write is %s', async (_, left, outcome) => {
    const row = keep();
    expect(await record([outcomeFor(row, { rawStatus: 'Aprovado' })], meeting(row, left))).toEqual([outcome]);
    // Two equal outcomes do no harm. A different one is shown to people.
    expect(concluded.map(([, booked]) => booked)).toEqual(outcome === FINAL ? [false] : []);
    expect(notified).toEqual([]);
  });

  it('an outcome is unavailable if our store fails, and the other outcomes are recorded', async () => {
    const [first, second] = [1, 2].map((id) => outcomeFor(keep({ id: id as AnalysisId }), { rawStatus: 'Aprovado' }));
    const away = new Error('the table is away');
    const get = async (_: unknown, id: AnalysisId) => (id === first!.id ? Promise.reject(away) : rows.get(id));
    const records = await record([first, undefined, second], { get });
    expect(records).toEqual([refused('unavailable'), refused('unreadable'), { kind: 'recorded' }]);
    expect(errors).toEqual([away]);
  });
});

it('outcomes of one analysis are recorded in their order even if the first read of the row is the slowest', async () => {
  const row = keep();
  let reads = 0;
  const get = async () => {
    // The first read ends long after any other read that begins meanwhile.
    if (++reads === 1) for (let turn = 0; turn < 20; turn++) await setImmediate();
    return rows.get(row.id);
  };
  const records = await record(
    [outcomeFor(row, { rawStatus: 'Em fila' }), outcomeFor(row, { rawStatus: 'Aprovado' })],
    { get },
  );
  expect(records).toEqual([{ kind: 'recorded' }, { kind: 'recorded' }]);
  expect(rows.get(row.id)).toMatchObject({ situation: 'aprovado', rawStatus: 'Aprovado' });
});
