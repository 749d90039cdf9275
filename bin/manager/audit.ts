import type { Command } from 'commander';
import { type AuditFilter, auditRow, isWanted } from '#shared/administration/audit.ts';
import { callerText } from '#shared/administration/caller-name.ts';
import type { AnswerOf } from '#shared/administration/operations.ts';
import type { Shown } from '#shared/administration/wire.ts';
import { auditedOperation, keyId, momentText, searched, wholeNumber } from './arguments.ts';
import { CommandError, UsageError } from './errors.ts';
import { collected, type Session } from './session.ts';
import { factsText, moment, record } from './table.ts';
import { command, verb } from './verb.ts';

/** Entries in the largest page that the API returns. */
const PAGE = 200;

/** Characters of WHO that a narrow terminal still shows: `manager/ana.lima@em…`. */
const WHO = 19;
/** Characters of ACTION that a narrow terminal still shows: `rotate-webh…`. */
const ACTION = 12;

/** Options that choose rows of the audit. Their values are fields of AuditFilter. */
const CHOSEN = {
  who: { flags: '--who <text>', about: 'only by a person: a part of the e-mail or name', parse: searched },
  operation: {
    flags: '--operation <name>',
    about: 'only of an operation, such as create-key',
    parse: auditedOperation,
  },
  key: { flags: '--key <id>', about: 'only about a key: made, replaced or revoked', parse: keyId },
} as const;

/** Returns the facts of a row in one line. A fact that is a caller names the person. */
const targetText = (target: Readonly<Record<string, string | number | boolean>>) =>
  factsText(
    Object.fromEntries(
      Object.entries(target).map(([field, fact]) => [field, typeof fact === 'string' ? callerText(fact) : fact]),
    ),
  );

const isFilter = ({ who, operation, key }: AuditFilter) => (who ?? operation ?? key) !== undefined;

/** Returns the lines that a person looks for. Throws an Error if a line is no row of the audit. */
function wantedLines(lines: string, filter: AuditFilter): readonly string[] {
  const all = lines.split('\n').slice(0, -1);
  if (!isFilter(filter)) return all;
  return all.filter((line) => isWanted(auditRow.parse(JSON.parse(line)), filter));
}

export function audit(root: Command, session: Session): void {
  const noun = command(root, 'audit', 'who changed what, when and why', 'audit list --service --local');
  const parseMoment = momentText(session.clock);

  verb(
    noun,
    'list',
    'list-audit',
    'audit list --partner 123 --local',
    'audit list --partner 123 --who ana.lima --since 7d --local',
    'audit list --service --json --local',
  )
    .takes({
      partner_id: 'about a partner',
      service: 'about the service as a whole: its keys, the dead-letter queue',
      ...CHOSEN,
      from: {
        flags: '--since <moment>',
        about: 'begun since: 2026-11-20T09:00:00-03:00, or 90m, 2h, 3d ago',
        parse: parseMoment,
      },
      before: { flags: '--until <moment>', about: 'begun before', parse: parseMoment },
      most: {
        flags: '--limit <number>',
        about: 'largest number of entries',
        parse: wholeNumber(1, 1000),
        fallback: 50,
      },
    })
    .run(async ({ partner_id, service, who, operation, key, from, before, most }) => {
      if ((partner_id === undefined) === (service === undefined)) {
        throw new UsageError('say about what: --partner <id>, or --service');
      }
      const filter: AuditFilter = { who, operation, key };
      // One entry more than is shown, to know whether there are more.
      const wanted = most + 1;
      const limit = isFilter(filter) ? PAGE : Math.min(wanted, PAGE);
      const pages = session.pages('list-audit', { partner_id, service, since: from, until: before, limit });
      const found = await collected(pages, ({ entries }) => entries.filter((row) => isWanted(row, filter)), wanted);
      session.printTable(
        found.slice(0, most).map(({ partnerId: _, ...entry }) => entry),
        [
          { title: 'at', value: (row) => moment(row.at) },
          { title: 'action', value: (row) => row.action, shrinks: ACTION },
          { title: 'outcome', value: (row) => row.outcome },
          { title: 'who', value: (row) => callerText(row.who), shrinks: WHO },
          { title: 'what', value: (row) => targetText(row.target), shrinks: true },
          { title: 'why', value: (row) => row.reason || '-', shrinks: true },
        ],
      );
      session.noteIfCut(found.length, most);
    });

  verb(
    noun,
    'export',
    'export-audit',
    'audit export --month 2026-11 --local > audit-2026-11.jsonl',
    'audit export --month 2026-11 --who ana.lima --local',
  )
    .takes({ month: "the month, by São Paulo's time: 2026-11", ...CHOSEN })
    .run(async ({ month, ...filter }) => {
      let rows = 0;
      for await (const page of session.pages('export-audit', { month })) {
        const lines = wantedLines(page.lines, filter);
        session.terminal.out(lines.map((line) => `${line}\n`).join(''));
        rows += lines.length;
      }
      session.note(`${rows} entries of ${month}`);
    });
}

type Request = Shown<AnswerOf<'list-approvals'>>['approvals'][number];

/**
 * Returns a request for people: one line for each field of the call. No value is cut, since a person decides by what is
 * shown here.
 */
function requestText({ approvalId, state, operation, askedBy, decidedBy, reason, expiresAt, fields }: Request): string {
  const facts: [string, string][] = [
    ['approval', approvalId],
    ['state', state],
    ['operation', operation],
    ['asked by', callerText(askedBy)],
    ['why', reason],
    ['until', moment(expiresAt)],
  ];
  if (decidedBy !== undefined) facts.push(['decided by', callerText(decidedBy)]);
  return record(facts.concat(fields.map((shown) => [shown.field, fieldText(shown)])));
}

/** Returns the value of a field, with its name and the value that it replaces: `https://new, replaces https://old`. */
function fieldText({ value, name, replaces }: Request['fields'][number]): string {
  const text = String(value ?? 'none');
  const named = name === undefined ? text : `${text} (${name})`;
  return replaces === undefined ? named : `${named}, replaces ${replaces}`;
}

/** Adds `approvals`: calls that wait for the approval of another person. */
export function approvals(root: Command, session: Session): void {
  const noun = command(root, 'approvals', 'calls that need the approval of another person', 'approvals list --local');

  verb(noun, 'list', 'list-approvals', 'approvals list --local').run(async () => {
    const { approvals: found } = await session.ask('list-approvals', {});
    session.print(found, () => (found.length === 0 ? '(none)\n' : found.map(requestText).join('\n')));
  });

  for (const [called, operation] of [
    ['approve', 'approve-approval'],
    ['refuse', 'refuse-approval'],
  ] as const) {
    verb(noun, called, operation, `approvals ${called} apr_7c1d... --reason "INC-42, seen" --local`)
      .takes({ approval_id: { flags: '<approval>', about: 'the id that approvals list shows' } })
      .run(async ({ approval_id }) => {
        session.needsReason();
        const { approvals: found } = await session.ask('list-approvals', {});
        const asked = found.find(({ approvalId }) => approvalId === approval_id);
        if (!asked) throw new CommandError(`there is no approval ${approval_id}: see approvals list`);
        const { approval } = await session.ask(operation, { operation: asked.operation, approval_id });
        session.print(approval, () => requestText(approval));
      });
  }
}
