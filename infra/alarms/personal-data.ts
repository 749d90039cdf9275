import { metricsOf } from '../metrics.ts';
import type { Stage } from '../stages.ts';
import { type AlarmRow, ticket } from './row.ts';

const DAY = 24 * 60;
/** Percent of a sealing key's encryptions at which it is to be rotated: at 300 a second that is a month and a half of use. */
const ROTATE_AT = 25;

/** What is promised to the persons whose data the service holds. */
export function personalData(stage: Stage): AlarmRow[] {
  const { own } = metricsOf(stage);
  return [
    ticket(
      'erasures-failing',
      { board: 'platform', section: 'erasure' },
      'A person’s erasure breaks off again and again: data that we have promised to erase is still there.',
      { metric: own('ErasuresFailed', {}), atLeast: 1, datapoints: 3 },
    ),
    ticket(
      'sealing-key-used',
      { board: 'platform', section: 'sealing-key' },
      'The sealing key has made a quarter of the encryptions that it is good for: rotate it while there is time.',
      { metric: own('SealingKeyUse', {}, { statistic: 'Maximum', minutes: DAY }), atLeast: ROTATE_AT },
    ),
  ];
}
