import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Validations } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { AwsSolutionsChecks } from 'cdk-nag';
import { afterAll, expect, it, vi } from 'vitest';
import settings from '../../../cdk.json' with { type: 'json' };
import { addStage } from '../../../infra/stage-stacks.ts';
import { stageValues } from '../../../infra/stages.ts';
import { EVERYTHING_ON } from '../../makers/synthesised.ts';

const folder = mkdtempSync(join(tmpdir(), 'checked-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('a stage with everything that is off by default passes the rules of CloudFormation and of cdk-nag, and looks nothing up in an account', () => {
  const app = new App({ outdir: folder, analyticsReporting: false, context: settings.context });
  addStage(app, { ...stageValues('prod', { CDK_DEFAULT_ACCOUNT: '111122223333' }), ...EVERYTHING_ON }, () =>
    Code.fromInline('export const handler = async () => ({});'),
  );
  const checks = new AwsSolutionsChecks(app);
  const check = vi.spyOn(checks, 'validate');
  Validations.of(app).addPlugins(checks);
  // Throws, and lists the findings, where one is not acknowledged with a reason.
  const assembly = app.synth();
  expect(assembly.manifest.missing).toBeUndefined();
  expect(check).toHaveBeenCalled();
});
