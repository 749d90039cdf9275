import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { completionScript } from '#bin/manager/completion.ts';
import { managerProgram } from '#bin/manager/program.ts';
import { Session } from '#bin/manager/session.ts';
import { processTerminal } from '#bin/manager/terminal.ts';

const program = managerProgram(new Session(processTerminal()));
const isThere = (shell: string) => {
  try {
    execFileSync(shell, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

let folder: string;
const scriptOf = (shell: string) => join(folder, shell);
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'manager-completion-'));
  for (const shell of ['bash', 'zsh', 'fish'] as const)
    writeFileSync(scriptOf(shell), completionScript(program, shell));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const linesOf = (text: string) => text.split('\n').filter((line) => line !== '');
const run = (shell: string, ...args: readonly string[]) => linesOf(execFileSync(shell, args, { encoding: 'utf8' }));

/** Fills the variables of a completion function, calls it and prints what it found. The last word is the begun one. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: the shell reads the braces.
const CALL = 'COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _manager; printf "%s\\n" "${COMPREPLY[@]}"';
const inBash = (...words: readonly string[]) =>
  run('bash', '-c', `. ${scriptOf('bash')}; COMP_WORDS=(manager "$@"); ${CALL}`, 'bash', ...words);
// Zsh calls the function in the emulation of sh (bashcompinit).
const inZsh = (...words: readonly string[]) =>
  run(
    'zsh',
    '-fc',
    `autoload -U compinit && compinit -D && . ${scriptOf('zsh')} && emulate sh; COMP_WORDS=(manager "$@"); ${CALL}`,
    'zsh',
    ...words,
  );
const inFish = (...words: readonly string[]) =>
  run('fish', '--no-config', '-c', `source ${scriptOf('fish')}; complete -C '${['manager', ...words].join(' ')}'`).map(
    (line) => line.replace(/\t.*/, ''),
  );

const SHELLS = [
  ['bash', inBash],
  ['zsh', inZsh],
  ['fish', inFish],
] as const;

describe.each(SHELLS)('the completion script in %s', (shell, completed) => {
  const CASES: readonly (readonly [what: string, words: readonly string[], found: readonly string[]])[] = [
    ['nouns', ['de'], ['deliveries']],
    ['verbs of a noun', ['service-keys', 're'], ['retire', 'rewrite']],
    ['options of a verb', ['keys', 'create', '--consultant'], ['--consultant', '--consultant-name']],
    ['values of an option', ['keys', 'create', '--environment', ''], ['producao', 'sandbox']],
    ['values of an argument', ['completion', 'z'], ['zsh']],
  ];

  it.runIf(isThere(shell)).each(CASES)(`${shell} completes %s`, (_, words, found) => {
    expect(completed(...words).sort()).toEqual(found);
  });

  it.runIf(isThere(shell))(`${shell} completes the stages after --stage, also behind a verb`, () => {
    const stages = ['dev', 'local', 'prod', 'staging'];
    expect(completed('--stage', '').sort()).toEqual(stages);
    if (shell !== 'fish') expect(completed('units', 'list', '--stage', '').sort()).toEqual(stages);
  });
});

it('the script for each shell names every command and every option', () => {
  const all = (command: Command): Command[] => [command, ...command.commands.flatMap(all)];
  const names = all(program).flatMap((command) => [
    ...command.commands.map((inner) => inner.name()),
    ...command.options.flatMap(({ long }) => long?.slice(2) ?? []),
  ]);
  expect(names.length).toBeGreaterThan(200);
  for (const shell of ['bash', 'zsh', 'fish'] as const) {
    const script = completionScript(program, shell);
    expect(names.filter((name) => !script.includes(name))).toEqual([]);
  }
});
