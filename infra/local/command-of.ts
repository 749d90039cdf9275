import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

export interface ProcessTools {
  readonly ps: string;
  /** Only Linux has /proc. A small container may have /proc and no `ps`. */
  readonly proc: string;
}

const HERE: ProcessTools = { ps: 'ps', proc: '/proc' };

/** Empty if there is no such process, or if this machine has neither `ps` nor /proc. */
export function commandOf(pid: number, { ps, proc }: ProcessTools = HERE): string {
  try {
    // `-ww` keeps `ps` from cutting the line to the width of the terminal.
    const stdio: ['ignore', 'pipe', 'ignore'] = ['ignore', 'pipe', 'ignore'];
    return execFileSync(ps, ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8', stdio }).trim();
  } catch {
    return commandInFile(`${proc}/${pid}/cmdline`);
  }
}

function commandInFile(file: string): string {
  try {
    return readFileSync(file, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}
