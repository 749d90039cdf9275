import { metricsOf } from '../metrics.ts';
import type { Stage } from '../stages.ts';
import { type AlarmRow, ticket } from './row.ts';

/** Who calls more than it may, and who calls with keys that open nothing. */
export function callers(stage: Stage): AlarmRow[] {
  const { own, rule } = metricsOf(stage);
  return [
    ticket(
      'partner-rate',
      { board: 'partners', section: 'rate' },
      'A partner calls far above its rate and is refused: its integration is stuck in a loop or has outgrown its limit.',
      { metric: rule('refused-by-rate', 15), above: 300 },
    ),
    ticket(
      'authentication-failures',
      { board: 'partners', section: 'leaked-key' },
      'Many calls come with keys that open nothing: someone tries keys, or a partner uses one that was replaced.',
      { metric: own('AuthenticationFailures', {}), above: 100 },
    ),
  ];
}
