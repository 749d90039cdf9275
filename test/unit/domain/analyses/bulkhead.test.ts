import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type BulkheadOptions, runBulkhead } from '../../../../shared/domain/analyses/bulkhead.ts';
import { BANKS, type Bank } from '../../../../shared/domain/values/bank.ts';

const RUNS = process.env['SOAK'] ? 3_000 : 200;

interface Item {
  readonly bank: Bank;
  readonly number: number;
}
const LATER = Number.MAX_SAFE_INTEGER;
const still: Pick<BulkheadOptions, 'clock' | 'deadline'> = { clock: () => 0, deadline: LATER };

function itemsOf(bank: Bank, count: number): Item[] {
  return Array.from({ length: count }, (_, number) => ({ bank, number }));
}

/** Items of several banks, one of each in turn. */
function mixed(banks: readonly Bank[], each: number): Item[] {
  return Array.from({ length: each }, (_, number) => banks.map((bank) => ({ bank, number }))).flat();
}

/** Work whose ends the test decides, and whose starts it sees. */
function heldWork() {
  const running = new Map<Item, (result: 'answered' | 'failed' | Error) => void>();
  const started: Item[] = [];
  return {
    started,
    runningOf: (bank?: Bank) => [...running.keys()].filter((item) => bank === undefined || item.bank === bank),
    work: (item: Item) =>
      new Promise<'answered' | 'failed'>((resolve, reject) => {
        started.push(item);
        running.set(item, (result) => {
          running.delete(item);
          if (result instanceof Error) reject(result);
          else resolve(result);
        });
      }),
    end(item: Item, result: 'answered' | 'failed' | Error = 'answered') {
      running.get(item)?.(result);
    },
  };
}

/** Lets all promises that can go on do so: their jobs run before any macrotask. */
async function settled(): Promise<void> {
  for (let round = 0; round < 3; round++) await new Promise((resolve) => setImmediate(resolve));
}

async function* pages(items: readonly Item[], onRead: () => void = () => {}): AsyncGenerator<Item> {
  for (const item of items) {
    onRead();
    yield item;
  }
}

test('every item of every bank is worked on once, from arrays and from pages', async () => {
  const all = mixed(BANKS, 40);
  for (const source of [all, pages(all)]) {
    const seen: Item[] = [];
    const report = await runBulkhead(
      source,
      async (item) => {
        seen.push(item);
        return 'answered';
      },
      still,
    );
    expect(seen).toHaveLength(all.length);
    expect(new Set(seen)).toEqual(new Set(all));
    expect(report).toMatchObject({ finished: true, open: [], firstError: undefined });
    for (const bank of BANKS)
      expect(report.banks.get(bank)).toEqual({ answered: 40, failed: 0, thrown: 0, skipped: 0, postponed: 0 });
  }
});

test('nothing to do is a run too', async () => {
  const report = await runBulkhead([], async () => 'answered', still);
  expect(report).toMatchObject({ finished: true, open: [], banks: new Map() });
});

test('at most 20 run at once in all and 10 of one bank', async () => {
  const held = heldWork();
  const run = runBulkhead(mixed(['itau', 'inter', 'brb'], 30), held.work, still);
  await settled();
  expect(held.runningOf()).toHaveLength(20);
  for (const bank of ['itau', 'inter', 'brb'] as const) expect(held.runningOf(bank).length).toBeLessThanOrEqual(10);
  while (held.runningOf().length > 0) {
    held.end(held.runningOf()[0]!);
    await settled();
    expect(held.runningOf().length).toBeLessThanOrEqual(20);
  }
  expect((await run).finished).toBe(true);
});

test('one bank alone never holds more than its share', async () => {
  const held = heldWork();
  const run = runBulkhead(itemsOf('itau', 25), held.work, still);
  await settled();
  expect(held.runningOf()).toHaveLength(10);
  while (held.runningOf().length > 0) {
    held.end(held.runningOf()[0]!);
    await settled();
  }
  expect((await run).banks.get('itau')?.answered).toBe(25);
});

test('a bank that never answers does not delay the others, though all its items come first', async () => {
  const held = heldWork();
  const run = runBulkhead([...itemsOf('itau', 300), ...mixed(['inter', 'brb'], 50)], held.work, still);
  await settled();
  let others = held.runningOf().filter(({ bank }) => bank !== 'itau');
  while (others.length > 0) {
    for (const item of others) held.end(item);
    await settled();
    others = held.runningOf().filter(({ bank }) => bank !== 'itau');
  }
  expect(held.started.filter(({ bank }) => bank !== 'itau')).toHaveLength(100);
  expect(held.runningOf('itau')).toHaveLength(10);
  while (held.runningOf().length > 0) {
    for (const item of held.runningOf()) held.end(item);
    await settled();
  }
  expect((await run).banks.get('itau')?.answered).toBe(300);
});

test('banks take turns where all buckets are wanted', async () => {
  const held = heldWork();
  const run = runBulkhead(mixed(['itau', 'inter'], 40), held.work, { ...still, totalAtOnce: 4, bankAtOnce: 4 });
  await settled();
  for (let round = 0; round < 30; round++) {
    held.end(held.runningOf()[0]!);
    await settled();
  }
  const itau = held.started.filter(({ bank }) => bank === 'itau').length;
  expect(Math.abs(2 * itau - held.started.length)).toBeLessThanOrEqual(4);
  while (held.runningOf().length > 0) {
    held.end(held.runningOf()[0]!);
    await settled();
  }
  await run;
});

test('after 5 failures in a row a bank gets one more try and is then left alone; the others go on', async () => {
  const asked: Item[] = [];
  const report = await runBulkhead(
    mixed(['itau', 'inter'], 100),
    async (item) => {
      asked.push(item);
      return item.bank === 'itau' ? 'failed' : 'answered';
    },
    { ...still, bankAtOnce: 1 },
  );
  expect(asked.filter(({ bank }) => bank === 'itau')).toHaveLength(6);
  expect(report.open).toEqual(['itau']);
  expect(report.banks.get('itau')).toEqual({ answered: 0, failed: 6, thrown: 0, skipped: 94, postponed: 0 });
  expect(report.banks.get('inter')).toEqual({ answered: 100, failed: 0, thrown: 0, skipped: 0, postponed: 0 });
});

test('the one more try waits for the calls in flight and runs alone', async () => {
  const held = heldWork();
  const run = runBulkhead(itemsOf('itau', 40), held.work, still);
  await settled();
  for (const item of held.runningOf().slice(0, 9)) held.end(item, 'failed');
  await settled();
  expect(held.started).toHaveLength(10);
  held.end(held.runningOf()[0]!, 'failed');
  await settled();
  expect(held.started).toHaveLength(11);
  held.end(held.runningOf()[0]!, 'failed');
  const report = await run;
  expect(report.banks.get('itau')).toEqual({ answered: 0, failed: 11, thrown: 0, skipped: 29, postponed: 0 });
});

test('a try that is answered opens the lane again; a second series of failures closes it without another', async () => {
  const answers = [...Array(5).fill('failed'), 'answered', ...Array(100).fill('failed')] as ('answered' | 'failed')[];
  const report = await runBulkhead(itemsOf('itau', 60), async () => answers.shift() ?? 'answered', {
    ...still,
    bankAtOnce: 1,
  });
  expect(report.banks.get('itau')).toEqual({ answered: 1, failed: 10, thrown: 0, skipped: 49, postponed: 0 });
  expect(report.open).toEqual(['itau']);
});

test('a bank that is left alone stays so, though a call still in flight is answered', async () => {
  const held = heldWork();
  const run = runBulkhead(itemsOf('itau', 20), held.work, { ...still, bankAtOnce: 3, failuresToOpen: 1 });
  await settled();
  for (const item of held.runningOf()) held.end(item, 'failed');
  await settled();
  held.end(held.runningOf()[0]!);
  await settled();
  const [failing, ...answering] = held.runningOf();
  held.end(failing!, 'failed');
  await settled();
  for (const item of answering) held.end(item);
  const report = await run;
  expect(report.open).toEqual(['itau']);
  expect(report.banks.get('itau')).toEqual({ answered: 3, failed: 4, thrown: 0, skipped: 13, postponed: 0 });
});

test('what was held for a bank that is left alone makes room for the others', async () => {
  const held = heldWork();
  const source = [...itemsOf('itau', 50), ...itemsOf('inter', 40)];
  const run = runBulkhead(source, held.work, { ...still, totalAtOnce: 11, bankAtOnce: 10, heldLimit: 40 });
  await settled();
  for (const item of held.runningOf('itau')) held.end(item, 'failed');
  await settled();
  while (held.runningOf().length > 0) {
    for (const item of held.runningOf()) held.end(item, item.bank === 'itau' ? 'failed' : 'answered');
    await settled();
  }
  const report = await run;
  expect(report.open).toEqual(['itau']);
  expect(report.banks.get('inter')).toEqual({ answered: 40, failed: 0, thrown: 0, skipped: 0, postponed: 0 });
});

test('failures that are not in a row leave a bank alone never', async () => {
  let count = 0;
  const report = await runBulkhead(itemsOf('itau', 100), async () => (++count % 5 === 0 ? 'answered' : 'failed'), {
    ...still,
    bankAtOnce: 1,
  });
  expect(report.banks.get('itau')).toMatchObject({ answered: 20, failed: 80, skipped: 0 });
  expect(report.open).toEqual([]);
});

test('an answer that arrives while failures are piling up closes the breaker', async () => {
  const held = heldWork();
  const run = runBulkhead(itemsOf('itau', 20), held.work, { ...still, bankAtOnce: 6 });
  await settled();
  const [answering, ...failing] = held.runningOf();
  for (const item of failing) held.end(item, 'failed');
  await settled();
  expect(held.runningOf()).toEqual([answering]);
  held.end(answering!);
  await settled();
  expect(held.runningOf()).toHaveLength(6);
  while (held.runningOf().length > 0) {
    held.end(held.runningOf()[0]!);
    await settled();
  }
  expect((await run).banks.get('itau')).toMatchObject({ answered: 15, failed: 5, skipped: 0 });
});

test('work that throws is counted, reported and not held against its bank', async () => {
  const broken = new Error('the table is away');
  const report = await runBulkhead(
    itemsOf('itau', 30),
    (item) => {
      if (item.number < 10) throw broken;
      return Promise.resolve('answered');
    },
    { ...still, bankAtOnce: 1 },
  );
  expect(report.banks.get('itau')).toEqual({ answered: 20, failed: 0, thrown: 10, skipped: 0, postponed: 0 });
  expect(report).toMatchObject({ open: [], finished: true });
  expect(report.firstError).toBe(broken);
});

test('a try that throws is made again with the next item', async () => {
  const ends = [...Array(5).fill('failed'), new Error('ours'), 'answered'] as ('failed' | 'answered' | Error)[];
  const report = await runBulkhead(
    itemsOf('itau', 20),
    async () => {
      const end = ends.shift() ?? 'answered';
      if (end instanceof Error) throw end;
      return end;
    },
    { ...still, bankAtOnce: 1 },
  );
  expect(report.banks.get('itau')).toEqual({ answered: 14, failed: 5, thrown: 1, skipped: 0, postponed: 0 });
});

test('at the deadline nothing more starts, what runs is waited for, and the source is closed', async () => {
  let now = 0;
  let closed = false;
  const held = heldWork();
  async function* source() {
    try {
      yield* itemsOf('itau', 100);
    } finally {
      closed = true;
    }
  }
  let ended = false;
  const run = runBulkhead(source(), held.work, {
    clock: () => now,
    deadline: 1_000,
    totalAtOnce: 3,
  }).finally(() => {
    ended = true;
  });
  await settled();
  now = 999;
  held.end(held.runningOf()[0]!);
  await settled();
  expect(held.started).toHaveLength(4);
  now = 1_000;
  held.end(held.runningOf()[0]!);
  await settled();
  expect(held.started).toHaveLength(4);
  expect(ended).toBe(false);
  for (const item of held.runningOf()) held.end(item);
  const report = await run;
  expect(closed).toBe(true);
  expect(report.banks.get('itau')).toMatchObject({ answered: 4, failed: 0, skipped: 0 });
});

test('a source cut short by the deadline is reported as unfinished', async () => {
  let now = 0;
  const report = await runBulkhead(
    itemsOf('itau', 100),
    async () => {
      now += 100;
      return 'answered';
    },
    { clock: () => now, deadline: 1_000, bankAtOnce: 1, totalAtOnce: 1 },
  );
  expect(report.finished).toBe(false);
  expect(report.banks.get('itau')?.answered).toBe(10);
});

test('a deadline in the past starts nothing', async () => {
  const held = heldWork();
  const report = await runBulkhead(itemsOf('itau', 3), held.work, { clock: () => 5, deadline: 5 });
  expect(held.started).toEqual([]);
  expect(report.finished).toBe(false);
});

test('a source that fails ends the reading; what was read is still done', async () => {
  const broken = new Error('the page cannot be read');
  async function* source() {
    yield* itemsOf('itau', 5);
    throw broken;
  }
  const report = await runBulkhead(source(), async () => 'answered', still);
  expect(report.banks.get('itau')?.answered).toBe(5);
  expect(report.finished).toBe(false);
  expect(report.firstError).toBe(broken);
});

test('the source is read only as far ahead as the lanes have need', async () => {
  const held = heldWork();
  let read = 0;
  const run = runBulkhead(
    pages(mixed(BANKS, 1_000), () => {
      read += 1;
    }),
    held.work,
    still,
  );
  await settled();
  expect(held.runningOf()).toHaveLength(20);
  expect(read).toBeLessThanOrEqual(21);
  for (const item of held.runningOf()) held.end(item, 'failed');
  await settled();
  while (held.runningOf().length > 0) {
    for (const item of held.runningOf()) held.end(item, 'failed');
    await settled();
  }
  await run;
});

test('what cannot be held for a slow bank is left to the next run, and the others go on', async () => {
  const held = heldWork();
  const run = runBulkhead([...itemsOf('itau', 1_000), ...itemsOf('inter', 3)], held.work, { ...still, heldLimit: 50 });
  await settled();
  expect(held.runningOf('inter')).toHaveLength(3);
  expect(held.runningOf('itau')).toHaveLength(10);
  while (held.runningOf().length > 0) {
    for (const item of held.runningOf()) held.end(item);
    await settled();
  }
  const report = await run;
  expect(report.banks.get('itau')).toEqual({ answered: 60, failed: 0, thrown: 0, skipped: 0, postponed: 940 });
  expect(report.banks.get('inter')?.answered).toBe(3);
  expect(report.finished).toBe(true);
});

test('every item read ends in exactly one count, whatever the banks do', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          bank: fc.constantFrom(...BANKS),
          end: fc.constantFrom('answered' as const, 'failed' as const, 'thrown' as const),
          turns: fc.integer({ min: 0, max: 5 }),
        }),
        { maxLength: 120 },
      ),
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 1, max: 200 }),
      async (items, totalAtOnce, bankAtOnce, deadline) => {
        let now = 0;
        let running = 0;
        let read = 0;
        let most = 0;
        let mostOfBank = 0;
        const perBank = new Map<Bank, number>();
        async function* source() {
          for (const item of items) {
            read += 1;
            yield item;
          }
        }
        const report = await runBulkhead(
          source(),
          async (item) => {
            running += 1;
            perBank.set(item.bank, (perBank.get(item.bank) ?? 0) + 1);
            most = Math.max(most, running);
            mostOfBank = Math.max(mostOfBank, perBank.get(item.bank) ?? 0);
            for (let turn = 0; turn < item.turns; turn++) await Promise.resolve();
            now += 1;
            running -= 1;
            perBank.set(item.bank, (perBank.get(item.bank) ?? 0) - 1);
            if (item.end === 'thrown') throw new Error('ours');
            return item.end;
          },
          { clock: () => now, deadline, totalAtOnce, bankAtOnce },
        );
        expect(running).toBe(0);
        expect(most).toBeLessThanOrEqual(totalAtOnce);
        expect(mostOfBank).toBeLessThanOrEqual(bankAtOnce);
        const counted = [...report.banks.values()].flatMap((counts) => Object.values(counts));
        expect(counted.reduce((sum, count) => sum + count, 0)).toBe(read);
        if (report.finished) expect(read).toBe(items.length);
      },
    ),
    { numRuns: RUNS },
  );
});
