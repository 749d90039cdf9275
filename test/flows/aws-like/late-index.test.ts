import { expect, it } from 'vitest';
import { awsLikeSettings } from '../../../infra/local/aws/aws-like/settings.ts';
import type { Bank } from '../../../shared/domain/values/bank.ts';
import { tableClient } from '../../../shared/table/client.ts';
import { countUnits } from '../../makers/counting.ts';
import { useScene } from '../../makers/scene.ts';
import { beginMinute } from '../../makers/test-clock.ts';

const scene = useScene({ awsLike: awsLikeSettings('default') });
const BANKS: readonly Bank[] = ['itau', 'inter'];
/** Longer than the test: what is this late is never seen. */
const NEVER = [600_000, 600_000] as const;

it("a lead's lists right after a 202 have its analyses and its consent, in three calls, whatever index and reads show", async () => {
  const person = await scene.person();
  // The first call of a container in a minute may ask the auth item twice: it is made before those that are counted.
  beginMinute();
  await Promise.all([scene.analyses(person.lead), scene.consents(person.lead)]);
  scene.awsLike.set({ indexLag: NEVER, readLag: NEVER });
  const { status, body } = await scene.submit(person, BANKS, 'listed at once');
  const submitted = body.analises.map(({ analise_id }: { analise_id: number }) => analise_id);
  const counted = countUnits(tableClient());
  const { body: analyses } = await scene.analyses(person.lead);
  expect(counted.units.calls).toEqual(['Update', 'Query']);
  counted.reset();
  const { body: consents } = await scene.consents(person.lead);
  expect(counted.units.calls).toEqual(['Update', 'Query', 'Query']);
  const listed = analyses.analises.map(({ analise_id }: { analise_id: number }) => analise_id);
  expect([status, listed.sort(), analyses.pendentes]).toEqual([202, submitted.sort(), BANKS.length]);
  expect(consents.consentimentos).toMatchObject([{ analise_ids: expect.arrayContaining(submitted) }]);
});
