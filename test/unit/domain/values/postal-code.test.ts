import { expect, test } from 'vitest';
import { parsePostalCode } from '../../../../shared/domain/values/postal-code.ts';

test.each([
  ['01310-100', '01310100'],
  ['01310100', '01310100'],
  ['99999-999', '99999999'],
])('%s is a CEP', (text, digits) => {
  expect(parsePostalCode(text)).toBe(digits);
});

test.each(['00000000', '00000-000', '0131010', '013101000', '0131-0100', '01310 100', '01.310-100', '01310-10a', ''])(
  '%j is no CEP',
  (text) => {
    expect(parsePostalCode(text)).toBeUndefined();
  },
);
