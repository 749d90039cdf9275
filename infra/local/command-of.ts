import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Sources of information about running processes on this machine. */
export interface ProcessTools {
  /** The program `ps`. macOS and nearly every Linux have one. */
  readonly ps: string;
  /**
   * Folder in which the kernel shows processes as files. Only Linux has it; a small container may have it and no `ps`.
   */
  readonly proc: string;
}

const HERE: ProcessTools = { ps: 'ps', proc: '/proc' };

/**
 * Returns the command line of a running process. Empty if there is no such process, or if this machine has neither `ps`
 * nor /proc.
 */
export function commandOf(pid: number, { ps, proc }: ProcessTools = HERE): string {
  try {
    // `-ww`: not cut to the width of the terminal.
    const stdio: ['ignore', 'pipe', 'ignore'] = ['ignore', 'pipe', 'ignore'];
    return execFileSync(ps, ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8', stdio }).trim();
  } catch {
    return commandInFile(`${proc}/${pid}/cmdline`);
  }
}

/** Returns the command line in a file, in which zero bytes separate the words. */
function commandInFile(file: string): string {
  try {
    return readFileSync(file, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}
