import { HOLDER_AGES, OLD_CONSENT, YOUNGEST_SPOUSE } from '#shared/contract/analysis-request.ts';
import { MOST_NOTICES } from '#shared/contract/notices.ts';
import { LONGEST_NAME } from '#shared/contract/request-failures.ts';
import {
  CLOSE_LIMIT,
  CONSENT_KEPT,
  FORM_KEPT,
  PENDING_LIMIT,
  SUBMIT_LEASE,
  SUBMIT_LIMIT,
} from '#shared/domain/analyses/analysis.ts';
import { APPROVAL_LIFETIME } from '#shared/domain/audit/approvals.ts';
import { SECOND_PASS_AFTER } from '#shared/domain/leads/erasure.ts';
import { NOTICE_DAYS } from '#shared/domain/leads/retention.ts';
import { UNKNOWN_KEYS_ASKED } from '#shared/domain/partners/api-key.ts';
import { DEFAULT_LIMIT, KEY_IN_USE, REFUSALS_KEPT } from '#shared/domain/partners/partner.ts';
import { CALLERS_LOOKED_AT } from '#shared/domain/partners/sandbox-checklist.ts';
import { ASSUMED_AGE } from '#shared/domain/simulations/pricing/borrowers.ts';
import { RATE_AGE_LIMIT, WARNING_DAYS } from '#shared/domain/simulations/pricing/notices.ts';
import { LONGEST_EXTENSION } from '#shared/domain/simulations/pricing/tables/in-force.ts';
import { OFFER_VALIDITY_DAYS } from '#shared/domain/simulations/simulation.ts';
import { CLOCK_DIFFERENCE } from '#shared/domain/values/clock.ts';
import { OUTCOME_AFTER } from '#shared/domain/values/cpf.ts';
import { API_TIMEOUT, LARGEST_BODY, SUBMISSION_TIMEOUT } from '#shared/domain/values/failure.ts';
import { IDEMPOTENCY_TTL } from '#shared/domain/values/idempotency.ts';
import { days, hours, type Milliseconds, minutes, seconds } from '#shared/domain/values/time.ts';
import {
  ANSWER_WITHIN,
  DELIVERIES_SEARCHED,
  DELIVERY_KEPT,
  JITTER,
  REMEMBERED,
  RETRY_WAITS,
  retrySpan,
} from '#shared/domain/webhooks/delivery.ts';
import { DISABLING, ROTATION_OVERLAP, TEST_PAUSE } from '#shared/domain/webhooks/endpoint.ts';

const UNITS: Readonly<Record<string, Milliseconds>> = {
  anos: days(365),
  dias: days(1),
  horas: hours(1),
  minutos: minutes(1),
  segundos: seconds(1),
  years: days(365),
  days: days(1),
  hours: hours(1),
  minutes: minutes(1),
  s: seconds(1),
};

const TIMES: Readonly<Record<string, Milliseconds | undefined>> = {
  ANSWER_WITHIN,
  API_TIMEOUT: seconds(API_TIMEOUT),
  APPROVAL_LIFETIME,
  CLOCK_DIFFERENCE,
  CLOSE_LIMIT,
  CONSENT_KEPT,
  DELIVERY_KEPT,
  FAILING_FOR: DISABLING.failingFor,
  FORM_KEPT,
  FORM_ROW_KEPT: PENDING_LIMIT + FORM_KEPT,
  IDEMPOTENCY_TTL_ANALYSES: IDEMPOTENCY_TTL.analyses,
  IDEMPOTENCY_TTL_RECORDS: IDEMPOTENCY_TTL.records,
  KEY_IN_USE,
  OUTCOME_AFTER,
  PENDING_LIMIT,
  REFUSALS_KEPT: REFUSALS_KEPT.milliseconds,
  RETRY_SPAN: retrySpan('producao'),
  ROTATION_OVERLAP,
  SANDBOX_RETRY: RETRY_WAITS.sandbox[1],
  SECOND_PASS_AFTER,
  SUBMISSION_TIMEOUT: seconds(SUBMISSION_TIMEOUT),
  SUBMIT_LEASE,
  SUBMIT_LIMIT,
  TEST_PAUSE,
};

const NUMBERS: Readonly<Record<string, number>> = {
  ASSUMED_AGE,
  ATTEMPTS: RETRY_WAITS.producao.length,
  ATTEMPTS_SANDBOX: RETRY_WAITS.sandbox.length,
  CALLERS_LOOKED_AT,
  DEFAULT_LIMIT,
  DELIVERIES_SEARCHED,
  FAILURES: DISABLING.failures,
  JITTER_PERCENT: JITTER * 100,
  LARGEST_BODY_KIB: LARGEST_BODY / 1024,
  LONGEST_EXTENSION,
  LONGEST_NAME,
  MOST_NOTICES,
  NEWEST_REFUSALS: REFUSALS_KEPT.newest,
  NOTICE_DAYS,
  OFFER_VALIDITY_DAYS,
  OLD_CONSENT,
  OLDEST: HOLDER_AGES.oldest,
  RATE_AGE_LIMIT,
  WARNING_DAYS,
  REMEMBERED,
  UNKNOWN_KEYS_ASKED,
  YOUNGEST: HOLDER_AGES.youngest,
  YOUNGEST_SPOUSE,
};

function numberOf(unit: string, name: string): number | undefined {
  if (unit === 'numero') return NUMBERS[name];
  const [size, time] = [UNITS[unit], TIMES[name]];
  return size === undefined || time === undefined ? undefined : Math.floor(time / size);
}

/**
 * Fills in `{{dias PENDING_LIMIT}}` (a time in whole units) and `{{numero ATTEMPTS}}`. Throws an Error for an unknown
 * number.
 */
export const withNumbers = (text: string): string =>
  text.replace(/\{\{(\w+) ([A-Z_]+)\}\}/g, (_, unit: string, name: string) => {
    const number = numberOf(unit, name);
    if (number === undefined) throw new Error(`no number ${name} in ${unit}`);
    return String(number);
  });

/**
 * Puts the code's numbers before their marks: `180 days<!-- = FORM_KEPT -->`, `12<!-- = ATTEMPTS --> attempts`.
 * `values` has numbers of a stage. Throws an Error if there is no such number, or none before its mark.
 */
export const withMarkedNumbers = (text: string, values: Readonly<Record<string, number>> = {}): string =>
  text.replace(
    /(\d[\d,]*)?((?:\s+[a-z]+)?\s*)<!-- = (.*?) -->/g,
    (marked: string, written: string | undefined, unit: string, name: string) => {
      const number = values[name] ?? numberOf(unit.trim() || 'numero', name);
      if (written === undefined || number === undefined) throw new Error(`no number for ${marked}`);
      return `${number.toLocaleString('en')}${unit}<!-- = ${name} -->`;
    },
  );

/** Uses the largest unit that divides the span: `5 s`, `30 min`, `2 h`, `30 dias`. */
export function duration(span: Milliseconds): string {
  const units = [
    { size: days(1), name: 'dias' },
    { size: hours(1), name: 'h' },
    { size: minutes(1), name: 'min' },
    { size: seconds(1), name: 's' },
  ];
  // One day is shown as 24 h.
  const unit = units.find(({ size, name }) => span % size === 0 && (name !== 'dias' || span > size));
  return unit ? `${span / unit.size} ${unit.name}` : `${span} ms`;
}
