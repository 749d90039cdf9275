import { describe, expect, it } from 'vitest';
import { eventOf } from '#shared/contract/event.ts';
import { POLL_LANES } from '#shared/domain/analyses/poll-cursor.ts';
import { POLL_BUCKETS, pollPartition } from '#shared/domain/analyses/poll-schedule.ts';
import type { AnalysisId, SubmissionId } from '#shared/domain/values/ids.ts';
import { TableAnalyses, TableCursors } from '#shared/table/analyses/analyses.ts';
import { putRow } from '#shared/table/rows/client.ts';
import { cursorKey } from '#shared/table/rows/keys.ts';
import { makeAnalysis } from '../makers/analysis.ts';
import { bookAnalysis } from '../makers/booked.ts';
import { usePeers } from '../makers/peers.ts';

usePeers();

describe('TableCursors', () => {
  const cursors = new TableCursors();

  it('read returns the cursor that was written last for the job, if every lane was cut off', async () => {
    const other = { since: 29_600_000, through: 29_700_001, cut: [] };
    const through = Object.fromEntries(Array.from({ length: POLL_BUCKETS }, (_, bucket) => [bucket, 29_700_000]));
    const place = { bucket: 7, at: 1_780_000_000_000, begun: 29_700_000, through };
    const cursor = { ...other, cut: POLL_LANES.map((lane) => ({ ...lane, ...place })) };
    for (const written of [other, cursor]) await cursors.write('job/0-of-2', written);
    await cursors.write('job/1-of-2', other);
    expect(await cursors.read('job/0-of-2')).toEqual(cursor);
    expect(await cursors.read('job/1-of-2')).toEqual(other);
  });

  it('read returns undefined if no run has ended, or if another version wrote the cursor', async () => {
    expect(await cursors.read('job/never')).toBeUndefined();
    await putRow({ Item: { ...cursorKey('job/old'), bucket: 3, since: 17 } });
    expect(await cursors.read('job/old')).toBeUndefined();
  });
});

describe('markUnanswerable', () => {
  const analyses = new TableAnalyses(() => 1_780_000_000_000, eventOf);
  const everything = { from: 0, to: Number.MAX_SAFE_INTEGER };
  const inIndex = async (id: AnalysisId) =>
    (await analyses.pending(pollPartition(makeAnalysis({ id })), everything)).items.find((one) => one.id === id);

  async function added(id: number) {
    return bookAnalysis(makeAnalysis({ id: id as AnalysisId, submissionId: id as SubmissionId }));
  }

  it('markUnanswerable keeps the first moment in the index until the mark is taken away', async () => {
    const analysis = await added(501);
    await analyses.markUnanswerable(analysis, 7);
    await analyses.markUnanswerable(analysis, 9);
    expect(await inIndex(analysis.id)).toMatchObject({ unanswerableSince: 7 });
    await analyses.markUnanswerable(analysis, undefined);
    expect(await inIndex(analysis.id)).toEqual(analysis);
  });

  it('note and conclude take the mark away, and a final analysis gets no mark', async () => {
    const noted = await added(502);
    await analyses.markUnanswerable(noted, 7);
    await analyses.note(noted, 'IT-2', 'Em fila');
    expect(await inIndex(noted.id)).toEqual({ ...noted, queryNumber: 'IT-2', rawStatus: 'Em fila' });

    const ended = await added(503);
    await analyses.markUnanswerable(ended, 7);
    const after = { ...ended, situation: 'cancelado' as const, sequence: 1 };
    expect(await analyses.conclude({ before: ended, after })).toHaveProperty('events');
    await analyses.markUnanswerable(ended, 8);
    expect(await analyses.get(ended, ended.id)).toEqual({ ...after, concludedAt: 1_780_000_000_000 });
    expect(await inIndex(ended.id)).toBeUndefined();
  });
});
