import type { Command } from 'commander';
import { command, verb } from './arguments.ts';
import { CommandError } from './errors.ts';
import type { Session } from './session.ts';
import { factsText, moment } from './table.ts';

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
        const { state, operation: what, askedBy } = made.approval;
        session.printRecord(made.approval, Object.entries({ approval: id, operation: what, asked_by: askedBy, state }));
      });
}
