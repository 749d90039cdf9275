import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { STAGE_NAMES } from '#infra/stages.ts';

const PROJECT = join(import.meta.dirname, '../..');

it('npm run synth bundles the code, checks the templates of all stages and finds nothing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'partner-credit-synth-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  // A finding of cdk-nag or of CloudFormation's rules ends the program with an exit code, which rejects.
  await promisify(execFile)('npm', ['run', 'synth'], { cwd: PROJECT, env: { ...process.env, CDK_OUTDIR: folder } });
  const made = readdirSync(folder, { recursive: true }).filter((file) => String(file).endsWith('.template.json'));
  for (const stage of STAGE_NAMES) expect(made.filter((file) => String(file).includes(`-${stage}-`))).toHaveLength(4);
});
