import { readFileSync } from 'node:fs';

/** The command line of a process; empty where there is none, or no /proc. */
export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
