import type { Clock } from '../values/clock.ts';
import type { EventId, PartnerId } from '../values/ids.ts';
import type { DueDelivery } from './delivery.ts';
import type { DeliveryQueue } from './ports.ts';

/** A message of the dead-letter queue while it is out of sight of everyone else. */
export interface DeadLetter {
  readonly receipt: string;
  /** Undefined where the text is no delivery's message. */
  readonly message: DueDelivery | undefined;
  /** When the message was sent, in milliseconds since 1970. */
  readonly sentAt: number;
}

export interface DeadLetters {
  /** How many messages are dead, and how many of them someone is looking at: both about right. */
  count(): Promise<{ waiting: number; inHand: number }>;
  /** Takes up to `most` messages out of sight for so many seconds; none where the queue has none. */
  take(most: number, seconds: number): Promise<DeadLetter[]>;
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
}

/** What was done with the letters of a filter. */
export interface LettersDone {
  /** The deliveries' messages among them. */
  readonly messages: readonly DueDelivery[];
  /** Others: no delivery's. */
  readonly foreign: number;
  /** How many are left in the dead-letter queue. */
  readonly left: number;
}

/** Seconds for which a letter is out of sight of others while it is worked on. */
const IN_HAND = 120;

interface LetterDeps {
  readonly letters: DeadLetters;
  readonly done?: (count: number) => void;
}

function isMeant({ message }: DeadLetter, { eventId, partnerId, foreign = false }: LetterFilter): boolean {
  if (!message || foreign) return !message && foreign;
  return (eventId ?? message.eventId) === message.eventId && (partnerId ?? message.partnerId) === message.partnerId;
}

/**
 * Does something with up to `most` letters of a filter and puts all others back. Looks at no more than were waiting at
 * first, so that what fails again at once is not sent round and round.
 */
async function eachLetter(
  filter: LetterFilter,
  most: number,
  work: (letter: DeadLetter) => Promise<void>,
  { letters, done }: LetterDeps,
): Promise<LettersDone> {
  const { waiting } = await letters.count();
  const passed: DeadLetter[] = [];
  const messages: DueDelivery[] = [];
  let foreign = 0;
  const made = () => messages.length + foreign;
  const enough = filter.eventId === undefined ? most : 1;
  try {
    while (made() < enough && made() + passed.length < waiting) {
      const taken = await letters.take(waiting - made() - passed.length, IN_HAND);
      if (taken.length === 0) break;
      for (const letter of taken) {
        if (made() === enough || !isMeant(letter, filter)) {
          passed.push(letter);
          continue;
        }
        await work(letter);
        if (letter.message) messages.push(letter.message);
        else foreign += 1;
        done?.(1);
      }
    }
  } finally {
    // Where the work breaks off too: nobody else would see them until they come back by themselves.
    await Promise.all(passed.map((letter) => letters.putBack(letter)));
  }
  return { messages, foreign, left: Math.max(0, waiting - made()) };
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
    const now = deps.clock();
    await deps.queue.send([{ ...letter.message!, dueAt: now }], now);
    await deps.letters.delete(letter);
  };
  return eachLetter({ ...filter, foreign: false }, most, redrive, deps);
}

/** Ends letters for good; the deliveries of those that are deliveries' stay as they are, and can be replayed. */
export function discardLetters(filter: LetterFilter, most: number, deps: LetterDeps): Promise<LettersDone> {
  return eachLetter(filter, most, (letter) => deps.letters.delete(letter), deps);
}
