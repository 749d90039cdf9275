import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { cursorOf, placeIn } from '../../../shared/http/administration-parse.ts';

const PLACE = z.strictObject({ partner: z.int().check(z.positive()), at: z.string() });

describe('a cursor', () => {
  it('is null after the last page, and none on the first', () => {
    expect(cursorOf(undefined)).toBeNull();
    expect(placeIn(PLACE, undefined)).toBeUndefined();
  });

  it.each([
    ['of another list', cursorOf({ analysis: 7 })!],
    ['of another list that has more', cursorOf({ partner: 7, at: 'x', unit: 8 })!],
    ['with a place that cannot be', cursorOf({ partner: -7, at: 'x' })!],
    ['cut short', cursorOf({ partner: 7, at: 'x' })!.slice(0, -4)],
    ['of no JSON', Buffer.from('{').toString('base64url')],
    ['of no base64', '####'],
    ['that is empty', ''],
  ])('that was forged or comes from elsewhere is 400: %s', (_, text) => {
    expect(() => placeIn(PLACE, text)).toThrow(
      expect.objectContaining({
        code: 'field_invalid',
        fields: [{ field: 'cursor', reason: 'must be the next_cursor of the page before' }],
      }),
    );
  });
});
