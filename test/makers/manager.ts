import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { runManager } from '#bin/manager/program.ts';

/** What one run of the manager's command line came to. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at results as a script would.
  json(): any;
}

export interface RunOptions {
  readonly input?: string;
  /** A person at the terminal who gives these answers, one after another; a function's once it has done its work. */
  readonly answers?: readonly (string | (() => Promise<string>))[];
  readonly columns?: number;
  /** The clock of the command itself, of a run in this process; the API has its own. */
  readonly now?: () => number;
  readonly env?: Readonly<Record<string, string>>;
}

export type Manager = (args: readonly (string | number)[], options?: RunOptions) => Promise<Ran>;

const json = (out: string) => () => JSON.parse(out);

/** The command line in this process, on the run of a service file. */
export function managerHere(serviceFile: string): Manager {
  return managerOn('--local', '--service-file', serviceFile);
}

/** The command line in this process, where these options say. */
export function managerOn(...where: readonly string[]): Manager {
  return async (args, { input = '', answers, columns, now } = {}) => {
    let out = '';
    let err = '';
    const left = [...(answers ?? [])];
    const ask = async (question: string) => {
      err += question;
      const next = left.shift() ?? '';
      return typeof next === 'string' ? next : next();
    };
    const terminal = {
      out: (said: string) => {
        out += said;
      },
      err: (said: string) => {
        err += said;
      },
      interactive: answers !== undefined,
      columns,
      ask,
      askSecretly: ask,
      input: async () => input,
      interrupted: () => new Promise<void>(() => undefined),
    };
    const code = await runManager([...args.map(String), ...where], terminal, now);
    return { code, out, err, json: json(out) };
  };
}

/** The same as a program of its own, as npm starts it. */
export function managerProcess(serviceFile: string): Manager {
  return async (args, { input = '', env = {} } = {}) => {
    const child = spawn(process.execPath, ['bin/manager.ts', ...args.map(String), '--service-file', serviceFile], {
      cwd: join(import.meta.dirname, '../..'),
      env: { PATH: process.env['PATH'], HOME: '/nonexistent', ...env },
      timeout: 120_000,
    });
    child.stdin.end(input);
    const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    return { code: code ?? -1, out, err, json: json(out) };
  };
}
