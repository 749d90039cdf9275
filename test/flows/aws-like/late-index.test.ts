import { expect, it } from 'vitest';
import { awsLikeSettings } from '../../../infra/local/aws/aws-like/settings.ts';
import { useScene } from '../../makers/scene.ts';

const scene = useScene({ awsLike: awsLikeSettings('default') });

it.fails("a lead's list right after a 202 has its analyses, whatever the index shows", async () => {
  const person = await scene.person();
  scene.awsLike.set({ indexLag: [600_000, 600_000] });
  const { status, body } = await scene.submit(person, ['itau', 'inter'], 'listed at once');
  const listed = (await scene.analyses(person.lead)).body.analises.map(
    ({ analise_id }: { analise_id: number }) => analise_id,
  );
  const submitted = body.analises.map(({ analise_id }: { analise_id: number }) => analise_id);
  expect([status, listed.sort()]).toEqual([202, submitted.sort()]);
});
