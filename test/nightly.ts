import { globSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/**
 * Test files that only `npm run test:nightly` runs, grouped by what makes them slow. A file stays out of this list
 * while it is the only proof of something that the changes of one day can break.
 */
const NIGHTLY: readonly string[] = [
  // Code generators and programs in other languages, and what they build.
  'test/flows/generated-clients.test.ts',
  'test/flows/partner-tools.test.ts',
  'test/service/docs/call-samples.test.ts',
  'test/service/docs/samples.test.ts',
  'test/service/partner/python-client.test.ts',
  // Tests that open every page in a browser.
  'test/service/docs/pages.test.ts',
  'test/service/local/dashboards.test.ts',
  'test/flows/hosted-panel.test.ts',
  'test/flows/panel-layout.test.ts',
  'test/flows/panel.test.ts',
  'test/flows/two-people.test.ts',
  // The service as processes: started, killed, restored, and called from outside.
  'test/flows/kill-and-restart.test.ts',
  'test/flows/outages.test.ts',
  'test/flows/rehearse-restore.test.ts',
  'test/flows/rehearse-upgrade.test.ts',
  'test/flows/smoke.test.ts',
  'test/templates/cdk-commands.test.ts',
  // Peers that behave as AWS does on a normal day and on a bad day.
  'test/flows/aws-like/**/*.test.ts',
  'test/service/local/aws-like.test.ts',
  // Sweeps that stop a run at each of its calls, or let two runs overlap at each call.
  'test/flows/*-crashes.test.ts',
  'test/flows/*-overlaps.test.ts',
  'test/flows/*-races.test.ts',
  'test/flows/account-changes.test.ts',
  'test/flows/late-answers.test.ts',
];

/**
 * Test files that both runs play. With SOAK=1, which the nightly run sets, their sweeps and random tests have full
 * size.
 */
export const GROWING: readonly string[] = [
  'test/flows/history.test.ts',
  'test/flows/index-rotation.test.ts',
  'test/flows/overlaps.test.ts',
  'test/flows/pushed-outcomes.test.ts',
  'test/flows/sandbox-reset.test.ts',
  'test/operations/bad-input.test.ts',
  'test/table/api-key-auth.test.ts',
  'test/table/api-keys.test.ts',
  'test/table/lead-retention.test.ts',
  'test/table/long-lists.test.ts',
  'test/table/outcomes.test.ts',
  'test/templates/checked.test.ts',
  'test/unit/domain/analyses/poll-lane.test.ts',
  'test/unit/domain/analyses/poll-simulation.test.ts',
  'test/unit/domain/analyses/statuses.test.ts',
  'test/unit/domain/simulations/pricing/affordability.test.ts',
  'test/unit/domain/simulations/pricing/contradictions.test.ts',
  'test/unit/domain/simulations/pricing/effective-cost.test.ts',
  'test/unit/domain/simulations/pricing/norms.test.ts',
  'test/unit/domain/simulations/pricing/quote.test.ts',
  'test/unit/domain/simulations/pricing/ratio.test.ts',
  'test/unit/domain/simulations/pricing/refusals.test.ts',
  'test/unit/domain/simulations/pricing/schedule.test.ts',
  'test/unit/domain/values/clock.test.ts',
  'test/unit/domain/values/cpf.test.ts',
  'test/unit/domain/values/ids.test.ts',
  'test/unit/domain/values/money.test.ts',
  'test/unit/pdf/comparison-rows.test.ts',
];

/** Whether only the nightly run plays a test file. */
export const isNightly = (file: string) => NIGHTLY.some((pattern) => matchesGlob(file, pattern));

/**
 * Returns the test files that a run leaves out. `daily` leaves out the files that only the nightly run plays. `nightly`
 * leaves out the files that the daily run plays in the same size. `all` leaves out none.
 */
export function leftOut(run: string): string[] {
  const files = globSync('test/**/*.test.ts', { cwd: ROOT });
  if (run === 'daily') return files.filter(isNightly);
  if (run === 'nightly') return files.filter((file) => !isNightly(file) && !GROWING.includes(file));
  if (run === 'all') return [];
  throw new Error(`TESTS is daily, nightly or all, not ${run}`);
}
