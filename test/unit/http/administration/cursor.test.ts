import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { cursorOf, placeIn } from '#shared/http/administration/cursor.ts';
import { administrationRefusal } from '#test/makers/bad-input.ts';

describe('cursorOf and placeIn', () => {
  const PLACE = z.strictObject({ partner: z.int().check(z.positive()), at: z.string() });

  it('cursorOf returns null after the last page, and placeIn returns undefined on the first', () => {
    expect(cursorOf(undefined)).toBeNull();
    expect(placeIn(PLACE, undefined)).toBeUndefined();
  });

  it.each([
    ['of another list', cursorOf({ analysis: 7 })!],
    ['of another list that has more', cursorOf({ partner: 7, at: 'x', unit: 8 })!],
    ['with an impossible place', cursorOf({ partner: -7, at: 'x' })!],
    ['cut short', cursorOf({ partner: 7, at: 'x' })!.slice(0, -4)],
    ['of no JSON', Buffer.from('{').toString('base64url')],
    ['that is not base64', '####'],
    ['that is empty', ''],
  ])('a forged or foreign cursor is refused (400): %s', (_, text) => {
    const fields = [{ field: 'cursor', reason: 'must be the next_cursor of the page before' }];
    expect(administrationRefusal(() => placeIn(PLACE, text))).toEqual(['field_invalid', fields]);
  });
});
