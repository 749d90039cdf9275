import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Finding } from '../infra/local/rehearsal/history.ts';
import { runOrTell } from './running-service.ts';

/** Rehearses in a folder that goes at the end, tells what was found, and fails the process where something was lost. */
export async function rehearse(
  name: string,
  play: (folder: string, say: (line: string) => void) => Promise<readonly Finding[]>,
): Promise<never> {
  const started = Date.now();
  const seconds = () => `${((Date.now() - started) / 1000).toFixed(1).padStart(6)} s`;
  const folder = mkdtempSync(join(tmpdir(), `partner-credit-${name}-`));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  await runOrTell(async () => {
    const findings = await play(folder, (line) => console.log(`${seconds()}  ${line}`));
    console.log('');
    for (const { what, of, missing } of findings) {
      const verdict = missing.length === 0 ? 'holds' : 'LOST ';
      console.log(`${verdict}  ${String(of - missing.length).padStart(3)} of ${of}  ${what}`);
      for (const one of missing) console.log(`         ${one}`);
    }
    const lost = findings.some(({ missing }) => missing.length > 0);
    console.log(`\n${lost ? 'something is not accounted for' : 'everything is accounted for'}, in ${seconds().trim()}`);
    if (lost) process.exitCode = 1;
  });
  process.exit();
}
