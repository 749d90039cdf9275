import { describe, expect, it } from 'vitest';
import { keyCondition, ordered } from '../../../infra/local/aws/aws-like/key-condition.ts';

const INDEX = { partition: 'duePk', sort: 'dueSk' };
const text = (S: string) => ({ S });
const number = (N: string) => ({ N });

/** Which sort keys a condition takes of partition `a`. */
function taken(range: string, sortKeys: readonly object[], bounds: object): readonly object[] {
  const request = {
    KeyConditionExpression: `duePk = :pk AND ${range}`,
    ExpressionAttributeNames: { '#sk': 'dueSk' },
    ExpressionAttributeValues: { ':pk': text('a'), ...bounds },
  };
  const { holds } = keyCondition(request as never, INDEX);
  return sortKeys.filter((dueSk) => holds({ duePk: text('a'), dueSk } as never));
}

describe('a condition on keys', () => {
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
  ])('takes texts by their bytes: %s', (range, expected) => {
    expect(taken(range, TEXTS, bounds)).toEqual(expected.map(text));
  });

  it('takes numbers by value', () => {
    const bound = { ':from': number('9'), ':to': number('10') };
    const found = taken('#sk BETWEEN :from AND :to', ['8', '9', '10', '11'].map(number), bound);
    expect(found).toEqual(['9', '10'].map(number));
  });

  it('takes no row that lacks one of the index’s keys, or is of another partition', () => {
    const request = { KeyConditionExpression: 'duePk = :pk', ExpressionAttributeValues: { ':pk': text('a') } };
    const { holds } = keyCondition(request as never, INDEX);
    const rows = [{ duePk: text('a') }, { dueSk: text('x') }, {}, { duePk: text('b'), dueSk: text('x') }];
    expect(rows.map((row) => holds(row as never))).toEqual([false, false, false, false]);
    expect(holds({ duePk: text('a'), dueSk: text('x') } as never)).toBe(true);
  });

  it.each(['listPk = :pk', 'duePk = :pk AND listSk = :pk', 'duePk = :pk AND size(dueSk)', 'duePk > :pk'])(
    'says what it does not understand: %s',
    (KeyConditionExpression) => {
      const request = { KeyConditionExpression, ExpressionAttributeValues: { ':pk': text('a') } };
      expect(() => keyCondition(request as never, INDEX)).toThrow('is not understood here');
    },
  );

  it('mixes no kinds of keys', () => {
    expect(() => taken('#sk = :b', [number('1')], bounds)).toThrow('keys are texts or numbers here');
  });

  it('orders rows by the sort key, then by the table’s own, forwards and backwards', () => {
    const rows = ['b2', 'a2', 'b1'].map(([sort, pk]) => ({ dueSk: text(sort!), pk: text(pk!), sk: text('-') }));
    const table = { partition: 'pk', sort: 'sk' };
    const condition = { sort: 'dueSk', holds: () => true };
    const named = (backwards: boolean) =>
      rows.toSorted(ordered(condition, table, backwards) as never).map(({ dueSk, pk }) => dueSk.S + pk.S);
    expect([named(false), named(true)]).toEqual([
      ['a2', 'b1', 'b2'],
      ['b2', 'b1', 'a2'],
    ]);
  });
});
