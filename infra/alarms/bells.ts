import { minutes } from '#shared/domain/values/time.ts';
import { math, metricsOf } from '../metrics.ts';
import type { Stage } from '../stages.ts';
import { page, type Row, ticket } from './row.ts';

const OFFICE_HOURS = 'office-hours';

/**
 * Returns the alarms that notify if one of their parts is on. Each joins parts that one person looks at in one visit,
 * because a part that goes on later sends no message of its own. A person works on a page until it is over. A ticket
 * may stay open for days: it ends with the office hours, so that it rings again each morning while a part is on.
 */
export const bells = (stage: Stage): Row[] => [
  officeHours(stage),
  page('calls-fail', { board: 'platform', about: 'us' }, 'Partners get errors, or cannot reach the service at all.', {
    alarms: ['error-budget-fast', 'most-calls-fail', 'writing-calls-fail', 'outside-probe'],
  }),
  page(
    'platform-refuses',
    { board: 'platform', about: 'us' },
    'The table or Secrets Manager refuses the service: calls end in 503 now, or when containers start.',
    { alarms: ['table-refuses', 'secrets-away'] },
  ),
  page(
    'operator-fails',
    { board: 'product', about: 'bank' },
    'No bank gets submissions or sends outcomes: the operator does not answer, or refuses our token.',
    { alarms: ['nothing-submitted', 'operator-unauthorized', 'all-banks-failing'] },
  ),
  page(
    'poller-late',
    { board: 'platform', about: 'us' },
    'Outcomes of banks arrive late or not at all: the poller stands still or is behind.',
    { alarms: ['poller-silent', 'poll-lag'] },
  ),
  page(
    'webhooks-late',
    { board: 'platform', about: 'us' },
    'Partners get webhooks late or not at all: the worker or the sweeper stands still or is behind.',
    { alarms: ['webhook-delay', 'worker-silent', 'sweeper-silent'] },
  ),
  ticket(
    'service-degraded',
    { board: 'platform', about: 'us' },
    'A few calls of partners fail all the time, an operation is slow, or Lambda’s concurrency is nearly used up.',
    { alarms: ['error-budget-slow', 'latency', 'lambda-concurrency'], during: OFFICE_HOURS },
  ),
  ticket(
    'runs-wrong',
    { board: 'platform', about: 'us' },
    'Background runs fail or have a wrong clock, or the queue loses deliveries: polls, sweeps, erasures or webhooks wait.',
    { alarms: ['runs-failing', 'clock-wrong', 'sweeper-repairs'], during: OFFICE_HOURS },
  ),
  ticket(
    'upkeep',
    { board: 'platform', about: 'us' },
    'Something ends if nobody acts: the certificate, the sealing key, or the nightly copies of the tables.',
    { alarms: ['certificate-days', 'sealing-key-used', 'copies-missing'], during: OFFICE_HOURS },
  ),
  ticket(
    'business-unusual',
    { board: 'product', about: 'us' },
    'Most submissions are refused, or nobody submits, or no bank decides, although the last week was busy.',
    { alarms: ['submissions-refused', 'business-stopped'], during: OFFICE_HOURS },
  ),
  ticket(
    'callers-refused',
    { board: 'partners', about: 'partner' },
    'A partner’s calls are refused: it calls far above its rate, or the web firewall blocks one call in five.',
    { alarms: ['partner-rate', 'firewall-blocks'], during: OFFICE_HOURS },
  ),
];

/** Returns the alarm that is on in business hours, and while the poller, from whose metric it takes the time, is silent. */
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
