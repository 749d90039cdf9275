import { describe, expect, it } from 'vitest';
import { alarmsOf } from '#infra/alarms.ts';
import { boardsOf } from '#infra/dashboards.ts';
import { PARTS, readRunbook, runbookText } from '#infra/runbook.ts';
import { stageValues } from '#infra/stages.ts';
import { MESSAGES } from '#shared/runtime/log.ts';

const text = runbookText();
const sections = [...readRunbook(text).values()];
const queries = sections.flatMap(({ queries: all }) => all);
/** Each command of the manager, as printed. */
const commands = [...text.matchAll(/`npm run manager -- ([^`]+)`/g)].map(([, command]) => command!);

const DOMAIN = { name: 'api.exemplo.com.br', certificateArn: 'arn' };
const ALARMS = alarmsOf({ ...stageValues('prod', {}), probeHasKey: true, domain: DOMAIN });
/** The alarms that notify somebody. */
const rung = ALARMS.filter(({ level }) => level === 'page' || level === 'ticket');

describe('RUNBOOK.md', () => {
  it.each(sections)('the section $name has all parts, and a query or a command to start with', (section) => {
    expect(Object.keys(section.parts)).toEqual([...PARTS]);
    for (const part of PARTS) expect(section.parts[part]!.length, part).toBeGreaterThan(40);
    // A query or a command to start with.
    expect(section.queries.length > 0 || section.parts['First look']!.includes('npm run manager -- ')).toBe(true);
  });

  it('the trigger of each section says whether its alarms are pages or tickets', () => {
    const isSaid = ({ section, level }: (typeof rung)[number]) =>
      new RegExp(`\\b${level}s?\\b`, 'i').test(sections.find(({ name }) => name === section)!.parts.Trigger!);
    expect(rung.length).toBeGreaterThan(15);
    expect(rung.filter((alarm) => !isSaid(alarm))).toEqual([]);
  });

  it('the trigger of a section names each alarm that the section is about, if there are several', () => {
    const all = ALARMS.filter(({ level }) => level === 'part');
    const isNamed = ({ name, section }: (typeof all)[number]) =>
      sections.find((one) => one.name === section)!.parts.Trigger!.includes(`\`${name}\``);
    expect(all.length).toBeGreaterThan(20);
    expect(all.filter((alarm) => !isNamed(alarm)).map(({ name }) => name)).toEqual([]);
  });

  it('each alarm that notifies has the section of its name', () => {
    expect(rung.map(({ section }) => section)).toEqual(rung.map(({ name }) => name));
  });

  it('the table of alarms has each alarm that notifies, its level and its parts', () => {
    const [, table = ''] = /^\| alarm \|.*\n([\s\S]*?)\n\n/m.exec(text) ?? [];
    const cells = table
      .split('\n')
      .slice(1)
      .map((row) => row.split(' | '));
    const shown = cells.map(([alarm = '', level = '', , parts = '']) => ({
      name: /#([\w-]+)/.exec(alarm)?.[1],
      level: level.split(/[ ,]/)[0],
      parts: Array.from(parts.matchAll(/`([\w-]+)`/g), ([, part]) => part).sort(),
    }));
    const KINDS = ['bank-trouble', 'partner-unreached'];
    const wanted = rung.map(({ name, level, when }) => ({
      name,
      level,
      parts: 'alarms' in when ? when.alarms.toSorted() : [],
    }));
    const byName = (one: { name?: string | undefined }, other: { name?: string | undefined }) =>
      String(one.name).localeCompare(String(other.name));
    const withoutKinds = shown.map((row) => (KINDS.includes(String(row.name)) ? { ...row, parts: [] } : row));
    expect(withoutKinds.toSorted(byName)).toEqual(wanted.toSorted(byName));
  });

  it('the runbook names only existing widgets in italics', () => {
    /** Buttons and states of AWS's console and of the panel, words of the contract, a query, a partner, and a defined word. */
    const others = [
      'Queries',
      'Concurrent executions',
      'Available',
      'Enabled',
      'Contributor Insights',
      'Continue update rollback',
      'cancelado',
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

  it('the runbook looks for a widget only on a dashboard that has it', () => {
    const titlesOf = new Map(
      boardsOf(stageValues('prod', {})).map(({ title, rows }) => [
        title,
        rows.flat().map((widget) => widget.title.split(/ \(|: /)[0]!),
      ]),
    );
    const all = new Set([...titlesOf.values()].flat());
    const looks = text.split(/(?<=[.?])\s|\n/).flatMap((sentence) => {
      const boards = [...sentence.matchAll(/\b(Platform|Product|Partners) dashboard/g)].map(([, board]) => board!);
      const widgets = [...sentence.matchAll(/\*([^*]+)\*/g)]
        .map(([, title]) => title!)
        .filter((title) => all.has(title));
      return boards.length === 1 ? widgets.map((widget) => ({ board: boards[0]!, widget })) : [];
    });
    expect(looks.length).toBeGreaterThan(15);
    expect(looks.filter(({ board, widget }) => !titlesOf.get(board)!.includes(widget))).toEqual([]);
  });

  it('the runbook links only existing sections', () => {
    const names = new Set(sections.map(({ name }) => name));
    for (const [, anchor] of text.matchAll(/\]\(#([\w-]+)\)/g)) expect(names).toContain(anchor);
  });

  // test/unit/manager/runbook-commands.test.ts runs each command.
  it('the runbook names the stage in every command of the manager', () => {
    expect(commands.length).toBeGreaterThan(20);
    for (const command of commands.filter((one) => !/^(<command>|tables )/.test(one)))
      expect(command).toMatch(/--stage prod( < [\w.]+)?$/);
  });
});

it('the steps of region-loss are in order, and nothing is sent before erasures and withdrawals are repeated', () => {
  const cure = sections.find(({ name }) => name === 'region-loss')!.parts.Cure!;
  const steps = [
    'aws events disable-rule',
    'cdk bootstrap',
    'cdk deploy --all',
    "Stop the new region's clocks",
    'aws dynamodb delete-table',
    'aws secretsmanager put-secret-value',
    'leads apply-ledger',
    'Consents that were withdrawn',
    'Keys that were revoked',
    'webhook disable',
    'operator set-token',
    'enable-rule',
    'Write to the partners',
    'Lead the domain',
  ].map((step) => cure.indexOf(step));
  expect(steps).not.toContain(-1);
  expect(steps).toEqual(steps.toSorted((one, other) => one - other));
});

it('every query that the text of the runbook names is in its section', () => {
  const folders = sections.map(({ name }) => name).join('|');
  const named = [...text.matchAll(new RegExp(`\`((?:${folders})/[\\w-]+)\``, 'g'))].map(([, name]) => name!);
  const names = queries.map(({ name }) => name);
  expect(named.length).toBeGreaterThan(10);
  // A saved query over many logs has several parts: `faults`, `faults-2`.
  expect(named.filter((name) => !names.includes(name.replace(/-\d$/, '')))).toEqual([]);
});

it('every deployment of the runbook that repairs a change by hand reverts the drift', () => {
  const lines = text.split('\n').filter((line) => /by hand|(?:was|is) changed/.test(line));
  const deployments = lines.flatMap((line) => line.match(/npx cdk deploy [^`]*/g) ?? []);
  expect(deployments.length).toBeGreaterThan(2);
  expect(deployments.filter((command) => !command.includes('--revert-drift'))).toEqual([]);
});

it('every query of the runbook has its own name', () => {
  const names = queries.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

it('the queries of the runbook use only registered log codes', () => {
  const asked = queries.flatMap(({ name, text }) =>
    [...text.matchAll(/code (?:=|in) (\[[^\]]*\]|"[^"]*")/g)].flatMap(([, codes]) =>
      [...codes!.matchAll(/"([^"]*)"/g)].map(([, code]) => ({ name, code: code! })),
    ),
  );
  expect(asked).not.toEqual([]);
  expect(asked.filter(({ code }) => !Object.hasOwn(MESSAGES, code))).toEqual([]);
});
