/** Rehearses the upgrade from a release to this one, and back: npm run upgrade -- v1.0.0. Exits non-zero on any loss. */
import { join } from 'node:path';
import { Command } from 'commander';
import { checkOut, lastTag, rehearseUpgrade } from '../infra/local/rehearsal/rehearse-upgrade.ts';
import { rehearse } from './rehearsal.ts';

const project = join(import.meta.dirname, '..');
const command = new Command('npm run upgrade --')
  .description(
    'Upgrades a local run from a release to this one in the midst of its work, rolls it back, and runs both at once.',
  )
  .argument('[ref]', 'the release as git names it (default: the last tag)')
  .option('--together <seconds>', 'seconds for which both releases work at once', Number, 60)
  .option(
    '--quick',
    'leaves out what waits for minutes: submissions in doubt, deliveries whose message was lost',
    false,
  )
  .option('--assembly <path>', 'a dev stage of this release that was synthesised before (default: synthesised anew)')
  .parse();
const options = command.opts<{ together: number; quick: boolean; assembly?: string }>();
const ref =
  command.args[0] ??
  lastTag(project) ??
  command.error('npm run upgrade: git has no tag here, so name a release: npm run upgrade -- <git ref>');

await rehearse('upgrade', async (folder, say) => {
  const older = join(folder, 'older');
  checkOut(project, ref, older);
  say(`${ref} checked out`);
  return rehearseUpgrade({
    project,
    older,
    folder: join(folder, 'data'),
    together: options.together * 1000,
    waits: !options.quick,
    ...(options.assembly !== undefined && { assembly: options.assembly }),
    say,
  });
});
