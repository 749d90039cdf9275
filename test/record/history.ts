import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type * as z from 'zod/mini';
import { RECORDS, recordedVersions, SEAL, sealFormat } from '#infra/local/rehearsal/recorded-release.ts';

export const PROJECT = join(import.meta.dirname, '../..');
/** What begins the line of a commit in the output of git log. */
const COMMIT = 'commit ';

/** Runs git in a project. Returns its output without spaces at the ends. Throws an Error if git fails. */
const git = (project: string, ...words: string[]): string =>
  execFileSync('git', words, { cwd: project, stdio: 'pipe' }).toString().trim();

const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '');

const hashOf = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

/**
 * Returns the seal of a record: the commit that added it, and the hashes of its files. Throws an Error with one sentence
 * if the last commit is not the one that added the record.
 */
export function sealOf(version: string, project: string = PROJECT): z.output<typeof sealFormat> {
  const folder = join(RECORDS, version);
  const commit = git(project, 'rev-parse', 'HEAD');
  const added = lines(git(project, 'show', '--format=', '--name-only', '--diff-filter=A', 'HEAD', '--', folder));
  const present = readdirSync(join(project, folder)).map((file) => join(folder, file));
  if (present.length === 0 || present.some((file) => !added.includes(file))) {
    throw new Error(`commit the record of ${version} first: the last commit must add all files of ${folder}`);
  }
  const hashes = present.map((file) => [file.slice(folder.length + 1), hashOf(join(project, file))] as const);
  return { commit, files: Object.fromEntries(hashes) };
}

/**
 * Returns a sentence for each way in which the records are not as one commit has added them. Only the seal is added
 * later, by a commit that thereby says what the record was.
 */
export function faultsOfHistory(project: string = PROJECT): string[] {
  let shallow: string;
  try {
    shallow = git(project, 'rev-parse', '--is-shallow-repository');
  } catch {
    return ['there is no git history here, so nobody can see whether a record was changed: run this in a clone'];
  }
  if (shallow !== 'false')
    return ['this clone lacks a part of the history, so a changed record may not show: run git fetch --unshallow'];
  // -m compares a merge with each of its parents. Without --no-renames, a file that was moved away and changed would
  // count as added. Without --name-status, git 2.39 does not apply the filter, and lists no commit.
  const filter = ['-m', '--no-renames', '--diff-filter=a', '--name-status'];
  const log = lines(git(project, 'log', ...filter, `--format=${COMMIT}%h %s`, '--', RECORDS));
  const commits = log.filter((line) => line.startsWith(COMMIT));
  const changed = Array.from(new Set(commits), (line) => `this commit changes a record: ${line.slice(COMMIT.length)}`);
  return changed.concat(recordedVersions(project).flatMap((version) => faultsOfRecord(version, project)));
}

function faultsOfRecord(version: string, project: string): string[] {
  const folder = join(RECORDS, version);
  const seal = join(project, folder, SEAL);
  const present = readdirSync(join(project, folder)).filter((file) => file !== SEAL);
  if (!existsSync(seal)) {
    // The seal must be in the commit right after the one that has added the record. No commit has added it yet while the
    // person who records looks at it.
    const added = lines(git(project, 'log', '--format=%H', '--', folder)).at(-1);
    const isNew = added === undefined || added === git(project, 'rev-parse', 'HEAD');
    return isNew ? [] : [`${folder} has no ${SEAL}: run npm run record:seal`];
  }
  const { commit, files } = sealFormat.parse(JSON.parse(readFileSync(seal, 'utf8')));
  const faults: string[] = [];
  try {
    git(project, 'merge-base', '--is-ancestor', commit, 'HEAD');
  } catch {
    faults.push(`${folder}: the release's commit ${commit} is not in the history`);
  }
  for (const file of new Set(present.concat(Object.keys(files)))) {
    const path = join(project, folder, file);
    if (files[file] === undefined) faults.push(`${folder}: ${file} is not part of the record`);
    else if (!existsSync(path)) faults.push(`${folder}: ${file} is missing`);
    else if (hashOf(path) !== files[file]) faults.push(`${folder}: ${file} is not the recorded one`);
  }
  return faults;
}
