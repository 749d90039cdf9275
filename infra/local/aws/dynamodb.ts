import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import {
  CreateTableCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  ListTablesCommand,
  ResourceInUseException,
  ResourceNotFoundException,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { seconds } from '#shared/domain/values/time.ts';
import type { Blueprint } from '../blueprint.ts';
import { commandOf } from '../command-of.ts';
import { drawAddress, freePort, StartError } from '../listen.ts';
import { REGION } from '../template.ts';
import { indexChange } from './index-change.ts';

const READY_WITHIN = seconds(10);
const PID_FILE = 'dynamodb.pid';

/** Fake credentials: the emulators demand some and check none. */
export const CREDENTIALS = { accessKeyId: 'LOCALRUN', secretAccessKey: 'local-run' } as const;

/**
 * Starts the DynamoDB emulator as a child process. Without `database`, its data are in memory. Pages of any origin may
 * read the emulator's answers, so it listens on a random loopback address, which no page can guess. Its process id is
 * in `folder`, so that a later start can end it after a kill -9. Throws a StartError if the emulator is not installed
 * or does not start.
 */
export async function startDynamoDb(
  folder: string,
  database: string | undefined,
  lost: (message: string) => void,
  machine: Machine = HERE,
) {
  endNoted(folder, machine);
  const address = await drawAddress();
  const port = await freePort(address);
  const args = ['--host', address, '--port', String(port)];
  if (database !== undefined) args.push('--db-path', database);
  const child = spawn(
    emulator(machine),
    args,
    // A process group of its own: Ctrl-C reaches only this process, which ends the child last.
    { stdio: 'ignore', detached: true },
  );
  const kill = (): void => end(child.pid, 'SIGKILL');
  process.once('exit', kill);
  if (child.pid) writeFileSync(join(folder, PID_FILE), `${child.pid}\n`, { mode: 0o600 });

  let closing = false;
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  const endpoint = `http://${address}:${port}`;
  await waitUntilReady(child, endpoint);
  void ended.then(() => {
    if (!closing) lost('the DynamoDB emulator has ended by itself: start again');
  });
  return {
    endpoint,
    close: async () => {
      closing = true;
      process.removeListener('exit', kill);
      end(child.pid, 'SIGTERM');
      const timer = setTimeout(kill, 3000);
      await ended;
      clearTimeout(timer);
      rmSync(join(folder, PID_FILE), { force: true });
    },
  };
}
export type LocalDynamoDb = Awaited<ReturnType<typeof startDynamoDb>>;

export function endNoted(folder: string, { commandOf }: Pick<Machine, 'commandOf'> = HERE): void {
  const file = join(folder, PID_FILE);
  if (!existsSync(file)) return;
  const pid = Number(readFileSync(file, 'utf8').trim());
  // Meanwhile another program may have this process id.
  if (Number.isInteger(pid) && pid > 1 && commandOf(pid).includes('dynoxide')) end(pid, 'SIGKILL');
  rmSync(file, { force: true });
}

/** Ends the whole process group: a script that npm puts on the PATH has the emulator as its child. */
function end(pid: number | undefined, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The process has already ended.
  }
}

export interface Machine {
  /** Platform in npm's spelling: `linux-x64`, `darwin-arm64`. */
  readonly platform: string;
  readonly packageFolder: (name: string) => string | undefined;
  readonly path: string;
  readonly exists: (file: string) => boolean;
  readonly commandOf: (pid: number) => string;
}

const HERE: Machine = {
  platform: `${process.platform}-${process.arch}`,
  packageFolder: (name) => {
    try {
      return dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
    } catch {
      return undefined;
    }
  },
  path: process.env['PATH'] ?? '',
  exists: existsSync,
  commandOf,
};

/**
 * The README names the same command. 2.0.1 is the version of the crate; the program's is 1.2.1. The crate `dynoxide` is
 * a different program.
 */
export const INSTALL = 'cargo install dynoxide-rs --version 2.0.1 --locked';

/** Prefers the npm package to the PATH. Throws a StartError that says how to install the program. */
export function emulator({ platform, packageFolder, path, exists }: Omit<Machine, 'commandOf'> = HERE): string {
  const name = `@dynoxide/${platform}`;
  const folders = [packageFolder(name), ...path.split(delimiter)].filter(
    (folder) => folder !== undefined && folder !== '',
  );
  const found = folders.map((folder) => join(folder!, 'dynoxide')).find(exists);
  if (found !== undefined) return found;
  throw new StartError(
    `the DynamoDB emulator is missing, which npm ci brings only on Linux x64: ${INSTALL} puts it on the PATH. npm start, but not npm test, also uses another DynamoDB that AWS_ENDPOINT_URL_DYNAMODB names`,
  );
}

async function waitUntilReady(child: ChildProcess, endpoint: string): Promise<void> {
  const client = dynamoDb(endpoint);
  const deadline = Date.now() + READY_WITHIN;
  try {
    for (;;) {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new StartError('the DynamoDB emulator ended at once');
      try {
        await client.send(new ListTablesCommand({}));
        return;
      } catch (error) {
        if (Date.now() > deadline) {
          throw new StartError(`the DynamoDB emulator did not answer within ${READY_WITHIN / seconds(1)} s`, {
            cause: error,
          });
        }
      }
      await wait(20);
    }
  } finally {
    client.destroy();
  }
}

export const dynamoDb = (endpoint: string): DynamoDBClient =>
  new DynamoDBClient({ endpoint, region: REGION, credentials: CREDENTIALS, maxAttempts: 1 });

export async function makeTables(
  endpoint: string,
  { table, timeToLive, erasureLedger }: Pick<Blueprint, 'table' | 'timeToLive' | 'erasureLedger'>,
  fresh: boolean,
): Promise<void> {
  await makeTable(endpoint, { table, timeToLive }, fresh);
  await makeTable(endpoint, { table: erasureLedger, timeToLive: undefined }, fresh);
}

/**
 * Makes a table, or keeps an older table and changes its indexes as a deployment would. `fresh` replaces a kept table.
 * Throws a StartError if AWS would refuse the change.
 */
export async function makeTable(
  endpoint: string,
  { table, timeToLive }: Pick<Blueprint, 'table' | 'timeToLive'>,
  fresh: boolean,
): Promise<void> {
  const client = dynamoDb(endpoint);
  const { TableName } = table;
  try {
    if (fresh) {
      await client.send(new DeleteTableCommand({ TableName })).catch((error: unknown) => {
        if (!(error instanceof ResourceNotFoundException)) throw error;
      });
    }
    await client.send(new CreateTableCommand(table)).catch(async (error: unknown) => {
      if (!(error instanceof ResourceInUseException)) throw error;
      await update(client, table);
    });
    if (timeToLive) {
      const TimeToLiveSpecification = { AttributeName: timeToLive, Enabled: true };
      // DynamoDB returns an error if a kept table already has this setting. Readers compare the time themselves.
      await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification })).catch(() => undefined);
    }
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(
      `DynamoDB at ${endpoint} does not take the table (${String(error)}): start it, or unset AWS_ENDPOINT_URL_DYNAMODB for the embedded one`,
      { cause: error },
    );
  } finally {
    client.destroy();
  }
}

async function update(client: DynamoDBClient, table: Blueprint['table']): Promise<void> {
  const { TableName, AttributeDefinitions } = table;
  const { Table = {} } = await client.send(new DescribeTableCommand({ TableName }));
  const change = indexChange(Table, table);
  if (change === undefined) return;
  const step = 'create' in change ? { Create: change.create } : { Delete: { IndexName: change.remove } };
  await client.send(new UpdateTableCommand({ TableName, AttributeDefinitions, GlobalSecondaryIndexUpdates: [step] }));
}
