import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod/mini';
import { minutes } from '#shared/domain/values/time.ts';
import { endNoted } from '../aws/dynamodb.ts';
import type { InboxEvent } from '../inbox.ts';
import { freePort } from '../listen.ts';
import type { OperatorFaultOrder } from '../operator/faults.ts';
import type { OperatorState } from '../operator/operator.ts';
import type { LocalService } from '../run.ts';

const READY_WITHIN = minutes(3);

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the rehearsal looks at answers as a partner's script would.
  readonly body: any;
}

/**
 * Starts the local run in a process of its own, with two ticks of the schedules a second. `canary`: the assembly of
 * another release that works at the same time. Throws an Error with everything that the run printed if it does not
 * start.
 */
export async function startKeptRun(project: string, folder: string, assembly: string | undefined, canary?: string) {
  const serviceFile = join(folder, 'service.json');
  rmSync(serviceFile, { force: true });
  const command = [join(project, 'bin/dev.ts'), '--port', String(await freePort()), '--folder', folder];
  command.push('--rate', '100000', '--poll-every', '500ms');
  if (assembly !== undefined) command.push('--assembly', assembly);
  if (canary !== undefined) command.push('--canary', canary);
  // The run must not inherit AWS settings of this process or its shell.
  const env = withoutAws(process.env);
  const child = spawn(process.execPath, command, { cwd: project, stdio: ['ignore', 'pipe', 'pipe'], env });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
    // The emulator has a process group of its own, so it survives a process that was killed.
    endNoted(folder);
  };
  const until = Date.now() + READY_WITHIN;
  while (!existsSync(serviceFile)) {
    if (child.exitCode !== null || Date.now() > until) {
      await kill();
      throw new Error(`the local run did not start:\n${printed}`);
    }
    await wait(100);
  }
  const service: LocalService = JSON.parse(readFileSync(serviceFile, 'utf8'));
  const token = secretIn(folder, 'operator');
  const control = async (method: string, path: string, body?: unknown) =>
    ask(`${service.operator}/control/${path}`, method, { authorization: `Bearer ${token}` }, body);
  return {
    ...service,
    call: (
      method: string,
      path: string,
      key: string,
      body?: unknown,
      idempotencyKey = `k${Date.now()}-${Math.random()}`,
    ) => ask(service.url + path, method, { 'x-api-key': key, 'idempotency-key': idempotencyKey }, body),
    manage: (duty: string, method: string, path: string, body?: unknown) => {
      const { url, tokens } = service.administration;
      return ask(url + path, method, { authorization: `Bearer ${tokens[duty]}` }, body);
    },
    events: async (): Promise<readonly InboxEvent[]> => (await ask(service.inbox.url, 'GET', {})).body,
    operator: {
      state: async (): Promise<OperatorState> => (await control('GET', 'state')).body,
      fault: async (order: OperatorFaultOrder) => void (await control('POST', 'faults', order)),
      decide: async (reference: string, status: string) =>
        void (await control('PUT', `status/${reference}`, { status })),
    },
    kill,
  };
}
export type KeptRun = Awaited<ReturnType<typeof startKeptRun>>;

export async function ask(
  url: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  body?: unknown,
): Promise<Answer> {
  const call =
    body === undefined
      ? { method, headers }
      : { method, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(url, call);
  return { status: response.status, body: await response.json() };
}

const withoutAws = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('AWS_')));

/** The part of the secrets file that every release writes. */
const secretsFormat = z.array(
  z.object({ name: z.string(), versions: z.array(z.object({ value: z.string(), stages: z.array(z.string()) })) }),
);

/** `end`: last part of the secret's name. Throws an Error if there is no such secret. */
function secretIn(folder: string, end: string): string {
  const secrets = secretsFormat.parse(JSON.parse(readFileSync(join(folder, 'secrets.json'), 'utf8')));
  const found = secrets.find(({ name }) => name.endsWith(`/${end}`));
  const current = found?.versions.find(({ stages }) => stages.includes('AWSCURRENT'));
  if (!current) throw new Error(`the run keeps no secret whose name ends with /${end}`);
  return current.value;
}
