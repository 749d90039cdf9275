import { describe, expect, it } from 'vitest';
import { pageInput, pageOf, parsePage } from '../../../shared/contract/page.ts';
import { refusalOf } from '../../makers/bad-input.ts';

describe('the page that a query asks for', () => {
  it.each([
    [{}, { limit: 20, offset: 0 }],
    [{ limit: '1' }, { limit: 1, offset: 0 }],
    [
      { limit: '100', offset: '0' },
      { limit: 100, offset: 0 },
    ],
    [{ limit: '007' }, { limit: 7, offset: 0 }],
    [{ offset: String(Number.MAX_SAFE_INTEGER) }, { limit: 20, offset: Number.MAX_SAFE_INTEGER }],
    [{ outro: 'x' }, { limit: 20, offset: 0 }],
  ])('%j is %j', (query, page) => {
    expect(parsePage(query)).toEqual(page);
  });

  const NEVER = [
    '',
    ' ',
    '-1',
    '+1',
    '1.0',
    '1e1',
    '0x1',
    'NaN',
    'Infinity',
    'null',
    '１',
    '1 ',
    '1,2',
    '99999999999999999',
  ];

  it.each(['0', '101', ...NEVER])('has no limit %j', (limit) => {
    expect(refusalOf(() => parsePage({ limit }))).toEqual({ code: 'campo_invalido', fields: ['limit'] });
  });

  it.each(['9007199254740992', ...NEVER])('has no offset %j', (offset) => {
    expect(refusalOf(() => parsePage({ offset }))).toEqual({ code: 'campo_invalido', fields: ['offset'] });
  });

  it('is refused with both where both are wrong', () => {
    expect(refusalOf(() => parsePage({ limit: '0', offset: '-1' })).fields).toEqual(['limit', 'offset']);
  });

  it('has the bounds and defaults that are documented', () => {
    expect(pageInput.parse({})).toEqual(parsePage({}));
    expect(pageInput.safeParse({ limit: 101 }).success).toBe(false);
    expect(pageInput.safeParse({ offset: -1 }).success).toBe(false);
  });
});

describe('one page of a list', () => {
  const items = [5, 4, 3, 2, 1];

  it.each([
    [{ limit: 2, offset: 0 }, [5, 4], true],
    [{ limit: 2, offset: 3 }, [2, 1], false],
    [{ limit: 5, offset: 0 }, items, false],
    [{ limit: 4, offset: 0 }, [5, 4, 3, 2], true],
    [{ limit: 1, offset: 4 }, [1], false],
    [{ limit: 1, offset: 5 }, [], false],
    [{ limit: 100, offset: Number.MAX_SAFE_INTEGER }, [], false],
  ])('%j', (page, shown, more) => {
    expect(pageOf(items, page)).toEqual({ items: shown, more });
  });
});
