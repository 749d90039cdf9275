import type { Command } from 'commander';
import type { PartnerId } from '../../shared/domain/values/ids.ts';
import { lastAudits } from '../../shared/table/audit.ts';
import { example, id, whole } from './arguments.ts';
import { UsageError } from './errors.ts';
import type { Session } from './session.ts';
import { moment } from './table.ts';

export function audit(root: Command, session: Session): void {
  const noun = root
    .command('audit')
    .description('who changed what, when and why')
    .addHelpText('after', example('audit list --service --local'));

  noun
    .command('list')
    .description('the last changes, newest first')
    .option('--partner <id>', 'about a partner', id<PartnerId>)
    .option('--service', 'about the service as a whole: its keys, the dead-letter queue')
    .option('--limit <number>', 'how many', whole(1, 1000), 50)
    .addHelpText('after', example('audit list --partner 123 --local', 'audit list --service --json --local'))
    .action(async ({ partnerId, service, limit }: { partnerId?: PartnerId; service?: true; limit: number }) => {
      if ((partnerId === undefined) === (service === undefined)) {
        throw new UsageError('say about whom: --partner <id>, or --service');
      }
      session.printTable(await lastAudits(partnerId ?? 'service', limit), [
        { title: 'at', value: (row) => moment(row.at) },
        { title: 'action', value: (row) => row.action },
        { title: 'outcome', value: (row) => row.outcome },
        { title: 'who', value: (row) => row.who, shrinks: true },
        {
          title: 'what',
          value: (row) =>
            Object.entries(row.target)
              .map((pair) => pair.join('='))
              .join(' '),
          shrinks: true,
        },
        { title: 'why', value: (row) => row.reason || '-', shrinks: true },
      ]);
    });
}
