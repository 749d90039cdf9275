import { metricsOf } from '../metrics.ts';
import type { Stage } from '../stages.ts';
import { type AlarmRow, page, ticket } from './row.ts';

/** ACM renews 60 days before the end and writes to the account 45 days before it: then somebody has missed both. */
export const CERTIFICATE_DAYS = 30;

/** What the probe sees over the public name, as partners do. None before it has its key: without one it is silent, and silence pages. */
export function outside(stage: Stage): AlarmRow[] {
  if (!stage.probeHasKey) return [];
  const { own } = metricsOf(stage);
  const silent = page(
    'outside-probe',
    { board: 'platform', section: 'probe' },
    'The service does not answer from outside: partners cannot call it, whatever its own metrics say.',
    {
      metric: own('ProbeSuccess', {}, { statistic: 'Minimum', minutes: 1 }),
      below: 1,
      datapoints: 2,
      outOf: 3,
      missingIsBad: true,
    },
  );
  const ending = ticket(
    'certificate-days',
    { board: 'platform', section: 'domain-certificate' },
    'The certificate of the service’s name ends within 30 days and was not renewed: then nobody can call.',
    { metric: own('CertificateDays', {}, { statistic: 'Minimum', minutes: 60 }), below: CERTIFICATE_DAYS },
  );
  return stage.domain ? [silent, ending] : [silent];
}
