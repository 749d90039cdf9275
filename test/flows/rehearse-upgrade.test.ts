import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, inject, it } from 'vitest';
import { checkOut, rehearseUpgrade } from '#infra/local/rehearsal/rehearse-upgrade.ts';

const PROJECT = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'partner-credit-upgrade-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('checkOut takes a release out of git, with our packages if package-lock.json is the same', () => {
  const project = join(folder, 'project');
  mkdirSync(join(project, 'node_modules'), { recursive: true });
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...words], { cwd: project });
  git('init', '--quiet');
  for (const file of ['package-lock.json', 'node_modules/package.json']) writeFileSync(join(project, file), '{}');
  git('add', 'package-lock.json');
  git('commit', '--quiet', '--message', 'Release');
  git('tag', 'v1.0.0');
  checkOut(project, 'v1.0.0', join(folder, 'taken'));
  expect(readFileSync(join(folder, 'taken/node_modules/package.json'), 'utf8')).toBe('{}');
  expect(() => checkOut(project, 'v0', join(folder, 'other'))).toThrow(/^git has no commit v0 here: name one/);
});

it('half-done work survives an upgrade from this code to itself, a rollback and both at once', {
  timeout: 1_800_000,
}, async () => {
  const findings = await rehearseUpgrade({
    project: PROJECT,
    older: PROJECT,
    folder: join(folder, 'data'),
    assembly: inject('assembly'),
    together: 0,
    waits: false,
    say: () => undefined,
  });
  expect(findings.filter(({ missing }) => missing.length > 0)).toEqual([]);
  // A finding that looked at nothing would prove nothing.
  expect(findings.filter(({ of }) => of === 0)).toEqual([]);
  expect(findings.map(({ what }) => what)).toContain('both at once: functions of which each release has answered');
});
