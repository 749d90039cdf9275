/** Rehearses the loss of everything on this machine: npm run rehearse-restore -- --people 20. Exits non-zero on any loss. */
import { join } from 'node:path';
import { Command } from 'commander';
import { rehearseRestore } from '../infra/local/rehearsal/rehearse-restore.ts';
import { rehearse } from './rehearsal.ts';

const options = new Command('npm run rehearse-restore --')
  .description('Loses everything of a local run, restores it from an export, and accounts for what was promised.')
  .option('--people <number>', 'people whose history is written before', Number, 10)
  .option('--without-doubt', 'leaves out submissions in doubt, whose lease takes a minute', false)
  .option('--assembly <path>', 'a dev stage that was synthesised before (default: synthesised anew)')
  .parse()
  .opts<{ people: number; withoutDoubt: boolean; assembly?: string }>();

await rehearse('restore', (folder, say) =>
  rehearseRestore({
    project: join(import.meta.dirname, '..'),
    folder,
    people: options.people,
    inDoubt: !options.withoutDoubt,
    ...(options.assembly !== undefined && { assembly: options.assembly }),
    say,
  }),
);
