import { randomUUID } from 'node:crypto';
import { createWriteStream, mkdirSync, type WriteStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { Worker } from 'node:worker_threads';
import { type Instant, type Milliseconds, seconds } from '#shared/domain/values/time.ts';
import type { FunctionPlan } from '../blueprint.ts';
import { parsedJson } from '../listen.ts';
import { REGION } from '../template.ts';
import { CREDENTIALS } from './dynamodb.ts';

export interface ContainerData {
  readonly name: string;
  readonly folder: string;
  readonly handler: string;
  readonly memory: number;
}

export interface Invocation {
  /** JSON text. */
  readonly event: string;
  readonly requestId: string;
  readonly deadline: Instant;
  /** Time by which the container's clocks are ahead, as if so much time had passed since its last event. */
  readonly ahead: Milliseconds;
}

export type Outcome =
  | { readonly result: string }
  | { readonly error: { readonly type: string; readonly message: string; readonly stack: string } };

export class FunctionError extends Error {
  /** Class of the thrown error. `TimedOut`, `Crashed` and `Missing` are our own. */
  readonly type: string;

  constructor(type: string, message: string, stack?: string) {
    super(message);
    this.name = 'FunctionError';
    this.type = type;
    if (stack) this.stack = stack;
  }
}

export interface FunctionRun {
  readonly name: string;
  /** Duration without loading the function. */
  readonly milliseconds: Milliseconds;
  readonly failed: boolean;
  /** Number of runs of all functions at the end of this run, this run included. */
  readonly running: number;
}

export type LogSink = (operation: string, line: string) => void;

// Lambda's limit for loading a function. It does not count towards the function's own timeout.
const INIT_TIMEOUT = seconds(10);
// More than two threads for each function would halve the throughput of two cores.
const MOST_CONTAINERS = 2;

interface Waiting {
  readonly event: string;
  readonly ahead: Milliseconds;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: FunctionError) => void;
}

interface Container {
  readonly worker: Worker;
  ready: boolean;
  current:
    | { readonly waiting: Waiting; readonly requestId: string; timer: NodeJS.Timeout; begunAt?: number }
    | undefined;
}

function containersOf(
  { name, operation, folder, handler, memory, timeout }: FunctionPlan,
  environment: () => Readonly<Record<string, string>>,
  log: LogSink,
  ran: (milliseconds: Milliseconds, failed: boolean) => void,
  limit: number,
) {
  const containers: Container[] = [];
  const queue: Waiting[] = [];

  function handNext(): void {
    while (queue.length > 0) {
      const container = containers.find(({ current }) => !current) ?? (containers.length < limit ? start() : undefined);
      if (!container) return;
      const waiting = queue.shift();
      if (waiting) hand(container, waiting);
    }
  }

  function hand(container: Container, waiting: Waiting): void {
    container.current = { waiting, requestId: randomUUID(), timer: startTimer(container, INIT_TIMEOUT) };
    if (container.ready) run(container);
  }

  function run(container: Container): void {
    const { current } = container;
    if (!current) return;
    clearTimeout(current.timer);
    current.timer = startTimer(container, timeout);
    current.begunAt = Date.now();
    const { requestId, waiting } = current;
    const { event, ahead } = waiting;
    const invocation: Invocation = { event, requestId, deadline: Date.now() + timeout + ahead, ahead };
    container.worker.postMessage(invocation);
  }

  function startTimer(container: Container, milliseconds: Milliseconds): NodeJS.Timeout {
    return setTimeout(() => {
      void end(container, 'TimedOut', `Task timed out after ${(milliseconds / seconds(1)).toFixed(2)} seconds`);
      handNext();
    }, milliseconds);
  }

  function start(): Container {
    const workerData: ContainerData = { name, folder, handler, memory };
    const worker = new Worker(new URL('./container-thread.ts', import.meta.url), {
      workerData,
      env: { ...environment() },
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: memory },
    });
    const container: Container = { worker, ready: false, current: undefined };
    containers.push(container);
    follow(worker.stdout);
    follow(worker.stderr);
    worker.on('message', (outcome: Outcome | 'ready') => {
      if (outcome === 'ready') {
        container.ready = true;
        run(container);
        return;
      }
      const current = take(container, 'error' in outcome);
      if (!current) return;
      if ('result' in outcome) current.waiting.resolve(JSON.parse(outcome.result));
      else {
        const { type, message, stack } = outcome.error;
        const thrown = JSON.stringify({ errorType: type, errorMessage: message, stack: stack.split('\n') });
        log(operation, `${new Date().toISOString()}\t${current.requestId}\tERROR\tInvoke Error \t${thrown}`);
        current.waiting.reject(new FunctionError(type, message, stack));
      }
      handNext();
    });
    worker.on('error', (error: Error) => {
      const [first, ...more] = (error.stack ?? error.message).split('\n');
      const id = container.current?.requestId ?? 'none';
      for (const line of [`RequestId: ${id} Error: Runtime exited with error: ${first}`, ...more]) log(operation, line);
      void end(container, 'Crashed', error.message);
      handNext();
    });
    worker.on('exit', () => {
      const { current } = container;
      if (current) log(operation, `RequestId: ${current.requestId} Error: Runtime exited without providing a reason`);
      void end(container, 'Crashed', 'the function ended its process');
      handNext();
    });
    return container;
  }

  function take(container: Container, failed: boolean): Container['current'] {
    const { current } = container;
    clearTimeout(current?.timer);
    if (current) ran(Date.now() - (current.begunAt ?? Date.now()), failed);
    container.current = undefined;
    return current;
  }

  async function end(container: Container, type: string, message: string): Promise<void> {
    const index = containers.indexOf(container);
    if (index >= 0) containers.splice(index, 1);
    const current = take(container, true);
    if (current) {
      if (type === 'TimedOut') log(operation, `${new Date().toISOString()} ${current.requestId} ${message}`);
      current.waiting.reject(new FunctionError(type, message));
    }
    await container.worker.terminate();
  }

  function follow(stream: Readable): void {
    createInterface({ input: stream }).on('line', (line) => log(operation, line));
  }

  return {
    operation,
    running: () => containers.filter(({ current }) => current).length,
    invoke: (event: unknown, ahead: number) =>
      new Promise<unknown>((resolve, reject) => {
        queue.push({ event: JSON.stringify(event), ahead, resolve, reject });
        handNext();
      }),
    heapUsed: () =>
      Promise.all(containers.map(async ({ worker }) => (await worker.getHeapStatistics()).used_heap_size)),
    async close(): Promise<void> {
      for (const { reject } of queue.splice(0)) reject(new FunctionError('Crashed', 'the local run ends'));
      await Promise.all(containers.splice(0).map((container) => end(container, 'Crashed', 'the local run ends')));
    },
  };
}

export class Containers {
  private readonly pools: ReadonlyMap<string, ReturnType<typeof containersOf>[]>;

  /**
   * `environmentOf` returns a function's whole environment, to which this process adds nothing. `canary`: functions of
   * another release. They take every second run of the functions with the same names, as during a gradual deployment,
   * and log as `<operation>.canary`. `limit`: largest number of containers for each function.
   */
  constructor(
    plans: readonly FunctionPlan[],
    environmentOf: (plan: FunctionPlan) => Readonly<Record<string, string>>,
    log: LogSink,
    ran: (run: FunctionRun) => void = () => undefined,
    canary: readonly FunctionPlan[] = [],
    limit = MOST_CONTAINERS,
  ) {
    const running = () => this.all.reduce((sum, pool) => sum + pool.running(), 0);
    const poolOf = (plan: FunctionPlan, sink: LogSink) =>
      containersOf(
        plan,
        () => environmentOf(plan),
        sink,
        (milliseconds, failed) => ran({ name: plan.name, milliseconds, failed, running: running() }),
        limit,
      );
    this.pools = new Map(plans.map((plan) => [plan.name, [poolOf(plan, log)]]));
    for (const plan of canary)
      this.pools.get(plan.name)?.push(poolOf(plan, (operation, line) => log(`${operation}.canary`, line)));
  }

  private get all() {
    return [...this.pools.values()].flat();
  }

  /**
   * Throws a FunctionError if there is no answer. `ahead`: by how much the function's clocks are ahead of this
   * machine's.
   */
  async invoke(name: string, event: unknown, ahead = 0): Promise<unknown> {
    const pools = this.pools.get(name);
    const pool = pools?.shift();
    if (!pools || !pool) throw new FunctionError('Missing', `there is no function ${name}`);
    pools.push(pool);
    return pool.invoke(event, ahead);
  }

  async heapUsed(): Promise<ReadonlyMap<string, readonly number[]>> {
    return new Map(await Promise.all(this.all.map(async (pool) => [pool.operation, await pool.heapUsed()] as const)));
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map((pool) => pool.close()));
  }
}

export function lambdaEnvironment({ name, memory, handler, folder }: FunctionPlan): Record<string, string> {
  return {
    AWS_REGION: REGION,
    AWS_DEFAULT_REGION: REGION,
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    // No AWS setting of this machine may reach a function.
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_LAMBDA_FUNCTION_VERSION: '1',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memory),
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${name}`,
    AWS_LAMBDA_LOG_STREAM_NAME: 'local',
    LAMBDA_TASK_ROOT: folder,
    _HANDLER: handler,
    TZ: ':UTC',
  };
}

const LOUD = new Set(['WARN', 'ERROR', 'CRITICAL', 'FATAL']);

export function functionLogs(folder: string, verbose: boolean, show: (line: string) => void) {
  const files = new Map<string, WriteStream>();
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const fileOf = (operation: string) =>
    files.get(operation) ?? createWriteStream(join(folder, `${operation}.log`), { mode: 0o600 });
  return {
    take(operation: string, line: string) {
      const file = fileOf(operation);
      files.set(operation, file);
      file.write(`${line}\n`);
      const shown = verbose ? line : summaryOf(line);
      if (shown || verbose) show(`${operation} ${shown}`);
    },
    async close() {
      await Promise.all([...files.values()].map((file) => new Promise((resolve) => file.end(resolve))));
    },
  };
}
export type FunctionLogs = ReturnType<typeof functionLogs>;

interface LogEntry {
  readonly level?: unknown;
  readonly message?: unknown;
  readonly error?: unknown;
  readonly request_id?: unknown;
}

/** Returns a short form of a line if it is a warning, an error or not structured. Undefined for other lines. */
function summaryOf(line: string): string | undefined {
  const entry = parsedJson(line);
  if (entry === undefined) return line.trim() || undefined;
  if (typeof entry !== 'object' || entry === null) return line;
  const { level, message, error, request_id }: LogEntry = entry;
  if (typeof level !== 'string' || !LOUD.has(level)) return undefined;
  const cause = typeof error === 'object' && error !== null && 'message' in error ? error.message : undefined;
  return [level, message, cause, request_id].filter((part) => part !== undefined).join(' ');
}
