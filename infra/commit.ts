import { execFileSync } from 'node:child_process';

/**
 * Returns the commit, with `-dirty` if a file differs from it, or `unknown` if the folder is no clone or git is
 * missing.
 */
export function commitOf(folder: string): string {
  try {
    const words = ['describe', '--always', '--dirty', '--abbrev=12', '--exclude=*'];
    return execFileSync('git', words, { cwd: folder, encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return 'unknown';
  }
}
