import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { inject } from 'vitest';
import type { InboxEvent } from '#infra/local/inbox.ts';
import { freePort } from '#infra/local/listen.ts';
import type { Environment } from '#shared/domain/values/tenancy.ts';
import type { CallAnswer } from './call.ts';
import { captureText } from './overheard.ts';

/** The whole service as `npm start` runs it, in a process of its own. */
export interface LocalService {
  readonly url: string;
  /** Address of the operations page. */
  readonly dashboards: string;
  readonly keys: { readonly sandbox: string; readonly producao: string };
  /** Receiver of the demo partner's events, and the secret of each environment. */
  readonly inbox: { readonly url: string; readonly secrets: Readonly<Record<Environment, string>> };
  /** Address of the hosted panel, and the password of its sign-in. */
  readonly administration: { readonly panel: string; readonly password: string };
  /** Address of the table engine. */
  readonly table: string;
  /** Folder of the service's data and files. */
  readonly folder: string;
  /** File through which other programs find the service. */
  readonly serviceFile: string;
  readonly pid: number;
  /** Returns everything that the service has printed. */
  output(): string;
  /** Sends a signal and waits until the service has ended. */
  end(signal?: NodeJS.Signals): Promise<void>;
}

interface Options {
  /** Keeps the data in this folder. Without it the service is new and in memory. */
  readonly folder?: string;
  readonly rate?: number;
  /** Whether a second person must approve what one person may not do alone. */
  readonly approvals?: boolean;
  /**
   * Whether the service synthesises the stage itself, as `npm start` does. @default the assembly that all tests share
   */
  readonly synthesises?: boolean;
  /** @default 300ms */
  readonly pollEvery?: string;
  /** Whether the engines are reached through the wire that behaves as AWS does. */
  readonly awsLike?: boolean;
}

const READY_WITHIN = 170_000;

/** Starts the service on a free port and waits until it says that it is ready. Throws an Error if it does not start. */
export async function startLocalService(options: Options = {}): Promise<LocalService> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'partner-credit-run-'));
  const serviceFile = join(folder, 'service.json');
  rmSync(serviceFile, { force: true });
  const child = spawn(
    process.execPath,
    [
      'bin/dev.ts',
      ...['--port', String(await freePort()), '--folder', folder, '--rate', String(options.rate ?? 100_000)],
      ...['--poll-every', options.pollEvery ?? '300ms'],
      ...(options.synthesises ? [] : ['--assembly', inject('assembly')]),
      ...(options.approvals ? ['--approvals'] : []),
      ...(options.awsLike ? ['--aws-like'] : []),
      ...(options.folder ? [] : ['--fresh']),
    ],
    { cwd: join(import.meta.dirname, '../..'), stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const deadline = Date.now() + READY_WITHIN;
  while (!existsSync(serviceFile) || !output.includes('Ready after')) {
    if (child.exitCode !== null || Date.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error(`the service did not start:\n${output}`);
    }
    await wait(50);
  }
  return {
    ...(JSON.parse(readFileSync(serviceFile, 'utf8')) as Pick<
      LocalService,
      'url' | 'dashboards' | 'keys' | 'inbox' | 'administration' | 'table'
    >),
    folder,
    serviceFile,
    pid: child.pid!,
    output: () => output,
    end: async (signal = 'SIGTERM') => {
      overhearLogs(folder);
      child.kill(signal);
      await ended;
      // The printed page shows a call with a test CPF to copy, which is not a leak.
      captureText(output.replaceAll(/^ {2}curl .*$/gm, ''));
      if (!options.folder) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Hears what the functions have logged so far. A service in memory deletes its logs when it ends. */
function overhearLogs(folder: string): void {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  for (const name of names.filter((name) => name.endsWith('.log')))
    captureText(readFileSync(join(folder, name), 'utf8'));
}

/** Calls the service over HTTP. */
export async function request(
  service: Pick<LocalService, 'url' | 'keys'>,
  method: string,
  path: string,
  {
    body,
    key = service.keys.sandbox,
    headers = {},
  }: { body?: unknown; key?: string | undefined; headers?: Record<string, string> } = {},
): Promise<CallAnswer> {
  const requestBody =
    body === undefined ? undefined : typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const response = await fetch(service.url + path, {
    method,
    headers: {
      ...(key && { 'x-api-key': key }),
      ...(requestBody !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(requestBody !== undefined && { body: requestBody }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body:
      (response.headers.get('content-type') ?? '').startsWith('application/json') && text
        ? JSON.parse(text)
        : undefined,
    text,
  };
}

/** Repeats `look` until it returns a value. Throws an Error that names `what` after so many milliseconds. */
export async function eventually<T>(what: string, look: () => Promise<T | undefined>, within = 120_000): Promise<T> {
  const deadline = Date.now() + within;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error(`waited ${within} ms in vain for ${what}`);
    await wait(100);
  }
}

/** Returns the events of an analysis that the service's inbox has received so far. */
export async function eventsOf(
  service: { readonly inbox: Pick<LocalService['inbox'], 'url'> },
  analysis: number,
): Promise<InboxEvent[]> {
  const events = (await (await fetch(service.inbox.url)).json()) as InboxEvent[];
  return events.filter(({ raw }) => JSON.parse(raw).data.analise_id === analysis);
}
