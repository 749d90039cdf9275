import { HOLDER_AGES } from '#shared/contract/analysis-request.ts';
import { CLOSE_LIMIT, CONSENT_KEPT, FORM_KEPT, PENDING_LIMIT, SUBMIT_LIMIT } from '#shared/domain/analyses/analysis.ts';
import { SECOND_PASS_AFTER } from '#shared/domain/leads/erasure.ts';
import { DEFAULT_LIMIT, KEY_IN_USE, REFUSALS_KEPT } from '#shared/domain/partners/partner.ts';
import { RATE_AGE_LIMIT } from '#shared/domain/simulations/pricing/notices.ts';
import { LONGEST_EXTENSION } from '#shared/domain/simulations/pricing/tables/in-force.ts';
import { CLOCK_DIFFERENCE } from '#shared/domain/values/clock.ts';
import { LARGEST_BODY } from '#shared/domain/values/failure.ts';
import { days, hours, type Milliseconds, minutes, seconds } from '#shared/domain/values/time.ts';
import { ANSWER_WITHIN, DELIVERY_KEPT, JITTER, RETRY_WAITS, retrySpan } from '#shared/domain/webhooks/delivery.ts';
import { DISABLING, ROTATION_OVERLAP } from '#shared/domain/webhooks/endpoint.ts';

const UNITS: Readonly<Record<string, Milliseconds>> = {
  anos: days(365),
  dias: days(1),
  horas: hours(1),
  minutos: minutes(1),
  segundos: seconds(1),
};

/** Times that a text may name in one of UNITS. */
const TIMES: Readonly<Record<string, Milliseconds>> = {
  ANSWER_WITHIN,
  CLOCK_DIFFERENCE,
  CLOSE_LIMIT,
  CONSENT_KEPT,
  DELIVERY_KEPT,
  FAILING_FOR: DISABLING.failingFor,
  FORM_KEPT,
  KEY_IN_USE,
  PENDING_LIMIT,
  REFUSALS_KEPT: REFUSALS_KEPT.milliseconds,
  RETRY_SPAN: retrySpan('producao'),
  ROTATION_OVERLAP,
  SECOND_PASS_AFTER,
  SUBMIT_LIMIT,
};

const NUMBERS: Readonly<Record<string, number>> = {
  ATTEMPTS: RETRY_WAITS.producao.length,
  DEFAULT_LIMIT,
  FAILURES: DISABLING.failures,
  JITTER_PERCENT: JITTER * 100,
  KIB: LARGEST_BODY / 1024,
  LONGEST_EXTENSION,
  OLDEST: HOLDER_AGES.oldest,
  RATE_AGE_LIMIT,
  YOUNGEST: HOLDER_AGES.youngest,
};

function numberOf(unit: string, name: string): number | undefined {
  if (unit === 'numero') return NUMBERS[name];
  const [size, time] = [UNITS[unit], TIMES[name]];
  return size === undefined || time === undefined ? undefined : Math.floor(time / size);
}

/**
 * Returns a text with the code's numbers in the place of `{{dias PENDING_LIMIT}}` (a time in whole units) and
 * `{{numero ATTEMPTS}}`. Throws an Error if there is no such number.
 */
export const withNumbers = (text: string): string =>
  text.replace(/\{\{(numero|anos|dias|horas|minutos|segundos) (\w+)\}\}/g, (_, unit: string, name: string) => {
    const number = numberOf(unit, name);
    if (number === undefined) throw new Error(`no number ${name} in ${unit}`);
    return String(number);
  });
