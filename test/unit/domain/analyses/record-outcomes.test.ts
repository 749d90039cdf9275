import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Analysis } from '../../../../shared/domain/analyses/analysis.ts';
import { recordOutcomes } from '../../../../shared/domain/analyses/record-outcomes.ts';
import { readStatus } from '../../../../shared/operator/statuses.ts';
import { makeAnalysis } from '../../../makers/analysis.ts';
import { makeDelivery } from '../../../makers/delivery.ts';

it('takes what is told of one analysis in its order, though the first look at it is the slower', async () => {
  let row: Analysis = makeAnalysis();
  let looks = 0;
  const analyses = {
    get: async () => {
      // The first look ends long after any other that begins beside it.
      if (++looks === 1) for (let turn = 0; turn < 20; turn++) await setImmediate();
      return row;
    },
    note: async (_: Analysis, queryNumber: string, rawStatus: string) => {
      row = { ...row, queryNumber, rawStatus };
      return true;
    },
    conclude: async ({ after }: { after: Analysis }) => {
      row = after;
      return true;
    },
    markUnanswerable: async () => undefined,
  };
  const say = (rawStatus: string) => ({ ...row, queryNumber: 'IT-1', rawStatus });
  const records = await recordOutcomes([say('Em análise documental'), say('Aprovado')], {
    analyses: analyses as never,
    read: readStatus,
    event: () => makeDelivery(),
    clock: () => row.createdAt + 60_000,
    notify: async () => undefined,
    observer: { asked: () => undefined, concluded: () => undefined },
    failed: (error) => {
      throw error;
    },
  });
  expect(records).toEqual([{ kind: 'recorded' }, { kind: 'recorded' }]);
  expect(row).toMatchObject({ situation: 'aprovado', rawStatus: 'Aprovado' });
});
