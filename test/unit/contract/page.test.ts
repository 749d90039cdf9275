import { describe, expect, it } from 'vitest';
import { pageOf, parsePage } from '#shared/contract/page.ts';
import { refusalOf, wrongFields } from '#test/makers/bad-input.ts';

describe('parsePage', () => {
  it.each<[Readonly<Record<string, string>>, number, number]>([
    [{}, 20, 0],
    [{ limit: '1' }, 1, 0],
    [{ limit: '100', offset: '0' }, 100, 0],
    [{ offset: String(Number.MAX_SAFE_INTEGER) }, 20, Number.MAX_SAFE_INTEGER],
  ])('the query %j asks for %i items from place %i on', (query, limit, offset) =>
    expect(parsePage(query)).toEqual({ limit, offset }),
  );

  it('parsePage has a notice for an unknown parameter, with the name that was probably meant', () => {
    const avisos = [{ campo: 'limite', motivo: 'Campo desconhecido; quis dizer limit?' }];
    expect(parsePage({ limite: '5' })).toEqual({ limit: 20, offset: 0, avisos });
  });

  const NEVER = ['', ' ', '1 ', ...'-1 +1 1.0 1e1 0x1 NaN Infinity null １ 1,2'.split(' '), '9'.repeat(17)];

  it.each([
    ...['0', '101', ...NEVER].map((text) => ['limit', text] as const),
    ...['9007199254740992', ...NEVER].map((text) => ['offset', text] as const),
  ])('parsePage refuses the parameter %s with the value %j', (field, text) =>
    expect(refusalOf(() => parsePage({ [field]: text }))).toEqual(wrongFields(field)),
  );
});

const items = [5, 4, 3, 2, 1];

it.each<[number, number, number[], boolean]>([
  [2, 0, [5, 4], true],
  [5, 0, items, false],
  [1, 4, [1], false],
  [1, 5, [], false],
  [100, Number.MAX_SAFE_INTEGER, [], false],
])('pageOf returns %i items from place %i on, and whether more follow', (limit, offset, shown, more) => {
  expect(pageOf(items, { limit, offset })).toEqual({ items: shown, more });
});
