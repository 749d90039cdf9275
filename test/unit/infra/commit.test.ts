import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { commitOf } from '#infra/commit.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'partner-credit-commit-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const git = (...words: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.test', ...words], { cwd: folder, encoding: 'utf8' });

describe('commitOf', () => {
  it('commitOf returns unknown for a folder that is no clone', () => {
    expect(commitOf(folder)).toBe('unknown');
  });

  it('commitOf returns the commit of a clone, and says if a file was changed', () => {
    const file = join(folder, 'file');
    writeFileSync(file, 'a');
    git('init', '--quiet');
    git('add', 'file');
    git('commit', '--quiet', '--message=first');
    const commit = git('rev-parse', '--short=12', 'HEAD').trim();
    expect(commitOf(folder)).toBe(commit);
    writeFileSync(file, 'b');
    expect(commitOf(folder)).toBe(`${commit}-dirty`);
  });
});
