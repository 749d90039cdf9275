/**
 * Rotations and retirements of the index key, and the first writing of the keys, are stopped at each call to Secrets
 * Manager, or meet another change. Each index key that is held must have a derivation key at every moment, and a repeated
 * call with the same token must return the same API key.
 */
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { SafeError } from '#shared/runtime/log.ts';
import { retireIndexKey, rotateIndexKey } from '#shared/table/sealing/service-keys.ts';
import { atEachCall, intercepted, interceptSecrets, meanwhile, stoppedAt } from '../makers/intercepted.ts';
import { useRotations } from '../makers/rotations.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const scene = useRotations();
const { begin, derivedFor, expectDerivationKeys, held, keyOf, keys, olderName, rotate, retire, untilSettled } = scene;
beforeAll(interceptSecrets);

describe('a process that dies at any call to Secrets Manager', () => {
  it('a rotation that was stopped at any call leaves every index key with its derivation key', async () => {
    const calls = await atEachCall(async (point) => {
      await begin();
      const first = await keyOf('made before');
      const name = await olderName();
      const { finished, where } = await stoppedAt(point, () => rotateIndexKey(name, Date.now()));
      scene.startAgain();
      await expectDerivationKeys(where);
      expect(await keyOf('made before'), where).toBe(first);
      if ((await held()).length === 1) await rotate();
      await expectDerivationKeys(where);
      await untilSettled();
      expect(await keyOf('made before'), where).toBe(first);
      await retire();
      // What a stopped rotation has left is gone.
      expect(derivedFor(), where).toEqual(await held());
      return finished;
    });
    expect(calls).toBeGreaterThan(6);
  });

  it('a retirement that was stopped at any call leaves the index key with its derivation key', async () => {
    const calls = await atEachCall(async (point) => {
      await begin();
      await rotate();
      await untilSettled();
      const first = await keyOf('made before');
      const name = await olderName();
      const { finished, where } = await stoppedAt(point, () => retireIndexKey(name, Date.now()));
      scene.startAgain();
      await expectDerivationKeys(where);
      expect(await keyOf('made before'), where).toBe(first);
      if ((await held()).length === 2) await retire();
      await rotate();
      await retire();
      expect(derivedFor(), where).toEqual(await held());
      return finished;
    });
    expect(calls).toBeGreaterThan(6);
  });

  it('the first writing of the keys is completed by the next call if it was stopped at any call', async () => {
    const calls = await atEachCall(async (point) => {
      scene.emptySecrets(`${point.when}-${point.at}`);
      const { finished, where } = await stoppedAt(point, () => keys.init());
      scene.startAgain();
      if (!(await keys.complete())) await keys.init();
      scene.startAgain();
      await expectDerivationKeys(where);
      await expect(keys.init(), where).rejects.toThrow('the service has its keys already');
      expect(await keys.complete(), where).toBe(true);
      return finished;
    });
    expect(calls).toBeGreaterThan(5);
  });
});

describe('two changes at once', () => {
  /** Plays a change, and another one before its n-th call to Secrets Manager, for each n. */
  async function atEachMeeting(
    prepare: () => Promise<unknown>,
    change: () => Promise<unknown>,
    other: () => Promise<unknown>,
    judge: (results: readonly PromiseSettledResult<unknown>[], where: string) => Promise<void>,
  ): Promise<void> {
    for (let at = 1, isOver = false; !isOver; at++) {
      await begin();
      await prepare();
      const met: PromiseSettledResult<unknown>[] = [];
      const meeting = meanwhile(undefined, async () => void met.push(...(await Promise.allSettled([other()]))), { at });
      const [own] = await Promise.allSettled([intercepted(meeting, change)]);
      isOver = met.length === 0;
      if (isOver) await Promise.allSettled([other()]);
      scene.startAgain();
      const where = `before call ${at}`;
      await expectDerivationKeys(where);
      await judge([own, ...met], where);
    }
  }

  const refusals = (results: readonly PromiseSettledResult<unknown>[]) =>
    results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));

  it('of two rotations at once one succeeds, and each index key has its derivation key', async () => {
    let [first, older] = ['', ''];
    await atEachMeeting(
      async () => {
        first = await keyOf('made before');
        older = await olderName();
      },
      () => rotateIndexKey(older, Date.now()),
      () => rotateIndexKey(older, Date.now()),
      async (results, where) => {
        expect(await held(), where).toHaveLength(2);
        expect(refusals(results), where).toHaveLength(results.length - 1);
        for (const refusal of refusals(results)) expect(refusal, where).toBeInstanceOf(SafeError);
        await untilSettled();
        expect(await keyOf('made before'), where).toBe(first);
      },
    );
  });

  it('after two retirements at once only the remaining index key has a derivation key', async () => {
    let [first, older] = ['', ''];
    await atEachMeeting(
      async () => {
        await rotate();
        await untilSettled();
        first = await keyOf('made before');
        older = await olderName();
      },
      () => retireIndexKey(older, Date.now()),
      () => retireIndexKey(older, Date.now()),
      async (results, where) => {
        expect(derivedFor(), where).toEqual(await held());
        expect(refusals(results).length, where).toBeLessThan(2);
        expect(await keyOf('made before'), where).toBe(first);
      },
    );
  });

  it('a rotation that meets the end of a retirement keeps its derivation key', async () => {
    let older = '';
    await atEachMeeting(
      async () => {
        await rotate();
        await untilSettled();
        older = await olderName();
      },
      () => retireIndexKey(older, Date.now()),
      () => rotate(),
      async ([retirement], where) => {
        expect(await held(), where).not.toContain(older);
        // If the removal of the derivation key met the rotation, the retirement must not read as a refusal.
        if (retirement?.status !== 'rejected') return;
        expect(retirement.reason, where).not.toBeInstanceOf(SafeError);
        expect(String(retirement.reason), where).toContain('the index key is retired');
      },
    );
  });
});
