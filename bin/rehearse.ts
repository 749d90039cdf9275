/**
 * Rehearses two operations that must lose nothing, and exits non-zero if something is lost. `npm run rehearse-restore
 * -- --people 20` loses all data and restores it. `npm run upgrade -- <ref>` upgrades from that commit and goes back.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import type { Finding } from '../infra/local/rehearsal/history.ts';
import { rehearseRestore } from '../infra/local/rehearsal/rehearse-restore.ts';
import { checkOut, rehearseUpgrade } from '../infra/local/rehearsal/rehearse-upgrade.ts';
import { seconds } from '../shared/domain/values/time.ts';
import { runOrReport } from './running-service.ts';

const project = join(import.meta.dirname, '..');
const [which, ...args] = process.argv.slice(2);

/** Ends the process with exit code 1 if something was lost, or if the rehearsal failed. */
async function rehearse(
  name: string,
  play: (folder: string, say: (line: string) => void) => Promise<readonly Finding[]>,
): Promise<never> {
  const started = Date.now();
  const elapsed = () => `${((Date.now() - started) / 1000).toFixed(1).padStart(6)} s`;
  const folder = mkdtempSync(join(tmpdir(), `partner-credit-${name}-`));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  await runOrReport(async () => {
    const findings = await play(folder, (line) => console.log(`${elapsed()}  ${line}`));
    console.log('');
    for (const { what, of, missing } of findings) {
      const verdict = missing.length === 0 ? 'holds' : 'LOST ';
      console.log(`${verdict}  ${String(of - missing.length).padStart(3)} of ${of}  ${what}`);
      for (const name of missing) console.log(`         ${name}`);
    }
    const lost = findings.some(({ missing }) => missing.length > 0);
    console.log(`\n${lost ? 'something was lost' : 'nothing was lost'}, in ${elapsed().trim()}`);
    if (lost) process.exitCode = 1;
  });
  process.exit();
}

async function restore(): Promise<never> {
  const { people, withoutDoubt, assembly } = new Command('npm run rehearse-restore --')
    .description(
      'Loses all data of a local run, restores it from an export, and checks that all that was promised is there.',
    )
    .option('--people <number>', 'number of people whose history is written first', Number, 10)
    .option('--without-doubt', 'leaves out submissions in doubt, which wait a minute for a lease', false)
    .option('--assembly <path>', 'a dev stage that was synthesised before (default: this command synthesises it)')
    .parse(args, { from: 'user' })
    .opts<{ people: number; withoutDoubt: boolean; assembly?: string }>();
  return rehearse('restore', (folder, say) =>
    rehearseRestore({ project, folder, people, inDoubt: !withoutDoubt, assembly, say }),
  );
}

async function upgrade(): Promise<never> {
  const command = new Command('npm run upgrade --')
    .description(
      'Upgrades a local run from a release to this one while it works, rolls it back, and runs both releases at once.',
    )
    .argument('<ref>', 'git tag or commit of the release')
    .option('--together <seconds>', 'seconds for which both releases work at once', Number, 60)
    .option(
      '--quick',
      'leaves out stories that wait for minutes: submissions in doubt, deliveries whose message was lost',
      false,
    )
    .option(
      '--assembly <path>',
      'a dev stage of this release that was synthesised before (default: this command synthesises it)',
    )
    .parse(args, { from: 'user' });
  const { together, quick, assembly } = command.opts<{ together: number; quick: boolean; assembly?: string }>();
  const [ref = 'HEAD'] = command.args;
  return rehearse('upgrade', async (folder, say) => {
    const older = join(folder, 'older');
    checkOut(project, ref, older);
    say(`${ref} checked out`);
    const data = join(folder, 'data');
    return rehearseUpgrade({
      project,
      older,
      folder: data,
      together: seconds(together),
      waits: !quick,
      assembly,
      say,
    });
  });
}

if (which === 'restore') await restore();
else if (which === 'upgrade') await upgrade();
else await runOrReport(() => Promise.reject(new Error(`say what to rehearse, restore or upgrade, not ${which}`)));
