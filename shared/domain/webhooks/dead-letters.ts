import type { Clock } from '../values/clock.ts';
import type { EventId, PartnerId } from '../values/ids.ts';
import type { Instant, Seconds } from '../values/time.ts';
import type { DueDelivery } from './delivery.ts';
import type { DeliveryArchive, DeliveryQueue } from './ports.ts';

export interface DeadLetter {
  readonly receipt: string;
  readonly message: DueDelivery | undefined;
  readonly sentAt: Instant;
}

export interface DeadLetters {
  /** `inHand`: messages that somebody has received. Messages of the last minute may be missing. */
  count(): Promise<{ waiting: number; inHand: number }>;
  take(most: number, time: Seconds): Promise<DeadLetter[]>;
  putBack(letter: DeadLetter): Promise<void>;
  delete(letter: DeadLetter): Promise<void>;
}

/** Selects messages of the dead-letter queue. An absent id or moment does not filter. */
export interface LetterFilter {
  readonly eventId?: EventId | undefined;
  readonly partnerId?: PartnerId | undefined;
  /** True: only letters that are no message of a delivery. Otherwise only messages of deliveries. @default false */
  readonly foreign?: boolean;
  readonly diedBefore?: Instant | undefined;
}

export interface LettersDone {
  readonly messages: readonly DueDelivery[];
  readonly foreign: number;
  readonly left: number;
  readonly seen: number;
  readonly cut: boolean;
}

const HIDDEN_FOR_WORK: Seconds = 120;
/** The queue's count is approximate: it may be 0 although letters wait. */
const LEAST_LOOKED_FOR = 10;

interface LetterDeps {
  readonly letters: DeadLetters;
  readonly inTime: () => boolean;
}

function isMeant({ message, sentAt }: DeadLetter, filter: LetterFilter): boolean {
  const { eventId, partnerId, foreign = false, diedBefore = Number.POSITIVE_INFINITY } = filter;
  if (sentAt >= diedBefore) return false;
  if (!message || foreign) return !message && foreign;
  return (eventId ?? message.eventId) === message.eventId && (partnerId ?? message.partnerId) === message.partnerId;
}

/**
 * Calls `work` for up to `most` letters that match the filter, and makes the other letters visible again.
 *
 * - Looks at no more letters than were waiting at the start, or at LEAST_LOOKED_FOR if fewer were. If the attempt of a
 *   redriven letter fails again at once, a new letter comes into the queue. Without this limit it would be redriven
 *   again and again.
 * - Calls `work` for every letter of an event: only the one that names the event's next attempt makes this attempt due.
 * - If the time is out, the letters that were skipped stay hidden for HIDDEN_FOR_WORK.
 */
async function eachLetter(
  filter: LetterFilter,
  most: number,
  work: (letter: DeadLetter) => Promise<void>,
  { letters, inTime }: LetterDeps,
): Promise<LettersDone> {
  const { waiting, inHand } = await letters.count();
  const lookedFor = Math.max(waiting, LEAST_LOOKED_FOR);
  let skipped: DeadLetter[] = [];
  const messages: DueDelivery[] = [];
  let foreign = 0;
  const workedOn = () => messages.length + foreign;
  const report = (cut: boolean): LettersDone => {
    const seen = workedOn() + (cut ? skipped.length : 0);
    return { messages, foreign, left: Math.max(0, waiting + inHand - workedOn()), seen, cut };
  };
  try {
    while (workedOn() < most && workedOn() + skipped.length < lookedFor) {
      if (!inTime()) {
        const cutReport = report(true);
        skipped = [];
        return cutReport;
      }
      const taken = await letters.take(lookedFor - workedOn() - skipped.length, HIDDEN_FOR_WORK);
      if (taken.length === 0) break;
      for (const letter of taken) {
        if (workedOn() === most || !isMeant(letter, filter)) {
          skipped.push(letter);
          continue;
        }
        await work(letter);
        if (letter.message) messages.push(letter.message);
        else foreign += 1;
      }
    }
  } finally {
    // Letters are put back also if `work` throws: nobody else sees them until their time is over.
    await Promise.all(skipped.map((letter) => letters.putBack(letter)));
  }
  return report(false);
}

/** If the run is cut off, the message may be sent twice, but its attempt is made once. */
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

/** A delivery that is still given up is first marked as discarded. It can still be replayed. */
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

const HIDDEN_FOR_LOOK: Seconds = 30;

/** No letter comes twice, since all stay hidden until the end. */
export async function lookAtLetters(most: number, letters: DeadLetters): Promise<readonly DeadLetter[]> {
  const taken: DeadLetter[] = [];
  try {
    while (taken.length < most) {
      const more = await letters.take(most - taken.length, HIDDEN_FOR_LOOK);
      if (more.length === 0) break;
      taken.push(...more);
    }
  } finally {
    await Promise.all(taken.map((letter) => letters.putBack(letter)));
  }
  return taken;
}

export interface LetterRun {
  /** Letters that were sent later are not part of the work. */
  readonly began: Instant;
  readonly done: number;
  readonly seen: number;
  readonly total: number;
}

const LETTERS_OF_A_PAGE = 500;

/**
 * `next` is the run with which the next page continues. Undefined if no letter is left, if `max` is reached, or if the
 * page was cut and as many letters were seen as waited at the start.
 */
export async function letterPage(
  run: LetterRun,
  max: number | undefined,
  work: (most: number, diedBefore: Instant) => Promise<LettersDone>,
): Promise<{ readonly done: LettersDone; readonly count: number; readonly next: LetterRun | undefined }> {
  const wanted = max ?? Math.max(run.total, LEAST_LOOKED_FOR);
  const most = Math.min(LETTERS_OF_A_PAGE, wanted - run.done);
  const done = await work(most, run.began);
  const count = done.messages.length + done.foreign;
  const next = { ...run, done: run.done + count, seen: run.seen + done.seen };
  const full = count === most && next.done < wanted;
  return { done, count, next: full || (done.cut && next.seen < run.total) ? next : undefined };
}
