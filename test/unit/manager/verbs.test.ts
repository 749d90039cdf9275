import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { expect, it } from 'vitest';
import { managerProgram } from '#bin/manager/program.ts';
import { Session } from '#bin/manager/session.ts';
import { processTerminal } from '#bin/manager/terminal.ts';
import { useAnsweredManager } from '#test/makers/answered-manager.ts';

// golden/ holds what each command sends and prints, in the form that makers/answered-manager.ts describes. To add a
// command, add its `$` line. `npx vitest run test/unit/manager/verbs.test.ts --update` then writes the rest. Read each
// changed line before you keep it.

const GOLDEN = join(import.meta.dirname, 'golden');
const HELP = 'help.txt';
/** Calls that the command line refuses before it asks the API. */
const REFUSALS = 'refusals.txt';
const SCRIPTS = readdirSync(GOLDEN).filter((file) => file !== HELP);
const textOf = (file: string) => readFileSync(join(GOLDEN, file), 'utf8');

const replayed = useAnsweredManager();

it.each(SCRIPTS)('each command in golden/%s sends and prints what the file says', async (file) => {
  await expect(await replayed(textOf(file))).toMatchFileSnapshot(join(GOLDEN, file));
});

const withVerbs = (command: Command): Command[] => [command, ...command.commands.flatMap(withVerbs)];
const COMMANDS = withVerbs(managerProgram(new Session({ ...processTerminal(), columns: 80 })));
const wordsOf = (command: Command): string[] => (command.parent ? [...wordsOf(command.parent), command.name()] : []);

it('the help of each noun and verb is as in golden/help.txt, fits 80 columns and has an example', async () => {
  const texts = COMMANDS.map((command) => {
    const parts: string[] = [];
    command.configureOutput({ writeOut: (part) => void parts.push(part) }).outputHelp();
    const text = parts.join('');
    expect(text).toMatch(/Example:\n {2}npm run manager -- \w+/);
    for (const line of text.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
    // The global options are the same for each command, so only the first text keeps them.
    return text.replace(/\nGlobal Options:\n(.+\n)+/, '');
  });
  await expect(texts.join('\n\n')).toMatchFileSnapshot(join(GOLDEN, HELP));
});

/** The verbs, and the nouns without verbs. */
const VERBS = COMMANDS.filter(({ commands }) => commands.length === 0);

it('each verb that calls the API has a command in the golden files', () => {
  const scripts = SCRIPTS.filter((file) => file !== REFUSALS).map(textOf);
  const verbs = VERBS.map((command) => wordsOf(command).join(' '));
  // These commands ask no API. webhook-trial.test.ts, tables.test.ts and completion.test.ts run them.
  const alone = ['webhook trigger', 'tables check', 'completion'];
  const unheard = verbs.filter((verb) => !new RegExp(`^\\$ ${verb}( |$)`, 'm').test(scripts.join('')));
  expect(unheard).toEqual(alone);
});

it('golden/refusals.txt refuses a bad value of each option, and a missing one, for each verb', () => {
  const refusals = textOf(REFUSALS);
  const unheard = VERBS.flatMap((command) => {
    const verb = wordsOf(command).join(' ');
    const checked = command.options.filter(({ parseArg }) => parseArg !== undefined).map(({ long }) => ` ${long} `);
    const needed = command.options.some(({ mandatory }) => mandatory) ? ['\n'] : [];
    return [...checked, ...needed].map((rest) => `$ ${verb}${rest}`).filter((call) => !refusals.includes(call));
  });
  expect(unheard).toEqual([]);
});

/** Words and endings of Portuguese sentences. Names that the texts mention are left out before. */
const PORTUGUESE =
  /\b(não|nao|você|uma|está|estão|para|pela|pelo|sem|com|foi|são|nesta|aprovação)\b|\p{L}*(ção|ções|ã|õ)\b/iu;
const NAMES = /Imobiliária|São Paulo|São João|com\.br|\.com\b/g;

it('no text of the command line is Portuguese: neither in its source nor in its help', () => {
  const folder = join(import.meta.dirname, '../../../bin/manager');
  const sources = readdirSync(folder).filter((file) => file.endsWith('.ts'));
  expect(sources.length).toBeGreaterThan(20);
  const texts = sources.map((file) => readFileSync(join(folder, file), 'utf8')).concat(textOf(HELP));
  const lines = texts.flatMap((text) => text.split('\n')).filter((line) => PORTUGUESE.test(line.replace(NAMES, '')));
  expect(lines).toEqual([]);
  expect('O painel está aberto só nesta máquina.').toMatch(PORTUGUESE);
});

/** The blocks of all golden files, each with its verb. */
const BLOCKS = SCRIPTS.flatMap((file) => textOf(file).split(/^(?=\$ )/m)).map((block) => {
  const words = VERBS.map((command) => wordsOf(command).join(' ')).filter((verb) =>
    new RegExp(`^\\$ ${verb}( |\n)`).test(block),
  );
  return { verb: words[0] ?? '', lines: block.trimEnd().split('\n') };
});

it('each verb that prints a table has a command in the golden files whose table has two unequal rows', () => {
  const tables = BLOCKS.flatMap(({ verb, lines }) => {
    const [header = '', ...rows] = lines.filter((line) => line.startsWith('| '));
    return /^\| [A-Z]{2,}( {2,}[A-Z]{2,}[A-Z ]*)+$/.test(header) ? [{ verb, rows }] : [];
  });
  const verbs = new Set(tables.map(({ verb }) => verb));
  const compared = tables.filter(({ rows }) => rows.length > 1 && new Set(rows).size === rows.length);
  expect(verbs.size).toBeGreaterThan(10);
  expect(Array.from(verbs).filter((verb) => !compared.some((table) => table.verb === verb))).toEqual([]);
});

const SAY_WHY = 'say why, for the audit';
/** The verbs that refuse to run without a reason. */
const WITH_REASON = [
  'analyses close',
  'approvals approve',
  'approvals refuse',
  'deliveries replay',
  'dlq discard',
  'dlq redrive',
  'keys revoke',
  'keys rotate',
  'leads apply-ledger',
  'leads correct',
  'leads erase',
  'leads export',
  'leads find',
  'leads withdraw-consent',
  'operator set-token',
  'partners validate',
  'probe set-key',
  'service-keys change',
  'service-keys retire',
  'webhook disable',
  'webhook rotate',
  'webhook set',
];

it('each verb that needs a reason asks for it before it reads standard input or asks the person', async () => {
  const refused = new Set<string>();
  for (const { verb, lines } of BLOCKS) {
    const [call = '', ...others] = lines;
    if (!call.includes(' --reason ')) continue;
    const bare = [call.replace(/ --reason ("[^"]*"|\S+)/, '')].concat(others.filter((line) => /^[=w] /.test(line)));
    const inputs = others.filter((line) => /^[?<] /.test(line));
    if (!(await replayed(bare.concat(inputs).join('\n'))).includes(SAY_WHY)) continue;
    refused.add(verb);
    expect(await replayed(bare.join('\n')), call).toContain(SAY_WHY);
  }
  expect(Array.from(refused).sort()).toEqual(WITH_REASON);
});
