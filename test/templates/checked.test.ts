import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Validations } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { AwsSolutionsChecks } from 'cdk-nag';
import fc from 'fast-check';
import { afterAll, expect, it, vi } from 'vitest';
import { addStage } from '#infra/stage-stacks.ts';
import { checkStage, STAGE_NAMES, type Stage, type StageName, stageValues } from '#infra/stages.ts';
import settings from '../../cdk.json' with { type: 'json' };
import { EVERYTHING_ON } from '../makers/synthesised.ts';

const folder = mkdtempSync(join(tmpdir(), 'checked-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Throws an Error with the findings if one is not acknowledged. Returns what the app would look up in an account. */
function check(stage: Stage): unknown {
  const outdir = mkdtempSync(join(folder, stage.name));
  const app = new App({ outdir, analyticsReporting: false, context: settings.context });
  addStage(app, stage, () => Code.fromInline('export const handler = async () => ({});'));
  const checks = new AwsSolutionsChecks(app);
  const checked = vi.spyOn(checks, 'validate');
  Validations.of(app).addPlugins(checks);
  const assembly = app.synth();
  expect(checked).toHaveBeenCalled();
  return assembly.manifest.missing;
}

const filledIn = (name: StageName) => stageValues(name, { CDK_DEFAULT_ACCOUNT: '111122223333' });

it('a stage with every option on passes CloudFormation’s rules and cdk-nag, and looks up nothing in an account', () => {
  expect(check({ ...filledIn('prod'), ...EVERYTHING_ON })).toBeUndefined();
});

const calls = fc.record({ rate: fc.integer({ min: 1, max: 12_000 }), burst: fc.integer({ min: 1, max: 6_000 }) });
const wall = fc.option(fc.record({ perAddress: fc.integer({ min: 1, max: 30_000 }) }), { nil: undefined });
const values: fc.Arbitrary<Partial<Stage>> = fc.record({
  throttle: calls,
  firewall: wall,
  pollShards: fc.integer({ min: 0, max: 70 }),
  webhookConcurrency: fc.integer({ min: 1, max: 1_100 }),
  retention: fc.record({ recoveryDays: fc.integer({ min: 0, max: 40 }), keepsLogs: fc.boolean() }),
  concurrency: fc.record({
    accountLimit: fc.constantFrom(10, 300, 1_000),
    reserved: fc.dictionary(fc.constantFrom('submit-analyses', 'sweep-deliveries'), fc.integer({ min: 0, max: 400 })),
    provisioned: fc.dictionary(fc.constantFrom('get-lead', 'create-lead', 'nothing'), fc.integer({ min: 0, max: 60 })),
  }),
  administration: fc.record({
    throttle: calls,
    firewall: wall,
    accounts: fc.subarray(['444455556666', '12']),
    vpcEndpoints: fc.subarray(['vpce-0123456789abcdef0']),
  }),
  shift: fc.constantFrom('canary', 'at-once', 'hotfix'),
  probeHasKey: fc.boolean(),
  executeApi: fc.boolean(),
  consentDays: fc.integer({ min: 20, max: 2_000 }),
});

// With SOAK=1 it synthesises 15 stages. On a busy machine this takes longer than the usual time limit.
it('CloudFormation’s rules accept the templates of every stage that checkStage accepts', { timeout: 600_000 }, () => {
  const passes = (stage: Stage) => {
    try {
      checkStage(stage);
      return true;
    } catch {
      return false;
    }
  };
  const stages = fc
    .tuple(fc.constantFrom(...STAGE_NAMES), values)
    .map(([name, some]) => ({ ...filledIn(name), ...some }) as Stage)
    .filter(passes);
  fc.assert(
    fc.property(stages, (stage) => void check(stage)),
    { numRuns: process.env['SOAK'] ? 15 : 2, endOnFailure: true },
  );
});
