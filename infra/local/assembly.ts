import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from './closers.ts';

/** Where Node keeps the code that it has compiled, from the top of the project: loading the CDK is most of a synthesis. */
export const COMPILED = 'node_modules/.cache/compiled';

/**
 * Synthesises the dev stage into a folder, by the same program that a deployment runs; `signal` ends it. The checks
 * against CloudFormation's own rules and cdk-nag's are left to `npm run synth` and to deployments.
 * Throws a StartError with its output where it fails.
 */
export async function synthesise(project: string, folder: string, signal?: AbortSignal): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  const { CDK_DEFAULT_ACCOUNT: _, ...environment } = process.env;
  const child = spawn(process.execPath, ['bin/app.ts', '--stage', 'dev'], {
    cwd: project,
    env: { ...environment, CDK_OUTDIR: folder, CDK_VALIDATION: 'false', NODE_COMPILE_CACHE: join(project, COMPILED) },
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
