import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { managerProgram } from '../../bin/manager/program.ts';
import { Session } from '../../bin/manager/session.ts';
import { processTerminal } from '../../bin/manager/terminal.ts';
import { FUNCTIONS } from '../../infra/functions.ts';
import { PARTS, readRunbook, runbookText } from '../../infra/runbook.ts';
import { MESSAGES } from '../../shared/runtime/log.ts';

const text = runbookText();
const sections = [...readRunbook(text).values()];
const queries = sections.flatMap(({ queries: all }) => all);
const PROJECT = join(import.meta.dirname, '../..');

/** Fields of log lines that functions do not name in their calls: the logger's, and those that Logs Insights makes. */
const GIVEN = [
  'level',
  'message',
  'code',
  'service',
  'timestamp',
  'errors',
  '@timestamp',
  '@message',
  '@log',
  '@logStream',
];

/** Facts that the functions log: the names inside of their calls, and of the objects that those pass on. */
function loggedFields(): Set<string> {
  const files = ['functions', 'shared'].flatMap((folder) =>
    readdirSync(join(PROJECT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('runtime/log.ts'))
      .map((name) => readFileSync(join(PROJECT, folder, name), 'utf8')),
  );
  const names = (text: string) => text.replace(/'[^']*'/g, '').match(/\b[a-z_]\w*\b/gi) ?? [];
  return new Set(
    files.flatMap((file) =>
      [...file.matchAll(/\b(?:beginLog|addToLog|logInfo|logWarning|logError)\(/g)].flatMap(({ index }) => {
        const inside = names(callAt(file, index));
        const passedOn = inside.flatMap((name) =>
          names(new RegExp(`const ${name} = (\\{[^}]*\\})`).exec(file)?.[1] ?? ''),
        );
        return [...inside, ...passedOn];
      }),
    ),
  );
}

/** The arguments of the call that begins at `start`. */
function callAt(file: string, start: number): string {
  let depth = 0;
  for (let at = file.indexOf('(', start); at < file.length; at++) {
    if (file[at] === '(') depth++;
    if (file[at] === ')' && --depth === 0) return file.slice(file.indexOf('(', start), at);
  }
  return '';
}

/** Fields of a query that are not names given by itself. */
function fieldsOf(query: string): string[] {
  const own = new Set([...query.matchAll(/\bas (\w+)/g)].map(([, name]) => name!));
  const bare = query.replace(/"[^"]*"|\/[^\n]*?\/|\bas \w+/g, ' ').replace(/\b\w+\(/g, ' ');
  const words = bare.match(/@?[a-zA-Z_][\w.]*/g) ?? [];
  const KEYWORDS = new Set(
    'filter stats sort desc asc by limit display fields and or not in like bin 5m 15m 1h m h'.split(' '),
  );
  return [...new Set(words)].filter((word) => !KEYWORDS.has(word) && !own.has(word));
}

describe('the runbook', () => {
  it.each(sections.map((section) => [section.name, section] as const))(
    '%s says what set it off, what it means, where to look, how to mend it and when it is over',
    (_, { parts }) => {
      expect(Object.keys(parts)).toEqual([...PARTS]);
      for (const part of PARTS) expect([part, parts[part]!.length > 40]).toEqual([part, true]);
    },
  );

  it.each(sections.map((section) => [section.name, section] as const))(
    '%s names a query or a command to begin with, and links only what exists',
    (_, { parts, queries: own }) => {
      expect(own.length + (parts['First look']!.match(/npm run manager -- /g)?.length ?? 0)).toBeGreaterThan(0);
    },
  );

  it('links only sections that exist', () => {
    const names = new Set(sections.map(({ name }) => name));
    for (const [, anchor] of text.matchAll(/\]\(#([\w-]+)\)/g)) expect(names).toContain(anchor);
  });

  it('calls the manager by nouns and verbs that it has, and says which stage', () => {
    const verbs = new Map(
      managerProgram(new Session(processTerminal())).commands.map((noun) => [
        noun.name(),
        noun.commands.map((verb) => verb.name()),
      ]),
    );
    const commands = [...text.matchAll(/`npm run manager -- ([^`]+)`/g)].map(([, command]) => command!);
    expect(commands.length).toBeGreaterThan(20);
    for (const command of commands.filter((one) => !one.startsWith('<command>'))) {
      const [noun, verb] = command.split(' ');
      expect(verbs.get(noun!), command).toContain(verb);
      expect(command).toMatch(/--stage prod( < [\w.]+)?$|\.\.\.$/);
    }
  });
});

describe('its queries', () => {
  const written = loggedFields();
  const access = Object.keys(
    JSON.parse(
      /const ACCESS_LOG = JSON\.stringify\((\{[\s\S]*?\})\)/
        .exec(readFileSync(join(PROJECT, 'infra/gateway.ts'), 'utf8'))![1]!
        .replace(/(\w+): '/g, '"$1": "')
        .replace(/',/g, '",')
        .replace(/,\s*\}/, '}'),
    ) as Record<string, string>,
  );

  it('are named once each', () => {
    const names = queries.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(queries.map((query) => [query.name, query] as const))(
    '%s asks for fields that its logs have, and for messages that are registered',
    (_, { sources, text: query }) => {
      const known = sources[0] === 'access' ? access : [...GIVEN, ...written];
      for (const field of fieldsOf(query)) expect([...known, ...GIVEN]).toContain(field.split('.')[0]);
      for (const [, codes] of query.matchAll(/code (?:=|in) (\[[^\]]*\]|"[^"]*")/g))
        for (const [, code] of codes!.matchAll(/"([^"]*)"/g)) expect(Object.keys(MESSAGES)).toContain(code);
    },
  );

  it.each(queries.map((query) => [query.name, query] as const))(
    '%s looks at logs that are written',
    (_, { sources }) => {
      const all = ['access', 'api', 'all', ...FUNCTIONS.map(({ operation }) => operation)];
      for (const source of sources) expect(all).toContain(source);
    },
  );
});
