import { spawnSync } from 'node:child_process';

/** Whether this machine has a command. */
export function hasCommand(name: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${name}`]).status === 0;
}

/** Whether this machine has all of these commands. If not, warns about what is not checked. */
export function hasCommandsOrWarns(what: string, ...commands: string[]): boolean {
  const missing = commands.filter((name) => !hasCommand(name));
  if (missing.length > 0) console.warn(`NOT CHECKED: ${what}: there is no ${missing.join(', no ')} here`);
  return missing.length === 0;
}
