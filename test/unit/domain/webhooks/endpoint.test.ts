import { expect, test } from 'vitest';
import type { AttemptResult } from '../../../../shared/domain/webhooks/delivery.ts';
import { disablingCause } from '../../../../shared/domain/webhooks/endpoint.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const failed: AttemptResult = { delivered: false, failure: 'http_5xx', status: 500, milliseconds: 10, detail: '' };
const gone: AttemptResult = { ...failed, failure: 'http_4xx', status: 410 };
const success: AttemptResult = { delivered: true, status: 200, milliseconds: 10 };

test.each<[string, number, number | undefined, number, AttemptResult, 'failing' | 'gone' | undefined]>([
  ['12 failures, the first 5 days ago', 12, HOUR, HOUR + 5 * DAY, failed, 'failing'],
  ['a moment short of 5 days', 12, 0, 5 * DAY - 1, failed, undefined],
  ['11 failures', 11, 0, 9 * DAY, failed, undefined],
  ['none at all', 0, undefined, 30 * DAY, failed, undefined],
  ['410, whatever went before', 1, 1, 1, gone, 'gone'],
  ['a success', 99, 0, 9 * DAY, success, undefined],
])('an endpoint disables itself: %s', (_, failures, failingSince, now, result, cause) => {
  expect(disablingCause({ failures, failingSince }, result, now)).toBe(cause);
});
