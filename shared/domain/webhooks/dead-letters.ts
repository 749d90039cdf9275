import type { Clock } from '../values/clock.ts';
import type { EventId, PartnerId } from '../values/ids.ts';
import type { Instant, Seconds } from '../values/time.ts';
import type { DueDelivery } from './delivery.ts';
import type { DeliveryArchive, DeliveryQueue } from './ports.ts';

/** A message of the dead-letter queue while it is out of sight of everyone else. */
export interface DeadLetter {
  readonly receipt: string;
  /** Undefined where the text is no delivery's message. */
  readonly message: DueDelivery | undefined;
  /** When the message was sent. */
  readonly sentAt: Instant;
}

export interface DeadLetters {
  /** How many messages are dead, and how many of them someone is looking at: both about right. */
  count(): Promise<{ waiting: number; inHand: number }>;
  /** Takes up to `most` messages out of sight for a time; none where the queue has none. */
  take(most: number, time: Seconds): Promise<DeadLetter[]>;
  /** Lets others see a taken message again at once. */
  putBack(letter: DeadLetter): Promise<void>;
  /** Ends a taken message. */
  delete(letter: DeadLetter): Promise<void>;
}

/** Which messages are meant; what is left out excludes none. */
export interface LetterFilter {
  readonly eventId?: EventId | undefined;
  readonly partnerId?: PartnerId | undefined;
  /** Those alone that are no delivery's message. */
  readonly foreign?: boolean;
  /** Those alone that were sent before a moment. */
  readonly diedBefore?: Instant | undefined;
}

/** What was done with the letters of a filter. */
export interface LettersDone {
  /** The deliveries' messages among them. */
  readonly messages: readonly DueDelivery[];
  /** Others: no delivery's. */
  readonly foreign: number;
  /** How many are left in the dead-letter queue. */
  readonly left: number;
  /** Those that are dealt with: ended, or looked at and still out of sight. */
  readonly seen: number;
  /** Whether it ended for want of time: some may not have been looked at. */
  readonly cut: boolean;
}

/** For how long a letter is out of sight of others while it is worked on. */
const IN_HAND: Seconds = 120;

interface LetterDeps {
  readonly letters: DeadLetters;
  /** Whether there is time for more. @default always */
  readonly inTime?: () => boolean;
}

function isMeant({ message, sentAt }: DeadLetter, filter: LetterFilter): boolean {
  const { eventId, partnerId, foreign = false, diedBefore = Number.POSITIVE_INFINITY } = filter;
  if (sentAt >= diedBefore) return false;
  if (!message || foreign) return !message && foreign;
  return (eventId ?? message.eventId) === message.eventId && (partnerId ?? message.partnerId) === message.partnerId;
}

/**
 * Does something with up to `most` letters of a filter and puts all others back. Looks at no more than were waiting at
 * first, so that what fails again at once is not sent round and round. An event may have several letters, of which the one
 * that names its next attempt makes it: none of them is enough. Where the time is out the others stay out of sight, and come
 * back by themselves after IN_HAND: who goes on by then gets letters that were not looked at, not the same again.
 */
async function eachLetter(
  filter: LetterFilter,
  most: number,
  work: (letter: DeadLetter) => Promise<void>,
  { letters, inTime = () => true }: LetterDeps,
): Promise<LettersDone> {
  const { waiting, inHand } = await letters.count();
  let passed: DeadLetter[] = [];
  const messages: DueDelivery[] = [];
  let foreign = 0;
  const made = () => messages.length + foreign;
  const report = (cut: boolean): LettersDone => {
    const seen = made() + (cut ? passed.length : 0);
    return { messages, foreign, left: Math.max(0, waiting + inHand - made()), seen, cut };
  };
  try {
    while (made() < most && made() + passed.length < waiting) {
      if (!inTime()) {
        const told = report(true);
        passed = [];
        return told;
      }
      const taken = await letters.take(waiting - made() - passed.length, IN_HAND);
      if (taken.length === 0) break;
      for (const letter of taken) {
        if (made() === most || !isMeant(letter, filter)) {
          passed.push(letter);
          continue;
        }
        await work(letter);
        if (letter.message) messages.push(letter.message);
        else foreign += 1;
      }
    }
  } finally {
    // Where the work breaks off too: nobody else would see them until they come back by themselves.
    await Promise.all(passed.map((letter) => letters.putBack(letter)));
  }
  return report(false);
}

/**
 * Gives deliveries that were given up one more attempt each: sends their messages back to the worker's queue, then ends
 * them here. Cut off between the two, a message is sent twice and its attempt made once, since it names the attempt.
 */
export function redriveLetters(
  filter: LetterFilter,
  most: number,
  deps: LetterDeps & { readonly queue: Pick<DeliveryQueue, 'send'>; readonly clock: Clock },
): Promise<LettersDone> {
  const redrive = async (letter: DeadLetter) => {
    const { message } = letter;
    if (!message) throw new Error('a letter that is no delivery’s message cannot be redriven');
    const now = deps.clock();
    await deps.queue.send([{ ...message, dueAt: now }], now);
    await deps.letters.delete(letter);
  };
  return eachLetter({ ...filter, foreign: false }, most, redrive, deps);
}

/** Ends letters for good. The deliveries of those that are deliveries' say so from then on, first, and can be replayed. */
export function discardLetters(
  filter: LetterFilter,
  most: number,
  deps: LetterDeps & { readonly archive: Pick<DeliveryArchive, 'discard'>; readonly clock: Clock },
): Promise<LettersDone> {
  const discard = async (letter: DeadLetter) => {
    if (letter.message) await deps.archive.discard(letter.message.eventId, deps.clock());
    await deps.letters.delete(letter);
  };
  return eachLetter(filter, most, discard, deps);
}

/** For how long a letter that is looked at is out of sight of others. */
const LOOK: Seconds = 30;

/** Looks at up to `most` letters and puts them back; none comes twice, since all stay out of sight meanwhile. */
export async function lookAtLetters(most: number, letters: DeadLetters): Promise<readonly DeadLetter[]> {
  const taken: DeadLetter[] = [];
  try {
    while (taken.length < most) {
      const more = await letters.take(most - taken.length, LOOK);
      if (more.length === 0) break;
      taken.push(...more);
    }
  } finally {
    await Promise.all(taken.map((letter) => letters.putBack(letter)));
  }
  return taken;
}

/** How far long work on letters is, over its pages. */
export interface LetterRun {
  /** When the first page began: what dies later is no part of the work. */
  readonly began: Instant;
  /** Letters that were done something with so far. */
  readonly done: number;
  /** Letters that were dealt with so far, those of others included. */
  readonly seen: number;
  /** Letters that waited at first. */
  readonly total: number;
}

/** Letters of one page. */
const LETTERS_OF_A_PAGE = 500;

/**
 * One page of long work: `work` does something with up to so many letters that died before the run began. Gives the run
 * as the next page goes on with it; undefined where nothing is left, or as many were dealt with as waited at first.
 */
export async function letterPage(
  run: LetterRun,
  max: number | undefined,
  work: (most: number, diedBefore: Instant) => Promise<LettersDone>,
): Promise<{ readonly done: LettersDone; readonly count: number; readonly next: LetterRun | undefined }> {
  const most = Math.min(LETTERS_OF_A_PAGE, (max ?? run.total) - run.done);
  const done = await work(most, run.began);
  const count = done.messages.length + done.foreign;
  const next = { ...run, done: run.done + count, seen: run.seen + done.seen };
  const full = count === most && next.done < (max ?? run.total);
  return { done, count, next: full || (done.cut && next.seen < run.total) ? next : undefined };
}
