import { expect, it } from 'vitest';
import { keyCondition } from '#infra/local/aws/aws-like/key-condition.ts';

const INDEX = { partition: 'duePk', sort: 'dueSk' };
const text = (S: string) => ({ S });

/** Returns the sort keys in partition `a` that fulfil a condition. */
function taken(range: string, sortKeys: readonly object[], bounds: object): readonly object[] {
  const request = {
    KeyConditionExpression: `duePk = :pk AND ${range}`,
    ExpressionAttributeNames: { '#sk': 'dueSk' },
    ExpressionAttributeValues: { ':pk': text('a'), ...bounds },
  };
  const { holds } = keyCondition(request as never, INDEX);
  return sortKeys.filter((dueSk) => holds({ duePk: text('a'), dueSk } as never));
}

const TEXTS = ['a', 'b', 'ba', 'c'].map(text);
const bounds = { ':b': text('b'), ':c': text('c') };
it.each([
  ['#sk BETWEEN :b AND :c', ['b', 'ba', 'c']],
  ['begins_with(#sk, :b)', ['b', 'ba']],
  ['#sk = :b', ['b']],
  ['dueSk < :b', ['a']],
  ['dueSk <= :b', ['a', 'b']],
  ['dueSk > :b', ['ba', 'c']],
  ['dueSk >= :c', ['c']],
])('keyCondition compares texts by their bytes in %s', (range, expected) => {
  expect(taken(range, TEXTS, bounds)).toEqual(expected.map(text));
});

it.each(['listPk = :pk', 'duePk = :pk AND listSk = :pk', 'duePk = :pk AND size(dueSk)', 'duePk > :pk'])(
  'keyCondition throws an Error for the unsupported condition %s',
  (KeyConditionExpression) => {
    const request = { KeyConditionExpression, ExpressionAttributeValues: { ':pk': text('a') } };
    expect(() => keyCondition(request as never, INDEX)).toThrow('is not understood here');
  },
);
