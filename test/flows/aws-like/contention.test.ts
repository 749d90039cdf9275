import { beforeAll, describe, expect, it } from 'vitest';
import { awsLikeSettings } from '../../../infra/local/aws/aws-like/settings.ts';
import { api } from '../../makers/api.ts';
import { standForManyContainers } from '../../makers/crowd.ts';
import { type Person, useScene } from '../../makers/scene.ts';

const scene = useScene({ awsLike: awsLikeSettings('default') });

beforeAll(standForManyContainers);

const times = <T>(count: number, make: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));
const change = (person: Person, index: number) =>
  api('updateLead', { key: scene.key, id: person.lead, body: { renda: 1000 + index } });

/** How often each status came. */
function counted(answers: readonly { readonly status: number }[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

describe('changes of a lead', () => {
  it('wait while a submission holds it, and are then made', async () => {
    const person = await scene.person();
    const conflicts = () => scene.awsLike.tally.get('conflict UpdateItem') ?? 0;
    const before = conflicts();
    const pause = scene.awsLike.pause({ action: 'TransactWriteItems', touching: 'LEAD#' });
    const submission = scene.submit(person, ['itau'], 'holds the lead');
    await pause.reached;
    const changes = times(10, (index) => change(person, index));
    await expect.poll(() => conflicts() - before).toBeGreaterThanOrEqual(10);
    pause.release();
    expect([(await submission).status, counted(await changes)]).toEqual([202, { 200: 10 }]);
  });
});

describe('200 callers at once', () => {
  it('with one CPF see one lead and no 5xx', async () => {
    const answers = await times(200, () =>
      api('createLead', {
        key: scene.key,
        body: { nome: 'Marina Duarte Alves', cpf: '111.444.777-35' },
      }),
    );
    expect(counted(answers)).toEqual({ 200: 199, 201: 1 });
    expect(new Set(answers.map(({ body }) => body.lead_id)).size).toBe(1);
  });
});
