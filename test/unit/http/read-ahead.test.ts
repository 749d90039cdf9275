import { describe, expect, it } from 'vitest';
import type { UnitId } from '../../../shared/domain/values/ids.ts';
import type { Tenancy } from '../../../shared/domain/values/tenancy.ts';
import { ReadAhead } from '../../../shared/http/endpoint.ts';
import { deadlineSignal } from '../../../shared/runtime/deadline.ts';

const OWN: Tenancy = { unitId: 11 as UnitId, environment: 'sandbox' };

/** A read that notes whose rows it asked for. */
function world() {
  const reads: Tenancy[] = [];
  const ahead = new ReadAhead(async (tenancy: Tenancy) => {
    reads.push(tenancy);
    return `${tenancy.unitId} ${tenancy.environment} ${reads.length}`;
  });
  return { reads, ahead };
}

describe('a read ahead of admission', () => {
  it.each<[string, Tenancy]>([
    ['another unit', { ...OWN, unitId: 12 as UnitId }],
    ['the other environment', { ...OWN, environment: 'producao' }],
  ])('reads anew for a caller of %s, and gives him nothing of the first', async (_, caller) => {
    const { reads, ahead } = world();
    ahead.begin(OWN);
    expect(await ahead.result(caller)).toBe(`${caller.unitId} ${caller.environment} 2`);
    expect(reads).toEqual([OWN, caller]);
  });

  it('that fails is heard by the caller whose it is, and by nobody else', async () => {
    const ahead = new ReadAhead((tenancy: Tenancy) =>
      tenancy.environment === 'sandbox' ? Promise.reject(new RangeError('gone')) : Promise.resolve('read'),
    );
    ahead.begin(OWN);
    await expect(ahead.result(OWN)).rejects.toThrow(RangeError);
    expect(await ahead.result({ ...OWN, environment: 'producao' })).toBe('read');
    await ahead.end();
  });

  it('that is not wanted is told to end, and has ended when the call answers', async () => {
    const order: string[] = [];
    const hanging = (reject: (error: Error) => void) => () => {
      order.push('told');
      setImmediate(() => {
        order.push('ended');
        reject(new Error('ended'));
      });
    };
    const ahead = new ReadAhead(
      () => new Promise<never>((_, reject) => deadlineSignal()!.addEventListener('abort', hanging(reject))),
    );
    ahead.begin(OWN);
    await ahead.end();
    expect(order).toEqual(['told', 'ended']);
  });
});
