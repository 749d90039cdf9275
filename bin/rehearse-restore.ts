/** Rehearses the loss of everything on this machine: npm run rehearse-restore -- --people 20. Exits non-zero on any loss. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { rehearseRestore } from '../infra/local/rehearsal/rehearse-restore.ts';

const options = new Command('npm run rehearse-restore --')
  .description('Loses everything of a local run, restores it from an export, and accounts for what was promised.')
  .option('--people <number>', 'people whose history is written before', Number, 10)
  .option('--without-doubt', 'leaves out submissions in doubt, whose lease takes a minute', false)
  .option('--assembly <path>', 'a dev stage that was synthesised before (default: synthesised anew)')
  .parse()
  .opts<{ people: number; withoutDoubt: boolean; assembly?: string }>();
const started = Date.now();
const seconds = () => `${((Date.now() - started) / 1000).toFixed(1).padStart(6)} s`;
const folder = mkdtempSync(join(tmpdir(), 'partner-credit-rehearsal-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

const findings = await rehearseRestore({
  project: join(import.meta.dirname, '..'),
  folder,
  people: options.people,
  inDoubt: !options.withoutDoubt,
  ...(options.assembly !== undefined && { assembly: options.assembly }),
  say: (line) => console.log(`${seconds()}  ${line}`),
});
console.log('');
for (const { what, of, missing } of findings) {
  console.log(
    `${missing.length === 0 ? 'holds' : 'LOST '}  ${String(of - missing.length).padStart(3)} of ${of}  ${what}`,
  );
  for (const one of missing) console.log(`         ${one}`);
}
const lost = findings.some(({ missing }) => missing.length > 0);
console.log(`\n${lost ? 'something is not accounted for' : 'everything is accounted for'}, in ${seconds().trim()}`);
process.exit(lost ? 1 : 0);
