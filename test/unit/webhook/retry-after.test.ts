import { expect, test } from 'vitest';
import { LONGEST_RETRY_WAIT } from '../../../shared/domain/webhooks/delivery.ts';
import { retryAfterMilliseconds } from '../../../shared/webhook/send.ts';

const NOW = Date.parse('1994-11-06T08:49:00Z');

test.each<[string | undefined, number | undefined]>([
  ['0', 0],
  ['120', 120_000],
  ['Sun, 06 Nov 1994 08:49:37 GMT', 37_000],
  ['Sun Nov  6 08:49:37 1994', 37_000],
  ['Sun, 06 Nov 1994 08:48:00 GMT', 0],
  ['Fri, 31 Dec 1999 23:59:59 GMT', LONGEST_RETRY_WAIT],
  ['9'.repeat(400), LONGEST_RETRY_WAIT],
  [undefined, undefined],
  ['', undefined],
  ['1.5', undefined],
  ['0x10', undefined],
  ['1994-11-06T08:49:37Z', undefined],
  ['Sun, 99 Nov 1994 08:49:37 GMT', undefined],
])('%j asks for %j ms', (header, milliseconds) => {
  expect(retryAfterMilliseconds(header, NOW)).toBe(milliseconds);
});
