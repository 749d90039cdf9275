import { expect, it, vi } from 'vitest';
import type { LeadId } from '../../shared/domain/values/ids.ts';
import { leadKey } from '../../shared/table/keys.ts';
import { erase, erasureOf, erasuresEnd, sweepErasures } from '../makers/erasure.ts';
import { damageSealed } from '../makers/rows.ts';
import { useScene } from '../makers/scene.ts';
import { passTime } from '../makers/test-clock.ts';

vi.mock('../../shared/wiring.ts', async (original) => {
  const { interceptable } = await import('../makers/intercepted.ts');
  return interceptable(await original());
});

const scene = useScene();

it('an erasure that breaks off is counted at each try, and keeps no other from being carried on', async () => {
  const [broken, other] = [await scene.person(), await scene.person()];
  const tenancy = { unitId: scene.partner.unitId, environment: scene.environment };
  await damageSealed(leadKey(tenancy, broken.lead as LeadId));
  await expect(erase(scene, broken)).rejects.toThrow();
  await erase(scene, other);
  const failed = () =>
    scene.peers.metrics.flatMap((line) => ('ErasuresFailed' in line ? [line['ErasuresFailed']] : []));
  expect(failed()).toEqual([]);
  await erasuresEnd();
  expect(failed()).toEqual([1, 1]);
  expect(await erasureOf(scene, broken)).toMatchObject({ state: 'apagando' });
  const { state, nextCheckAt } = (await erasureOf(scene, other))!;
  expect([state, nextCheckAt]).toEqual(['apagado', undefined]);
  passTime(60_000);
  await sweepErasures();
  expect(failed()).toEqual([1, 1, 1]);
});
