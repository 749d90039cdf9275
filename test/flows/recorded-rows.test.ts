/** The record of rows that a release gets, made from today's code and replayed by it. */
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Item } from '#shared/table/rows/client.ts';
import { useScene } from '../makers/scene.ts';
import { withStoppedClock } from '../makers/test-clock.ts';
import { STORY_AT } from '../record/acts.ts';
import { formsWithoutEntry, KINDS, kindOf } from '../record/kinds.ts';
import { asRecorded } from '../record/recorded.ts';
import { type RowsRecord, recordRows, replayRows } from '../record/rows.ts';
import { nameOf } from '../record/step.ts';
import { playStory } from '../record/story.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const scene = useScene();
beforeAll(() => {
  process.env['LOCAL_WEBHOOK_TARGETS'] = 'true';
});

describe('a record of today', () => {
  let today: RowsRecord;
  beforeAll(async () => {
    await withStoppedClock(STORY_AT, async () => {
      today = asRecorded(await recordRows(scene, await playStory(scene)));
    });
  });

  it('its rows are of every kind in keys.ts and of no other kind', () => {
    const kinds = today.rows.map((row) => kindOf(row) ?? `unknown: ${row['pk']} ${row['sk']}`);
    expect(Array.from(new Set(kinds)).sort()).toEqual(KINDS.toSorted());
  });

  it('its rows have an entry of every form in both indexes', () => {
    expect(formsWithoutEntry(today.rows)).toEqual([]);
  });

  it('today’s code gives the same answers from it', async () => {
    expect(await replayRows(scene, today)).toEqual([]);
  });

  /** Returns the record after a change of its rows of one kind, with the first steps only: those that read. */
  const withRows = (kind: string, change: (row: Item) => Item): RowsRecord => ({
    ...today,
    played: today.played.slice(0, 1 + today.played.findIndex(({ step }) => nameOf(step) === 'rewrite-rows')),
    rows: today.rows.map((row) => (kindOf(row) === kind ? change(row) : row)),
  });

  it('code that opens sealed parts in another way is refused with a sentence for each lost answer', async () => {
    const { sealed } = today.rows.find((row) => kindOf(row) === 'lead' && row['sealed'] !== undefined)!;
    const sentences = await replayRows(
      scene,
      withRows('lead', (row) => ({ ...row, sealed })),
    );
    expect(sentences).toContainEqual(expect.stringMatching(/^getLead answered 200, and now answers 500 /));
    expect(sentences).toContainEqual(expect.stringMatching(/^rewrite-rows: \.broken_count was 0, and is now \d/));
  });

  it('code that needs another attribute is refused with a sentence for each lost answer', async () => {
    const sentences = await replayRows(
      scene,
      withRows('analysis', ({ bank: _, ...row }) => row),
    );
    expect(sentences).toContainEqual(expect.stringMatching(/^getAnalysisStatus answered 200, and now answers 500 /));
  });
});
