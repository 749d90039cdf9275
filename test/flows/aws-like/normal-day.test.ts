import { beforeAll, expect, it } from 'vitest';
import { awsLikeSettings } from '#infra/local/aws/aws-like/settings.ts';
import type { Bank } from '#shared/domain/values/bank.ts';
import { tableClient } from '#shared/table/rows/client.ts';
import { api } from '#test/makers/api.ts';
import { countUnits } from '#test/makers/counting.ts';
import { extendTimeLimits } from '#test/makers/crowd.ts';
import { type Person, useScene } from '#test/makers/scene.ts';
import { beginMinute } from '#test/makers/test-clock.ts';

const scene = useScene({ awsLike: awsLikeSettings('default') });

beforeAll(extendTimeLimits);

const times = <T>(count: number, make: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));
const change = (person: Person, index: number) =>
  api('updateLead', { key: scene.key, id: person.lead, body: { renda: 1000 + index } });

/** Returns how often each status came. */
function counted(answers: readonly { readonly status: number }[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

it('changes of a lead wait while the transaction of a submission holds it, and then succeed', async () => {
  const person = await scene.person();
  const conflicts = () => scene.awsLike.tally.get('conflict UpdateItem') ?? 0;
  const before = conflicts();
  const pause = scene.awsLike.pause({ action: 'TransactWriteItems', touching: 'LEAD#' });
  const submission = scene.submit(person, ['itau'], 'holds the lead');
  await pause.reached;
  const changes = times(10, (index) => change(person, index));
  await expect.poll(() => conflicts() - before).toBeGreaterThanOrEqual(10);
  pause.release();
  expect((await submission).status).toBe(202);
  expect(counted(await changes)).toEqual({ 200: 10 });
});

const TWO_BANKS: readonly Bank[] = ['itau', 'inter'];
/** Longer than the test: a row with this delay is never seen. */
const NEVER = [600_000, 600_000] as const;

it("a lead's lists have its analyses and consent right after a 202, even while index and plain reads lag", async () => {
  const person = await scene.person();
  // A container's first call in a minute may read the auth item twice, so this call is made before counting begins.
  beginMinute();
  await Promise.all([scene.analyses(person.lead), scene.consents(person.lead)]);
  scene.awsLike.set({ indexLag: NEVER, readLag: NEVER });
  const { status, body } = await scene.submit(person, TWO_BANKS, 'listed at once');
  const submitted = body.analises.map(({ analise_id }: { analise_id: number }) => analise_id);
  const counted = countUnits(tableClient());
  const { body: analyses } = await scene.analyses(person.lead);
  expect(counted.units.calls).toEqual(['Update', 'Query']);
  counted.reset();
  const { body: consents } = await scene.consents(person.lead);
  expect(counted.units.calls).toEqual(['Update', 'Query', 'Query']);
  const listed = analyses.analises.map(({ analise_id }: { analise_id: number }) => analise_id);
  expect(status).toBe(202);
  expect(listed.sort()).toEqual(submitted.sort());
  expect(analyses.pendentes).toBe(TWO_BANKS.length);
  expect(consents.consentimentos).toMatchObject([{ analise_ids: expect.arrayContaining(submitted) }]);
});
