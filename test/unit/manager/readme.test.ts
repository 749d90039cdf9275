import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { managerProgram } from '#bin/manager/program.ts';
import { Session } from '#bin/manager/session.ts';
import { processTerminal } from '#bin/manager/terminal.ts';

const readme = readFileSync(new URL('../../../bin/manager/README.md', import.meta.url), 'utf8');
const nouns = managerProgram(new Session(processTerminal())).commands.filter((noun) => noun.name() !== 'help');
const rowsOf = (noun: string) => readme.split('\n').filter((line) => line.startsWith(`| \`${noun}\``));

it.each(nouns.map((noun) => [noun.name(), noun] as const))(
  'the table of bin/manager/README.md names every verb of %s',
  (name, noun) => {
    const rows = rowsOf(name).join('\n');
    expect(rows).not.toBe('');
    const missing = noun.commands
      .map((verb) => verb.name())
      .filter((verb) => verb !== 'help' && !new RegExp(`(?<![\\w-])${verb}(?![\\w-])`).test(rows));
    expect(missing).toEqual([]);
  },
);
