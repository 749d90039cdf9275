import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { runManager } from '#bin/manager/program.ts';

/** Result of one run of the manager's command line. */
export interface RunResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at results as a script would.
  json(): any;
}

export interface RunOptions {
  readonly input?: string;
  /** Answers of a person at the terminal, in order. A function does its work first and then returns the answer. */
  readonly answers?: readonly (string | (() => Promise<string>))[];
  readonly columns?: number;
  /** Clock of the command, if it runs in this process. The API has a clock of its own. */
  readonly now?: () => number;
  readonly env?: Readonly<Record<string, string>>;
}

export type Manager = (args: readonly (string | number)[], options?: RunOptions) => Promise<RunResult>;

const json = (out: string) => () => JSON.parse(out);

/** Runs the command line in this process, against the run that a service file names. */
export function managerHere(serviceFile: string): Manager {
  return managerOn('--local', '--service-file', serviceFile);
}

/** Runs the command line in this process, with options that say which service it uses. */
export function managerOn(...serviceOptions: readonly string[]): Manager {
  return async (args, { input = '', answers, columns, now } = {}) => {
    let out = '';
    let err = '';
    const answersLeft = [...(answers ?? [])];
    const ask = async (question: string) => {
      err += question;
      const next = answersLeft.shift() ?? '';
      return typeof next === 'string' ? next : next();
    };
    const terminal = {
      out: (text: string) => {
        out += text;
      },
      err: (text: string) => {
        err += text;
      },
      interactive: answers !== undefined,
      columns,
      ask,
      askSecretly: ask,
      input: async () => input,
    };
    const code = await runManager([...args.map(String), ...serviceOptions], terminal, now);
    return { code, out, err, json: json(out) };
  };
}

/** Runs the command line as a program of its own, as npm starts it. */
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
