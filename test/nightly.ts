import { globSync, readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/**
 * What `npm test` leaves to `npm run test:nightly`, each with what makes it slow. A file stays out of this list while it is
 * the only proof of something that a change of one day can break.
 */
const NIGHTLY: readonly string[] = [
  // Generators and languages of others, and what they build.
  'test/flows/generated-clients.test.ts',
  'test/flows/partner-tools.test.ts',
  'test/service/docs/samples.test.ts',
  'test/service/partner/python-client.test.ts',
  // Each page in a browser.
  'test/service/docs/pages.test.ts',
  'test/service/local/dashboards.test.ts',
  'test/flows/panel.test.ts',
  'test/flows/two-people.test.ts',
  // The service as processes: started, killed, restored, walked from outside.
  'test/flows/kill-and-restart.test.ts',
  'test/flows/outages.test.ts',
  'test/flows/rehearse-restore.test.ts',
  'test/flows/rehearse-upgrade.test.ts',
  'test/flows/smoke.test.ts',
  'test/service/infra/cdk-commands.test.ts',
  // Peers that behave as AWS does on a normal and on a bad day.
  'test/flows/aws-like/**/*.test.ts',
  'test/service/local/aws-like.test.ts',
  // Sweeps that stop a run at each of its calls, or let two overlap at each.
  'test/flows/*-crashes.test.ts',
  'test/flows/*-races.test.ts',
];

/** Whether a file has sweeps that SOAK=1 plays at full size. */
const grows = (file: string) => /\b(SOAK|PRICING_CASES)\b/.test(readFileSync(join(ROOT, file), 'utf8'));

/**
 * The test files that a run leaves out: a `daily` one those of the list, a `nightly` one what neither is in the list nor
 * grows, `all` none.
 */
export function leftOut(run: string): string[] {
  const files = globSync('test/**/*.test.ts', { cwd: ROOT });
  const isNightly = (file: string) => NIGHTLY.some((pattern) => matchesGlob(file, pattern));
  if (run === 'daily') return files.filter(isNightly);
  if (run === 'nightly') return files.filter((file) => !isNightly(file) && !grows(file));
  if (run === 'all') return [];
  throw new Error(`TESTS is daily, nightly or all, not ${run}`);
}
