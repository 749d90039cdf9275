import { describe, expect, it } from 'vitest';
import { boardsOf } from '#infra/dashboards.ts';
import { PARTS, readRunbook, runbookText } from '#infra/runbook.ts';
import { stageValues } from '#infra/stages.ts';
import { MESSAGES } from '#shared/runtime/log.ts';

const text = runbookText();
const sections = [...readRunbook(text).values()];
const queries = sections.flatMap(({ queries: all }) => all);
/** Each command of the manager as printed. */
const commands = [...text.matchAll(/`npm run manager -- ([^`]+)`/g)].map(([, command]) => command!);

describe('the runbook', () => {
  it.each(sections)('$name says what set it off, what it means, how to mend it and when it is over', (section) => {
    expect(Object.keys(section.parts)).toEqual([...PARTS]);
    for (const part of PARTS) expect(section.parts[part]!.length, part).toBeGreaterThan(40);
    // A query or a command to begin with.
    expect(section.queries.length > 0 || section.parts['First look']!.includes('npm run manager -- ')).toBe(true);
  });

  it('says why wherever the command asks for it', () => {
    const asking =
      /^(dlq (redrive|discard)|deliveries replay|keys (rotate|revoke|rotate-sealing|retire-sealing|rotate-index|retire-index)|webhook (rotate|disable|set)|leads |partners validate|operator set-token|probe set-key)/;
    const silent = commands.filter((command) => asking.test(command) && !/--reason|--dry-run|--check/.test(command));
    expect(silent).toEqual([]);
  });

  it('names in italics widgets that the dashboards have', () => {
    /** Buttons and states of AWS's console, words of the contract, a query, a partner, and one word that is explained. */
    const others = [
      'Queries',
      'Concurrent executions',
      'Available',
      'Enabled',
      'Contributor Insights',
      'Continue update rollback',
      'em_analise',
      'cancelado',
      'unreadable',
      'Sonda externa',
      'operator',
    ];
    const titles = boardsOf(stageValues('prod', {})).flatMap(({ rows }) => rows.flat().map(({ title }) => title));
    const named = [...text.matchAll(/(?<!\*)\*([^*\n]+)\*(?!\*)/g)].map(([, words]) => words!);
    const known = [...others, ...titles.map((title) => title.split(/ \(|: /)[0])];
    const unknown = named.filter((words) => !known.includes(words));
    expect(named.length).toBeGreaterThan(15);
    expect(unknown).toEqual([]);
  });

  it('links only sections that exist', () => {
    const names = new Set(sections.map(({ name }) => name));
    for (const [, anchor] of text.matchAll(/\]\(#([\w-]+)\)/g)) expect(names).toContain(anchor);
  });

  // test/unit/manager/runbook-commands.test.ts runs each of them.
  it('says on which stage a command of the manager works', () => {
    expect(commands.length).toBeGreaterThan(20);
    for (const command of commands.filter((one) => !/^(<command>|tables )/.test(one)))
      expect(command).toMatch(/--stage prod( < [\w.]+)?$/);
  });
});

it('mends the loss of the region in steps that find what they need, and nothing is sent before the ledger is applied', () => {
  const cure = sections.find(({ name }) => name === 'region-loss')!.parts.Cure!;
  const steps = [
    'aws events disable-rule',
    'cdk bootstrap',
    'cdk deploy --all',
    "Stop the new region's clocks",
    'aws dynamodb delete-table',
    'aws secretsmanager put-secret-value',
    'leads apply-ledger',
    'operator set-token',
    'enable-rule',
    'Lead the domain',
  ].map((step) => cure.indexOf(step));
  expect(steps).not.toContain(-1);
  expect(steps).toEqual(steps.toSorted((one, other) => one - other));
});

it('the runbook’s queries are named once each', () => {
  const names = queries.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

it('the runbook’s queries ask for messages that are registered', () => {
  const asked = queries.flatMap(({ name, text }) =>
    [...text.matchAll(/code (?:=|in) (\[[^\]]*\]|"[^"]*")/g)].flatMap(([, codes]) =>
      [...codes!.matchAll(/"([^"]*)"/g)].map(([, code]) => ({ name, code: code! })),
    ),
  );
  expect(asked).not.toEqual([]);
  expect(asked.filter(({ code }) => !Object.hasOwn(MESSAGES, code))).toEqual([]);
});
