import type { Command } from 'commander';
import {
  countDeadLetters,
  type DeadLetter,
  deleteDeadLetter,
  putBackDeadLetter,
  takeDeadLetters,
} from '../../shared/queue/dead-letters.ts';
import { SafeError } from '../../shared/runtime/log.ts';
import * as wiring from '../../shared/wiring.ts';
import { example, whole } from './arguments.ts';
import type { Session } from './session.ts';
import { moment } from './table.ts';

/** Seconds for which a message that is looked at is hidden from others, and one that is being redriven. */
const LOOK = 30;
const REDRIVE = 120;

export function dlq(root: Command, session: Session): void {
  const noun = root
    .command('dlq')
    .description('deliveries whose last attempt has failed')
    .addHelpText('after', example('dlq count --local'));

  noun
    .command('count')
    .description('how many there are')
    .addHelpText('after', example('dlq count --local'))
    .action(async () => {
      await session.queues();
      const counts = await countDeadLetters();
      session.printRecord(counts, [
        ['waiting', counts.waiting],
        ['in hand', counts.inHand],
      ]);
    });

  noun
    .command('inspect')
    .description('look at some; they stay where they are')
    .option('--max <number>', 'how many', whole(1, 1000), 10)
    .addHelpText('after', example('dlq inspect --max 20 --local'))
    .action(async ({ max }: { max: number }) => {
      await session.queues();
      const taken = await takeUpTo(max, LOOK);
      const rows = await Promise.all(
        taken.map(async ({ message, sentAt }) => {
          const delivery = message && (await wiring.deliveries().get(message.eventId));
          return { ...message, sentAt, state: delivery?.state };
        }),
      );
      await Promise.all(taken.map(putBackDeadLetter));
      session.printTable(rows, [
        { title: 'event', value: (row) => row.eventId ?? '(not a delivery)' },
        { title: 'partner', value: (row) => row.partnerId },
        { title: 'state', value: (row) => row.state ?? 'gone' },
        { title: 'dead since', value: (row) => moment(row.sentAt), shrinks: true },
      ]);
    });

  noun
    .command('redrive')
    .description('one more attempt for each; what fails again comes back here')
    .option('--event <id>', 'only this one')
    .option('--max <number>', 'at most so many', whole(1, 100_000))
    .addHelpText('after', example('dlq redrive --reason "INC-42, receiver is back" --local'))
    .action(async ({ event, max }: { event?: string; max?: number }) => {
      session.needsReason();
      await session.queues();
      const { waiting } = await countDeadLetters();
      if (waiting === 0) throw new SafeError('the dead-letter queue is empty: nothing to redrive');
      const most = Math.min(max ?? waiting, waiting);
      await session.confirm(event ? `One more attempt for ${event}?` : `One more attempt for ${most} deliveries?`);
      const counts = await session.change(
        'service',
        event ? { event } : { most },
        () => redrive(session, { event, most, waiting }),
        (made) => made,
      );
      if (event && counts.redriven === 0)
        throw new SafeError(`${event} is not in the dead-letter queue: see dlq inspect`);
      session.print(counts, () => `${counts.redriven} on their way, ${counts.left} left in the dead-letter queue\n`);
    });
}

/** Takes messages until there are enough or no more; none comes twice, since all stay hidden meanwhile. */
async function takeUpTo(most: number, seconds: number): Promise<DeadLetter[]> {
  const taken: DeadLetter[] = [];
  while (taken.length < most) {
    const more = await takeDeadLetters(most - taken.length, seconds);
    if (more.length === 0) break;
    taken.push(...more);
  }
  return taken;
}

/**
 * Sends messages back to the worker's queue, then ends them here: cut off between the two, a message is sent twice and
 * its attempt made once, since it names the attempt. Looks at no more messages than were waiting at first, so that what
 * fails again at once is not sent round and round.
 */
async function redrive(
  session: Session,
  { event, most, waiting }: { event: string | undefined; most: number; waiting: number },
): Promise<{ redriven: number; left: number }> {
  const queue = wiring.deliveryQueue();
  const progress = session.progress('redriving', most);
  const passed: DeadLetter[] = [];
  let redriven = 0;
  while (redriven < most && redriven + passed.length < waiting) {
    const taken = await takeDeadLetters(event ? waiting : most - redriven, REDRIVE);
    if (taken.length === 0) break;
    for (const letter of taken) {
      const { message } = letter;
      if (!message || (event !== undefined && message.eventId !== event)) {
        passed.push(letter);
        continue;
      }
      const now = session.clock();
      await queue.send([{ ...message, dueAt: now }], now);
      await deleteDeadLetter(letter);
      redriven += 1;
      progress.step();
    }
    if (event && redriven > 0) break;
  }
  await Promise.all(passed.map(putBackDeadLetter));
  progress.end();
  return { redriven, left: Math.max(0, waiting - redriven) };
}
