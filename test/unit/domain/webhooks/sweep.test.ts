import { describe, expect, it } from 'vitest';
import type { PartnerId } from '../../../../shared/domain/values/ids.ts';
import { type SweepDeps, sweep } from '../../../../shared/domain/webhooks/sweep.ts';
import { makeDelivery } from '../../../makers/delivery.ts';

const NOW = 1_763_640_000_000;
const MINUTE = 60_000;
const KEPT = makeDelivery();

/** A sweep over one endpoint that was enabled at a moment; what is kept for it comes in these pages. */
function over(pages: readonly (typeof KEPT)[][], enabledAt: number, pagesInTime = Number.POSITIVE_INFINITY) {
  const closed: number[] = [];
  let asked = 0;
  const deps: SweepDeps = {
    deliveries: {
      listDue: async () => ({ items: [], next: undefined }),
      release: async (_partnerId: PartnerId, _now: number, after?: string) => {
        asked += 1;
        const at = Number(after ?? 0);
        return { items: pages[at] ?? [], next: at + 1 < pages.length ? String(at + 1) : undefined };
      },
    } as unknown as SweepDeps['deliveries'],
    endpoints: {
      enabledLately: async () => [{ partnerId: KEPT.partnerId, enabledAt }],
      released: async (enabled) => void closed.push(enabled.enabledAt),
    },
    queue: { send: async () => {} } as unknown as SweepDeps['queue'],
    now: NOW,
    inTime: () => asked < pagesInTime,
  };
  return { run: () => sweep(deps), closed };
}

describe('what was kept for an endpoint that is enabled', () => {
  it('is released page by page, and the endpoint looked at again', async () => {
    const { run, closed } = over([[KEPT], [KEPT, KEPT]], NOW - 60 * MINUTE);
    expect((await run()).released).toBe(3);
    expect(closed).toEqual([]);
  });

  it('is looked for until nothing was found a quarter of an hour after', async () => {
    const early = over([[]], NOW - 15 * MINUTE);
    await early.run();
    expect(early.closed).toEqual([]);
    const late = over([[]], NOW - 15 * MINUTE - 1);
    await late.run();
    expect(late.closed).toEqual([NOW - 15 * MINUTE - 1]);
  });

  it('is not taken for nothing where the time ran out before the last page', async () => {
    const { run, closed } = over([[], [KEPT]], NOW - 60 * MINUTE, 1);
    expect((await run()).released).toBe(0);
    expect(closed).toEqual([]);
  });
});
