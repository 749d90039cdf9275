import { expect, it, vi } from 'vitest';
import { SECOND_PASS_AFTER } from '../../shared/domain/leads/erasure.ts';
import type { LeadId } from '../../shared/domain/values/ids.ts';
import { updateRow } from '../../shared/table/client.ts';
import { erasureKey, leadKey } from '../../shared/table/keys.ts';
import { erase, erasureOf, erasuresEnd, sweepErasures } from '../makers/erasure.ts';
import { damageSealed } from '../makers/rows.ts';
import { useScene } from '../makers/scene.ts';
import { passTime } from '../makers/test-clock.ts';

vi.mock('../../shared/wiring.ts', async (original) => {
  const { interceptable } = await import('../makers/intercepted.ts');
  return interceptable(await original());
});

const scene = useScene();
/** What each run so far has counted as failed. */
const failures = () =>
  scene.peers.metrics.flatMap((line) => ('ErasuresFailed' in line ? [line['ErasuresFailed']] : []));

it('an erasure that breaks off is counted at each try, and keeps no other from being carried on', async () => {
  const [broken, other] = [await scene.person(), await scene.person()];
  const tenancy = { unitId: scene.partner.unitId, environment: scene.environment };
  await damageSealed(leadKey(tenancy, broken.lead as LeadId));
  await expect(erase(scene, broken)).rejects.toThrow();
  await erase(scene, other);
  expect(failures()).toEqual([]);
  await erasuresEnd();
  expect(failures()).toEqual([1, 1]);
  expect(await erasureOf(scene, broken)).toMatchObject({ state: 'apagando' });
  const { state, nextCheckAt } = (await erasureOf(scene, other))!;
  expect([state, nextCheckAt]).toEqual(['apagado', undefined]);
  passTime(60_000);
  await sweepErasures();
  expect(failures()).toEqual([1, 1, 1]);
});

it('an erasure whose row does not read, as one of a later version, is counted and keeps no other', async () => {
  const [newer, other] = [await scene.person(), await scene.person()];
  const tenancy = { unitId: scene.partner.unitId, environment: scene.environment };
  await erase(scene, newer);
  await erase(scene, other);
  await updateRow({
    Key: erasureKey(tenancy, newer.lead as LeadId),
    UpdateExpression: 'SET #state = :later',
    ExpressionAttributeNames: { '#state': 'state' },
    ExpressionAttributeValues: { ':later': 'conferindo' },
  });
  passTime(SECOND_PASS_AFTER + 60_000);
  const before = failures().length;
  await sweepErasures();
  expect(failures().length).toBe(before + 1);
  expect(await erasureOf(scene, other)).toMatchObject({ state: 'apagado', passes: [{}, {}] });
});
