import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { StartError } from './start-error.ts';

/**
 * Synthesises the dev stage into a folder, by the same program that a deployment runs; `signal` ends it. CDK's check
 * against CloudFormation's own rules is left to `npm run synth` and to deployments: it takes most of a synthesis.
 * Throws a StartError with its output where it fails.
 */
export async function synthesise(project: string, folder: string, signal?: AbortSignal): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  const { CDK_DEFAULT_ACCOUNT: _, ...environment } = process.env;
  const child = spawn(process.execPath, ['bin/app.ts', '--stage', 'dev'], {
    cwd: project,
    env: { ...environment, CDK_OUTDIR: folder, CDK_VALIDATION: 'false' },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(signal && { signal }),
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new StartError(`synthesis failed: npm run synth shows the same\n${output.trim()}`);
}
