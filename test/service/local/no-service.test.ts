import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '#infra/local/listen.ts';

/** Runs a program of bin. Returns its exit code and what it writes to its error stream. */
function run(line: string) {
  const { status, stderr } = spawnSync(process.execPath, line.split(' '), { encoding: 'utf8' });
  return { status, stderr };
}

let folder: string;
/** A service file as a service that has ended leaves it behind. */
let left: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'no-service-'));
  left = join(folder, 'service.json');
  const url = `http://127.0.0.1:${await freePort()}`;
  const keys = { sandbox: 'pmc_sandbox_x', producao: 'pmc_x' };
  const inbox = { url, secrets: { sandbox: '', producao: '' } };
  const administration = { url, tokens: { manager: 'a', support: 'b' } };
  writeFileSync(left, JSON.stringify({ url, keys, inbox, administration, logs: folder }));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe.each(['bin/demo.ts', 'bin/guide.ts', 'bin/smoke.ts --local', 'bin/manager.ts partners list --local'])(
  '%s',
  (program) => {
    it('without a service file, it says to start the service, and ends with status 1', () => {
      const { status, stderr } = run(`${program} --service-file ${join(folder, 'none.json')}`);
      expect(status).toBe(1);
      expect(stderr).toContain('npm start');
      expect(stderr).not.toContain('    at ');
    });

    it('if no service answers yet, it says to start the service, and ends with status 1', () => {
      const { status, stderr } = run(`${program} --service-file ${left}`);
      expect(status).toBe(1);
      expect(stderr).toContain('npm start');
      expect(stderr).not.toContain('    at ');
    });
  },
);

it.each([
  ['--stage nope', 'there is no stage "nope": use dev, staging, prod\n'],
  ['--nope', "Unknown option '--nope'\n"],
])('npm run synth -- %s ends with a sentence and status 1', (options, sentence) => {
  expect(run(`bin/app.ts ${options}`)).toEqual({ status: 1, stderr: sentence });
});
