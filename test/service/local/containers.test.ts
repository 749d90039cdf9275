import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, it, vi } from 'vitest';
import { Containers } from '#infra/local/aws/containers.ts';

const folder = mkdtempSync(join(tmpdir(), 'containers-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(
  join(folder, 'index.mjs'),
  `import { threadId } from 'node:worker_threads';
  let calls = 0;
  let running = 0;
  export async function handler(event, context) {
    calls += 1;
    running += 1;
    const together = running;
    console.log(JSON.stringify({ level: 'INFO', message: 'called' }));
    if (event.do === 'throw') { running -= 1; throw new RangeError('broken'); }
    if (event.do === 'hang') await new Promise(() => setInterval(() => {}, 1000));
    if (event.do === 'spin') for (;;);
    if (event.do === 'exit') process.exit(1);
    if (event.do === 'crash') { setImmediate(() => { throw new Error('unhandled'); }); await new Promise(() => {}); }
    if (event.do === 'wait') await new Promise((resolve) => setTimeout(resolve, 30));
    running -= 1;
    return {
      threadId, calls, together, environment: { ...process.env },
      remaining: context.getRemainingTimeInMillis(), name: context.functionName,
    };
  }`,
);

interface Result {
  readonly threadId: number;
  readonly calls: number;
  readonly together: number;
  readonly environment: Record<string, string>;
  readonly remaining: number;
  readonly name: string;
}

const lines: string[] = [];
let open: Containers | undefined;
afterEach(async () => {
  vi.useRealTimers();
  await open?.close();
  lines.length = 0;
});

function containers(timeout = 10_000): (event: object) => Promise<Result> {
  const plan = {
    name: 'work',
    operation: 'work',
    folder,
    handler: 'index.handler',
    timeout,
    memory: 128,
    environment: { A: 'b' },
  };
  open = new Containers(
    [plan],
    ({ environment }) => environment,
    (_, line) => lines.push(line),
  );
  return (event) => open!.invoke('work', event) as Promise<Result>;
}

it('a container serves the next event too, with its own environment and no timer of the last event', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const invoke = containers();
  const first = await invoke({});
  const second = await invoke({});
  expect(vi.getTimerCount()).toBe(0);
  expect(first.environment).toEqual({ A: 'b' });
  expect(first.name).toBe('work');
  expect(first.remaining).toBeGreaterThan(0);
  expect(second.threadId).toBe(first.threadId);
  expect(second.calls).toBe(2);
});

it('every second run goes to the other release, which has a log of its own', async () => {
  const plan = { name: 'work', operation: 'work', folder, handler: 'index.handler', timeout: 10_000, memory: 128 };
  const [one, other] = ['one', 'other'].map((release) => ({ ...plan, environment: { release } }));
  const logged: string[] = [];
  open = new Containers(
    [one!],
    ({ environment }) => environment,
    (operation) => logged.push(operation),
    undefined,
    [other!, { ...other!, name: 'gone' }],
  );
  const runs = [];
  for (let run = 0; run < 4; run++) runs.push((await open.invoke('work', {})) as Result);
  expect(runs.map(({ environment }) => environment['release'])).toEqual(['one', 'other', 'one', 'other']);
  await expect.poll(() => logged.toSorted()).toEqual(['work', 'work', 'work.canary', 'work.canary']);
  await expect(open.invoke('gone', {})).rejects.toThrow('there is no function gone');
});

it('at most two containers run, and each handles one event at a time', async () => {
  const invoke = containers();
  const results = await Promise.all(Array.from({ length: 12 }, () => invoke({ do: 'wait' })));
  expect(new Set(results.map(({ threadId }) => threadId)).size).toBe(2);
  expect(results.map(({ together }) => together)).toEqual(Array(12).fill(1));
});

it.each([
  ['waits for ever', 'hang'],
  ['never yields', 'spin'],
])('a function that %s is ended at its timeout, and the next event gets a new container', async (_, what) => {
  const invoke = containers(2_000);
  await expect(invoke({ do: what })).rejects.toMatchObject({ type: 'TimedOut' });
  expect((await invoke({})).calls).toBe(1);
  expect(lines.join('\n')).toContain('Task timed out after 2.00 seconds');
});

it.each([
  ['ends its process', 'exit'],
  ['crashes', 'crash'],
])('the next event gets a new container after a function that %s', async (_, what) => {
  const invoke = containers();
  await expect(invoke({ do: what })).rejects.toMatchObject({ type: 'Crashed' });
  expect((await invoke({})).calls).toBe(1);
  expect(lines.filter((line) => line.includes('Error: Runtime exited with'))).toHaveLength(1);
});
