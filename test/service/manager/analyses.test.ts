import { beforeAll, describe, expect, it } from 'vitest';
import type { Analysis } from '../../../shared/domain/analyses/analysis.ts';
import { type AnalysisId, drawId } from '../../../shared/domain/values/ids.ts';
import { putAnalysis } from '../../../shared/table/analysis-row.ts';
import { transact } from '../../../shared/table/client.ts';
import * as wiring from '../../../shared/wiring.ts';
import { makeAnalysis } from '../../makers/analysis.ts';
import { type MadePartner, makePartner, usePeers } from '../../makers/peers.ts';
import { useManager } from '../../makers/served-administration.ts';

const CREATED = Date.UTC(2026, 6, 1, 12);
/** Since when the operator cannot answer. */
const SINCE = Date.UTC(2026, 6, 2, 9, 30);

const manager = useManager(usePeers());
let made: MadePartner;
beforeAll(async () => {
  made = await makePartner();
});

let drawn = 0;
/** A pending analysis of the partner, `minutes` after the first. */
async function pending(minutes: number, changes: Partial<Analysis> = {}): Promise<Analysis> {
  const { partnerId, unitId } = made;
  const createdAt = CREATED + minutes * 60_000;
  const id = drawId<AnalysisId>(createdAt + ++drawn);
  const analysis = makeAnalysis({ id, partnerId, unitId, createdAt, ...changes });
  expect(await transact([putAnalysis(analysis)])).toBe('written');
  return analysis;
}

describe('analyses list --unanswerable', () => {
  it('shows those alone that the operator cannot answer for, oldest first, and since when; none that it answers for again', async () => {
    const analyses = wiring.analyses();
    const late = await pending(2, { bank: 'itau' });
    const early = await pending(1, { bank: 'inter', queryNumber: '' });
    const healthy = await pending(0);
    const again = await pending(3);
    for (const one of [late, early, again]) await analyses.markUnanswerable(one, SINCE);
    await analyses.markUnanswerable(again, undefined);

    const list = async (...args: string[]) =>
      (await manager(['analyses', 'list', '--partner', made.partnerId, ...args, '--json']))
        .json()
        .map(({ id }: Analysis) => id);
    expect(await list()).toEqual([healthy.id, early.id, late.id, again.id]);
    expect(await list('--unanswerable')).toEqual([early.id, late.id]);
    expect(await list('--unanswerable', '--bank', 'itau')).toEqual([late.id]);

    const { out } = await manager(['analyses', 'list', '--partner', made.partnerId, '--unanswerable']);
    const [head, ...lines] = out.trimEnd().split('\n');
    expect(head).toContain('UNANSWERABLE SINCE');
    expect(lines.map((line) => line.trim().split(/\s{2,}/))).toEqual([
      [early.id, made.unitId, 'producao', 'inter', '07-01 12:01', '-', '07-02 09:30'].map(String),
      [late.id, made.unitId, 'producao', 'itau', '07-01 12:02', 'IT-1', '07-02 09:30'].map(String),
    ]);
  });

  it('shows none that is decided', async () => {
    const analysis = await pending(4);
    await wiring.analyses().markUnanswerable(analysis, SINCE);
    const after = { ...analysis, situation: 'recusado', rawStatus: 'Reprovado', sequence: 1 } as const;
    expect(await wiring.analyses().conclude({ before: analysis, after, delivery: undefined })).toBe(true);
    const { out } = await manager(['analyses', 'list', '--partner', made.partnerId, '--unanswerable']);
    expect(out).not.toContain(String(analysis.id));
  });
});
