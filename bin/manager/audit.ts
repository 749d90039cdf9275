import { type Command, InvalidArgumentError } from 'commander';
import type { PartnerId } from '#shared/domain/values/ids.ts';
import { command, id, verb, whole } from './arguments.ts';
import { CommandError, UsageError } from './errors.ts';
import type { Session } from './session.ts';
import { factsText, moment } from './table.ts';

interface ListOptions {
  readonly partnerId?: PartnerId;
  readonly service?: true;
  readonly limit: number;
}

/** Entries that the API gives at once. */
const PAGE = 200;

/** A month as `2026-11`. */
function month(text: string): string {
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(text)) throw new InvalidArgumentError('A month is 2026-11.');
  return text;
}

export function audit(root: Command, session: Session): void {
  const noun = command(root, 'audit', 'who changed what, when and why', 'audit list --service --local');

  verb(noun, 'list', 'list-audit', 'audit list --partner 123 --local', 'audit list --service --json --local')
    .option('--partner <id>', 'about a partner', id<PartnerId>)
    .option('--service', 'about the service as a whole: its keys, the dead-letter queue')
    .option('--limit <number>', 'how many', whole(1, 1000), 50)
    .action((options: ListOptions) => list(options, session));

  verb(noun, 'export', 'export-audit', 'audit export --month 2026-11 --local > audit-2026-11.jsonl')
    .requiredOption('--month <month>', 'which: 2026-11', month)
    .action(async (options: { month: string }) => {
      let rows = 0;
      for await (const page of session.pages('export-audit', options)) {
        session.terminal.out(page.lines);
        rows += page.rows;
      }
      session.note(`${rows} entries of ${options.month}`);
    });
}

async function list({ partnerId, service, limit }: ListOptions, session: Session): Promise<void> {
  if ((partnerId === undefined) === (service === undefined)) {
    throw new UsageError('say about whom: --partner <id>, or --service');
  }
  const about = partnerId === undefined ? { service: true } : { partner_id: partnerId };
  const found = [];
  for await (const { entries } of session.pages('list-audit', { ...about, limit: Math.min(limit, PAGE) })) {
    found.push(...entries);
    if (found.length >= limit) break;
  }
  session.printTable(
    found.slice(0, limit).map(({ partnerId: _, ...entry }) => entry),
    [
      { title: 'at', value: (row) => moment(row.at) },
      { title: 'action', value: (row) => row.action },
      { title: 'outcome', value: (row) => row.outcome },
      { title: 'who', value: (row) => row.who, shrinks: true },
      {
        title: 'what',
        value: (row) => factsText(row.target),
        shrinks: true,
      },
      { title: 'why', value: (row) => row.reason || '-', shrinks: true },
    ],
  );
}

/** The noun of what waits for another person. */
export function approvals(root: Command, session: Session): void {
  const noun = command(root, 'approvals', 'what one person may not do alone', 'approvals list --local');

  verb(noun, 'list', 'list-approvals', 'approvals list --local').action(async () => {
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
  ] as const)
    verb(noun, called, operation, `approvals ${called} apr_7c1d... --reason "INC-42, seen" --local`)
      .argument('<approval>', 'the id that approvals list shows')
      .action(async (id: string) => {
        session.needsReason();
        const { approvals: found } = await session.ask('list-approvals', {});
        const asked = found.find(({ approvalId }) => approvalId === id);
        if (!asked) throw new CommandError(`there is no approval ${id}: see approvals list`);
        const made = await session.ask(operation, { operation: asked.operation, approval_id: id });
        const { state, operation: of, askedBy, partnerId: partner, reason: why, target } = made.approval;
        const told = { approval: id, operation: of, partner, what: factsText(target), asked_by: askedBy, why, state };
        session.printRecord(made.approval, Object.entries(told));
      });
}
