import { minutes } from '#shared/domain/values/time.ts';
import { math, metricsOf } from '../metrics.ts';
import type { Stage } from '../stages.ts';
import { page, type Row, ticket } from './row.ts';

const OFFICE_HOURS = 'office-hours';

type Bell = readonly [name: string, impact: string, alarms: readonly string[], where?: Pick<Row, 'board' | 'about'>];
const US = { board: 'platform', about: 'us' } as const;

const PAGES: readonly Bell[] = [
  [
    'calls-fail',
    'Partners get errors, or cannot reach the service at all.',
    ['error-budget-fast', 'most-calls-fail', 'writing-calls-fail', 'outside-probe'],
  ],
  [
    'platform-refuses',
    'The table or Secrets Manager refuses the service: calls end in 503 now, or when containers start.',
    ['table-refuses', 'secrets-away'],
  ],
  [
    'operator-fails',
    'No bank gets submissions or sends outcomes: the operator does not answer, or refuses our token.',
    ['nothing-submitted', 'operator-unauthorized', 'all-banks-failing'],
    { board: 'product', about: 'bank' },
  ],
  [
    'poller-late',
    'Outcomes of banks arrive late or not at all: the poller stands still or is behind.',
    ['poller-silent', 'poll-lag'],
  ],
  [
    'webhooks-late',
    'Partners get webhooks late or not at all: the worker or the sweeper stands still or is behind.',
    ['webhook-delay', 'worker-silent', 'sweeper-silent'],
  ],
];

const TICKETS: readonly Bell[] = [
  [
    'service-degraded',
    'A few calls of partners fail all the time, an operation is slow, or Lambda’s concurrency is nearly used up.',
    ['error-budget-slow', 'latency', 'lambda-concurrency'],
  ],
  [
    'runs-wrong',
    'Background runs fail or have a wrong clock, or the queue loses deliveries: polls, sweeps, erasures or webhooks wait.',
    ['runs-failing', 'clock-wrong', 'sweeper-repairs'],
  ],
  [
    'upkeep',
    'Something needs a person: the certificate, the sealing key, the nightly copies of the tables, or a published rate that is not used.',
    ['certificate-days', 'sealing-key-used', 'copies-missing', 'rates-unknown'],
  ],
  [
    'business-unusual',
    'Most submissions are refused, or nobody submits, or no bank decides, although the last week was busy.',
    ['submissions-refused', 'business-stopped'],
    { board: 'product', about: 'us' },
  ],
  [
    'callers-refused',
    'A partner’s calls are refused: it calls far above its rate, or the web firewall blocks one call in five.',
    ['partner-rate', 'firewall-blocks'],
    { board: 'partners', about: 'partner' },
  ],
];

/**
 * Each bell is a composite alarm over alarms that one person checks together. While the bell is on, a further alarm of
 * the bell sends no message. A ticket may stay open for days, so it is off outside of office hours and rings again each
 * morning.
 */
export const bells = (stage: Stage): Row[] => [
  officeHours(stage),
  ...PAGES.map(([name, impact, alarms, where = US]) => page(name, where, impact, { alarms })),
  ...TICKETS.map(([name, impact, alarms, where = US]) => ticket(name, where, impact, { alarms, during: OFFICE_HOURS })),
];

/**
 * On in business hours. The time comes from the poller's metric, so the alarm is also on while the poller is silent.
 */
function officeHours(stage: Stage): Row {
  const clock = metricsOf(stage).total('Pending', { period: minutes(5), statistic: 'SampleCount' });
  return {
    name: OFFICE_HOURS,
    level: 'clock',
    board: 'platform',
    about: 'us',
    impact: 'Nothing is wrong: it is on in office hours, in which tickets over several alarms may ring.',
    when: { metric: math({ clock }, { businessHours: 'clock', gives: 1 }, 'open'), atLeast: 1, missingIsBad: true },
  };
}
