import { LONGEST_WAIT } from '../domain/webhooks/delivery.ts';

const SECONDS = /^\d+$/;
/** Any of the three forms of RFC 9110, 5.6.7; all are in GMT, though asctime's does not say so. */
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .*\d{2}:\d{2}:\d{2}/;

/**
 * Milliseconds from `now` that a Retry-After header asks for, seconds or HTTP date (RFC 9110, 10.2.3): 0 for a date
 * gone by, at most the longest wait that is ever honoured; undefined for anything else.
 */
export function retryAfterMilliseconds(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? '';
  const asked = SECONDS.test(text) ? Number(text) * 1000 : HTTP_DATE.test(text) ? httpDate(text) - now : Number.NaN;
  return Number.isNaN(asked) ? undefined : Math.min(Math.max(asked, 0), LONGEST_WAIT);
}

function httpDate(text: string): number {
  return Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
}
