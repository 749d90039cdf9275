import { describe, expect, it } from 'vitest';
import { handled } from '../../../infra/local/aws/event-sources.ts';
import type { SourcePlan } from '../../../infra/local/blueprint.ts';

const plan: SourcePlan = {
  queueArn: 'arn:aws:sqs:sa-east-1:000000000000:work',
  function: 'worker',
  batchSize: 5,
  maxConcurrency: 2,
  reportsFailures: true,
};

describe('what of a batch is dealt with', () => {
  const messages = [{ MessageId: 'a' }, { MessageId: 'b' }];
  const dealtWith = async (invoke: () => unknown, changes: Partial<SourcePlan> = {}) =>
    (await handled({ ...plan, ...changes }, messages, { invoke: async () => invoke() })).map(
      ({ MessageId }) => MessageId,
    );

  it.each([
    ['all where no failure is reported', { batchItemFailures: [] }, ['a', 'b']],
    ['all where nothing is answered', null, ['a', 'b']],
    ['the others where one is reported', { batchItemFailures: [{ itemIdentifier: 'a' }] }, ['b']],
    ['none where an unknown one is reported', { batchItemFailures: [{ itemIdentifier: 'c' }] }, []],
    ['none where an empty one is reported', { batchItemFailures: [{ itemIdentifier: '' }] }, []],
  ])('is %s', async (_, answer, expected) => {
    expect(await dealtWith(() => answer)).toEqual(expected);
  });

  it('is none where the function throws', async () => {
    expect(
      await dealtWith(() => {
        throw new Error('broken');
      }),
    ).toEqual([]);
  });

  it('is all, whatever is answered, where the mapping takes no reports', async () => {
    const answer = { batchItemFailures: [{ itemIdentifier: 'a' }] };
    expect(await dealtWith(() => answer, { reportsFailures: false })).toEqual(['a', 'b']);
  });
});
