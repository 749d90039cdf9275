import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Validations } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { AwsSolutionsChecks } from 'cdk-nag';
import { afterAll, describe, expect, it, vi } from 'vitest';
import settings from '../../../cdk.json' with { type: 'json' };
import { addStage } from '../../../infra/stage-stacks.ts';
import { stageValues } from '../../../infra/stages.ts';
import { FILLED_IN } from '../../makers/synthesised.ts';

const folder = mkdtempSync(join(tmpdir(), 'checked-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a stage with everything that is off by default', () => {
  it('passes the rules of CloudFormation and of cdk-nag, and looks nothing up in an account', () => {
    const app = new App({ outdir: folder, analyticsReporting: false, context: settings.context });
    addStage(
      app,
      {
        ...stageValues('prod', { CDK_DEFAULT_ACCOUNT: '111122223333' }),
        domain: {
          name: 'api.credit.example',
          certificateArn: 'arn:aws:acm:sa-east-1:111122223333:certificate/0a1b2c3d-0000-4000-8000-000000000000',
        },
        evidence: FILLED_IN.evidence,
        probeHasKey: true,
        executeApi: false,
        fixedEgress: true,
        egressAddresses: true,
        concurrency: {
          accountLimit: 1000,
          reserved: { 'submit-analyses': 200, 'poll-bank-outcomes': 8, 'sweep-deliveries': 2 },
          provisioned: { 'get-lead': 3 },
        },
        alarmTargets: {
          page: [
            { kind: 'slack', workspaceId: 'T0AAAAAAA', channelId: 'C0AAAAAAA' },
            { kind: 'https', url: 'https://pager.operator.example/v1/alerts' },
          ],
          ticket: [{ kind: 'email', address: 'team@operator.example' }],
        },
      },
      () => Code.fromInline('export const handler = async () => ({});'),
    );
    const checks = new AwsSolutionsChecks(app);
    const check = vi.spyOn(checks, 'validate');
    Validations.of(app).addPlugins(checks);
    // Throws, and lists the findings, where one is not acknowledged with a reason.
    const assembly = app.synth();
    expect(assembly.manifest.missing).toBeUndefined();
    expect(check).toHaveBeenCalled();
  });
});
