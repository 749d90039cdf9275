import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, it } from 'vitest';

const PROJECT = join(import.meta.dirname, '../..');
const CDK = join(PROJECT, 'node_modules/.bin/cdk');
/** An environment without credentials, on any machine. */
const NOBODY = { PATH: process.env['PATH'], HOME: join(PROJECT, 'test'), AWS_EC2_METADATA_DISABLED: 'true' };

const DOCUMENTS = ['README.md', 'infra/README.md', 'infra/RUNBOOK.md'];
const COMMANDS = DOCUMENTS.flatMap((file) =>
  [...readFileSync(join(PROJECT, file), 'utf8').matchAll(/npx cdk ([^`\n]+)/g)].map(([, command]) => command!.trim()),
);
const of = (verb: string) => [...new Set(COMMANDS)].filter((command) => command.split(' ')[0] === verb);

/** Returns what the CDK command line prints, and its exit code. */
async function cdk(...words: string[]): Promise<{ code: number; text: string }> {
  const run = promisify(execFile)(CDK, words, { cwd: PROJECT, env: NOBODY });
  return run.then(
    ({ stdout, stderr }) => ({ code: 0, text: stdout + stderr }),
    ({ code, stdout, stderr }) => ({ code, text: stdout + stderr }),
  );
}

it('the documents’ bootstrap commands need no stage, and fail only for missing credentials', async () => {
  expect(of('bootstrap')).not.toEqual([]);
  for (const command of of('bootstrap')) {
    const words = command.replace('<account>', '111122223333').replace('<region>', 'sa-east-1').split(' ');
    const { text } = await cdk(...words);
    expect(text, command).toContain('no credentials have been configured');
  }
});

it('cdk deploy without a stage deploys nothing and asks for the stage', async () => {
  const { code, text } = await cdk('deploy', '--all');
  expect(code).toBe(1);
  expect(text).toContain('name the stage: -c stage=dev');
});

it.each(['deploy', 'diff', 'destroy', 'drift'])(
  'the documents’ %s commands name existing stacks and options',
  async (verb) => {
    const help = (await cdk(verb, '--help')).text;
    const stacks = readdirSync(inject('assembly')).flatMap((file) => /^(.*)\.template\.json$/.exec(file)?.[1] ?? []);
    expect(of(verb)).not.toEqual([]);
    for (const command of of(verb)) {
      expect(command).toMatch(/-c stage=(dev|prod)\b/);
      const words = command
        .replaceAll(/-c \S+/g, '')
        .replaceAll('-prod-', '-dev-')
        .split(' ')
        .slice(1)
        .filter(Boolean);
      for (const word of words)
        expect(word.startsWith('-') ? help.includes(`  ${word}`) : stacks.includes(word), `${word} of ${command}`).toBe(
          true,
        );
    }
  },
);
