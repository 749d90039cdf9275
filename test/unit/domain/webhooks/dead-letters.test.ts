import * as fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { EventId, PartnerId } from '#shared/domain/values/ids.ts';
import * as dead from '#shared/domain/webhooks/dead-letters.ts';
import { makeDelivery } from '#test/makers/delivery.ts';
import { FakeDeliveryQueue } from '#test/makers/delivery-queue.ts';

const NOW = 1_763_640_000_000;
const always = () => true;
const EVENTS = ['evt_a', 'evt_b', 'evt_c'] as EventId[];

/** A dead-letter queue in memory. One call returns at most 10 letters, as with SQS. */
class MemoryLetters implements dead.DeadLetters {
  readonly waiting: dead.DeadLetter[];
  readonly taken = new Set<dead.DeadLetter>();
  readonly looks: [most: number, seconds: number][] = [];

  constructor(letters: readonly dead.DeadLetter[]) {
    this.waiting = [...letters];
  }

  async count() {
    return { waiting: this.waiting.length, inHand: this.taken.size };
  }

  async take(most: number, seconds: number) {
    this.looks.push([most, seconds]);
    const taken = this.waiting.splice(0, Math.min(most, 10));
    for (const letter of taken) this.taken.add(letter);
    return taken;
  }

  async putBack(letter: dead.DeadLetter) {
    if (this.taken.delete(letter)) this.waiting.push(letter);
  }

  async delete(letter: dead.DeadLetter) {
    this.taken.delete(letter);
  }
}

let receipts = 0;
const { eventId, dueAt } = makeDelivery();
const letterOf = (partner: number, event = eventId, sentAt = NOW, attempt = 13): dead.DeadLetter => {
  const message = { eventId: event, partnerId: partner as PartnerId, attempt, dueAt };
  return { receipt: String(++receipts), message, sentAt };
};
const lettersOf = (count: number) => Array.from({ length: count }, () => letterOf(3));
const foreignLetter = (sentAt = NOW): dead.DeadLetter => ({ receipt: String(++receipts), message: undefined, sentAt });
const diedAt = fc.nat(3).map((after) => NOW + after);
const own = fc.tuple(fc.nat(2), fc.constantFrom(...EVENTS), diedAt).map((drawn) => letterOf(...drawn));
const letter = fc.oneof({ weight: 4, arbitrary: own }, { weight: 1, arbitrary: diedAt.map(foreignLetter) });
const letters = fc.array(letter, { maxLength: 35 });
const perhaps = <T>(drawn: fc.Arbitrary<T>) => fc.option(drawn, { nil: undefined });
const filter: fc.Arbitrary<dead.LetterFilter> = fc.record({
  eventId: perhaps(fc.constantFrom(...EVENTS)),
  partnerId: perhaps(fc.nat(2).map((id) => id as PartnerId)),
  foreign: fc.boolean(),
  diedBefore: perhaps(fc.nat(4).map((after) => NOW + after)),
});

/** Whether a letter matches a filter. This second version of the rule is compared with the service's. */
function isMeant(
  { message, sentAt }: dead.DeadLetter,
  { eventId, partnerId, foreign, diedBefore }: dead.LetterFilter,
): boolean {
  if (diedBefore !== undefined && sentAt >= diedBefore) return false;
  if (!message) return foreign === true;
  if (foreign) return false;
  return (!eventId || message.eventId === eventId) && (partnerId === undefined || message.partnerId === partnerId);
}

const noted: EventId[] = [];
const noting = { clock: () => NOW, archive: { discard: async (event: EventId) => noted.push(event) > 0 } };

it('discardLetters deletes up to `most` letters that the filter means, and puts all others back', async () => {
  await fc.assert(
    fc.asyncProperty(letters, filter, fc.integer({ min: 1, max: 40 }), async (all, asked, most) => {
      const memory = new MemoryLetters(all);
      const meant = all.filter((one) => isMeant(one, asked));
      const ended = meant.slice(0, most);
      noted.length = 0;
      const done = await dead.discardLetters(asked, most, { letters: memory, inTime: always, ...noting });
      expect(noted).toEqual(done.messages.map((message) => message.eventId));
      const messages = ended.flatMap(({ message }) => message ?? []);
      const [foreign, left] = [ended.length - messages.length, all.length - ended.length];
      expect(done).toEqual({ messages, foreign, left, seen: ended.length, cut: false });
      expect(new Set(memory.waiting)).toEqual(new Set(all.filter((one) => !ended.includes(one))));
      expect(memory.taken.size).toBe(0);
      expect(memory.waiting).toHaveLength(left);
    }),
  );
});

it('discardLetters puts back the letters that it skipped if its work fails', async () => {
  const [other, own] = [letterOf(4), letterOf(3)];
  const memory = new MemoryLetters([other, own]);
  memory.delete = () => Promise.reject(new Error('the queue is away'));
  const broken = dead.discardLetters({ partnerId: 3 as PartnerId }, 2, { letters: memory, inTime: always, ...noting });
  await expect(broken).rejects.toThrow('the queue is away');
  expect(memory.waiting).toEqual([other]);
  expect(Array.from(memory.taken)).toEqual([own]);
});

it('discardLetters takes no more letters than waited at the start, so none that arrives meanwhile', async () => {
  const memory = new MemoryLetters(lettersOf(12));
  memory.delete = async (one) => {
    memory.taken.delete(one);
    memory.waiting.push(letterOf(3));
  };
  const done = await dead.discardLetters({}, 100, { letters: memory, inTime: always, ...noting });
  expect(done.messages).toHaveLength(12);
  expect(done.left).toBe(0);
  expect(memory.waiting).toHaveLength(12);
  expect(memory.looks).toEqual([12, 2].map((most) => [most, 120]));
});

it('discardLetters finds up to ten letters that the approximate count of the queue does not know yet', async () => {
  const memory = new MemoryLetters(lettersOf(12));
  memory.count = async () => ({ waiting: 0, inHand: 0 });
  const done = await dead.discardLetters({}, 100, { letters: memory, inTime: always, ...noting });
  expect(done.messages).toHaveLength(10);
  expect(done.left).toBe(0);
  expect(memory.waiting).toHaveLength(2);
});

it('discardLetters stops between two calls of the queue if the time is out, and reports it', async () => {
  const memory = new MemoryLetters(Array.from({ length: 25 }, (_, index) => letterOf(index % 5 === 0 ? 4 : 3)));
  let rounds = 0;
  const deps = { letters: memory, ...noting, inTime: () => ++rounds <= 2 };
  const done = await dead.discardLetters({ partnerId: 4 as PartnerId }, 100, deps);
  expect(done.messages).toHaveLength(4);
  expect(done.left).toBe(21);
  expect(done.seen).toBe(20);
  expect(done.cut).toBe(true);
  // The skipped letters of the other partner come back by themselves, so that the next call sees new letters.
  expect(memory.waiting).toHaveLength(5);
  expect(memory.taken.size).toBe(16);
  expect(memory.looks).toEqual([25, 15].map((most) => [most, 120]));
});

describe('redriveLetters', () => {
  let queue: FakeDeliveryQueue;
  beforeEach(() => {
    queue = new FakeDeliveryQueue(() => NOW);
  });
  const redrive = (asked: dead.LetterFilter, letters: dead.DeadLetters) =>
    dead.redriveLetters(asked, 100, { letters, inTime: always, queue, clock: () => NOW });

  it('redriveLetters sends letters to the queue for the attempt that they name, and never foreign letters', async () => {
    const own = letterOf(3);
    const memory = new MemoryLetters([foreignLetter(), own, letterOf(4)]);
    const done = await redrive({ partnerId: 3 as PartnerId, foreign: true }, memory);
    expect(done).toEqual({ messages: [own.message], foreign: 0, left: 2, seen: 1, cut: false });
    expect(queue.receive(10).map(({ message }) => message)).toEqual([{ ...own.message, dueAt: NOW }]);
  });

  it('redriveLetters sends a letter before it deletes it, so that a crash in between loses nothing', async () => {
    const memory = new MemoryLetters([letterOf(3)]);
    memory.delete = () => Promise.reject(new Error('the queue is away'));
    await expect(redrive({}, memory)).rejects.toThrow('the queue is away');
    expect(queue.receive(10)).toHaveLength(1);
    expect(memory.taken.size).toBe(1);
  });
});

it('lookAtLetters returns up to `most` different letters, and puts all of them back', async () => {
  await fc.assert(
    fc.asyncProperty(letters, fc.nat(40), async (all, most) => {
      const memory = new MemoryLetters(all);
      expect(await dead.lookAtLetters(most, memory)).toEqual(all.slice(0, most));
      expect(new Set(memory.waiting)).toEqual(new Set(all));
      expect(memory.looks.every(([asked, seconds]) => asked >= 1 && asked <= most && seconds === 30)).toBe(true);
    }),
  );
});

it('lookAtLetters puts the letters back if the queue fails meanwhile', async () => {
  const memory = new MemoryLetters(lettersOf(12));
  const { take } = memory;
  memory.take = (most, seconds) =>
    memory.looks.length > 0 ? Promise.reject(new Error('the queue is away')) : take.call(memory, most, seconds);
  await expect(dead.lookAtLetters(12, memory)).rejects.toThrow('the queue is away');
  expect(memory.waiting).toHaveLength(12);
  expect(memory.taken.size).toBe(0);
});

describe('letterPage', () => {
  /** Returns how many letters each page deletes. `room` returns for how many calls of the queue a page has time. */
  async function pagesOf(
    memory: MemoryLetters,
    room = (_page: number) => Number.POSITIVE_INFINITY,
    max?: number,
    asked: dead.LetterFilter = {},
  ) {
    const pages: number[] = [];
    let run: dead.LetterRun | undefined = { began: NOW + 1, done: 0, seen: 0, total: memory.waiting.length };
    while (run) {
      let takings = room(pages.length);
      const inTime = () => takings-- > 0;
      const page: Awaited<ReturnType<typeof dead.letterPage>> = await dead.letterPage(run, max, (most, diedBefore) =>
        dead.discardLetters({ ...asked, diedBefore }, most, { letters: memory, inTime, ...noting }),
      );
      pages.push(page.count);
      run = page.next;
    }
    return pages;
  }

  it.each<[number, number | undefined, number[]]>([
    [1_234, undefined, [500, 500, 234]],
    [1_000, undefined, [500, 500]],
    [1_234, 600, [500, 100]],
    [0, undefined, [0]],
  ])(
    'work on %i letters with the limit %s takes pages of 500 letters, and no page follows the last one',
    async (all, max, pages) => {
      expect(await pagesOf(new MemoryLetters(lettersOf(all)), undefined, max)).toEqual(pages);
    },
  );

  it('letterPage counts letters that are not the message of a delivery', async () => {
    const foreign = Array.from({ length: 502 }, () => foreignLetter());
    expect(await pagesOf(new MemoryLetters(foreign), undefined, undefined, { foreign: true })).toEqual([500, 2]);
  });

  it('work on the letters of one partner goes through the whole queue, over pages with little time each', async () => {
    const memory = new MemoryLetters(Array.from({ length: 40 }, (_, index) => letterOf(index % 13 === 0 ? 4 : 3)));
    expect(await pagesOf(memory, () => 1, undefined, { partnerId: 4 as PartnerId })).toEqual([1, 1, 1, 1]);
    expect(memory.waiting).toHaveLength(9);
    expect(memory.taken.size).toBe(27);
  });

  it('work on an event without a letter ends after as many looks as there were letters', async () => {
    const memory = new MemoryLetters(lettersOf(40));
    // Every letter is visible again at once, as if much time had passed.
    memory.take = async (most, seconds) => {
      const taken = await MemoryLetters.prototype.take.call(memory, most, seconds);
      for (const one of taken) await memory.putBack(one);
      return taken;
    };
    expect(await pagesOf(memory, () => 1, undefined, { eventId: EVENTS[0]! })).toEqual([0, 0, 0, 0]);
  });
});
