import type { Command } from 'commander';
import { wholeNumber } from './arguments.ts';
import { CommandError, UsageError } from './errors.ts';
import { collected, type Session } from './session.ts';
import { factsText, moment } from './table.ts';
import { command, verb } from './verb.ts';

/** Entries in the largest page that the API returns. */
const PAGE = 200;

export function audit(root: Command, session: Session): void {
  const noun = command(root, 'audit', 'who changed what, when and why', 'audit list --service --local');

  verb(noun, 'list', 'list-audit', 'audit list --partner 123 --local', 'audit list --service --json --local')
    .takes({
      partner_id: 'about a partner',
      service: 'about the service as a whole: its keys, the dead-letter queue',
      most: {
        flags: '--limit <number>',
        about: 'largest number of entries',
        parse: wholeNumber(1, 1000),
        fallback: 50,
      },
    })
    .run(async ({ most, ...about }) => {
      if ((about.partner_id === undefined) === (about.service === undefined)) {
        throw new UsageError('say about what: --partner <id>, or --service');
      }
      const pages = session.pages('list-audit', { ...about, limit: Math.min(most, PAGE) });
      const found = await collected(pages, ({ entries }) => entries, most);
      session.printTable(
        found.map(({ partnerId: _, ...entry }) => entry),
        [
          { title: 'at', value: (row) => moment(row.at) },
          { title: 'action', value: (row) => row.action },
          { title: 'outcome', value: (row) => row.outcome },
          { title: 'who', value: (row) => row.who, shrinks: true },
          { title: 'what', value: (row) => factsText(row.target), shrinks: true },
          { title: 'why', value: (row) => row.reason || '-', shrinks: true },
        ],
      );
    });

  verb(noun, 'export', 'export-audit', 'audit export --month 2026-11 --local > audit-2026-11.jsonl')
    .takes({ month: 'the month: 2026-11' })
    .run(async (given) => {
      let rows = 0;
      for await (const page of session.pages('export-audit', given)) {
        session.terminal.out(page.lines);
        rows += page.rows;
      }
      session.note(`${rows} entries of ${given.month}`);
    });
}

/** Adds `approvals`: calls that wait for the approval of another person. */
export function approvals(root: Command, session: Session): void {
  const noun = command(root, 'approvals', 'calls that need the approval of another person', 'approvals list --local');

  verb(noun, 'list', 'list-approvals', 'approvals list --local').run(async () => {
    const { approvals: found } = await session.ask('list-approvals', {});
    session.printTable(found, [
      { title: 'approval', value: (row) => row.approvalId },
      { title: 'state', value: (row) => row.state },
      { title: 'operation', value: (row) => row.operation },
      { title: 'partner', value: (row) => row.partnerId ?? '-' },
      { title: 'what', value: (row) => factsText(row.target), shrinks: true },
      { title: 'who', value: (row) => row.askedBy, shrinks: true },
      { title: 'why', value: (row) => row.reason, shrinks: true },
      { title: 'until', value: (row) => moment(row.expiresAt) },
    ]);
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
        const approval = found.find(({ approvalId }) => approvalId === approval_id);
        if (!approval) throw new CommandError(`there is no approval ${approval_id}: see approvals list`);
        const decided = await session.ask(operation, { operation: approval.operation, approval_id });
        const { state, operation: of, askedBy, partnerId: partner, reason: why, target } = decided.approval;
        const facts = {
          approval: approval_id,
          operation: of,
          partner,
          what: factsText(target),
          asked_by: askedBy,
          why,
        };
        session.printRecord(decided.approval, Object.entries({ ...facts, state }));
      });
  }
}
