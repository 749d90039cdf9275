import type { Command } from 'commander';
import type { EventId, PartnerId } from '../../shared/domain/values/ids.ts';
import {
  type DeadLetter,
  discardLetters,
  type LettersDone,
  redriveLetters,
} from '../../shared/domain/webhooks/dead-letters.ts';
import {
  countDeadLetters,
  putBackDeadLetter,
  sqsDeadLetters,
  takeDeadLetters,
} from '../../shared/queue/dead-letters.ts';
import { SafeError } from '../../shared/runtime/log.ts';
import * as wiring from '../../shared/wiring.ts';
import { example, id, whole } from './arguments.ts';
import { UsageError } from './errors.ts';
import type { Session } from './session.ts';
import { moment } from './table.ts';

/** Seconds for which a message that is looked at is hidden from others. */
const LOOK = 30;
/** Events that an audit row names; the rest are counted. */
const NAMED = 20;

interface Which {
  readonly event?: string;
  readonly partnerId?: PartnerId;
  readonly foreign?: boolean;
  readonly max?: number;
}

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
    .option('--partner <id>', "only a partner's", id<PartnerId>)
    .option('--max <number>', 'at most so many', whole(1, 100_000))
    .addHelpText('after', example('dlq redrive --partner 123 --reason "INC-42, receiver is back" --local'))
    .action(async ({ event, partnerId, max }: Which) => {
      session.needsReason();
      const waiting = await waitingLetters(session);
      const most = Math.min(max ?? waiting, waiting);
      const off = partnerId !== undefined && (await isDisabled(partnerId));
      const fate = off ? ' Its webhook is disabled: they are kept until webhook enable.' : '';
      await session.confirm(
        event
          ? `One more attempt for ${event}?`
          : partnerId === undefined
            ? `One more attempt for ${most} deliveries of all partners?`
            : `One more attempt for what is dead of partner ${partnerId}, ${most} deliveries at most?${fate}`,
      );
      const progress = session.progress('redriving', most);
      const { clock } = session;
      const done = await session.change(
        partnerId ?? 'service',
        event ? { event } : { most },
        () =>
          redriveLetters({ eventId: event as EventId | undefined, partnerId }, most, {
            letters: sqsDeadLetters(),
            queue: wiring.deliveryQueue(),
            clock,
            done: progress.step,
          }),
        (made) => ({ redriven: made.messages.length, left: made.left, ...namesOf(made) }),
      );
      progress.end();
      if (done.messages.length === 0)
        throw new SafeError(`${event ?? 'nothing of that'} is not in the dead-letter queue: see dlq inspect`);
      const kept = await keptAmong(done);
      session.print({ redriven: done.messages.length, left: done.left, ...(kept > 0 && { kept }) }, () =>
        [
          `${done.messages.length - kept} on their way, ${done.left} left in the dead-letter queue\n`,
          ...(kept > 0 ? [`${kept} are kept until webhook enable, since the webhook is disabled\n`] : []),
        ].join(''),
      );
    });

  noun
    .command('discard')
    .description('end messages for good; a delivery stays as it is, and can be replayed')
    .option('--event <id>', 'only this one')
    .option('--partner <id>', "only a partner's", id<PartnerId>)
    .option('--foreign', "those that are no delivery's message")
    .option('--max <number>', 'at most so many', whole(1, 100_000))
    .addHelpText('after', example('dlq discard --foreign --reason "INC-43, sent by hand" --local'))
    .action(async ({ event, partnerId, foreign = false, max }: Which) => {
      session.needsReason();
      if ([event, partnerId, foreign || undefined].filter((one) => one !== undefined).length !== 1)
        throw new UsageError('say which: --event, --partner or --foreign');
      const waiting = await waitingLetters(session);
      const most = Math.min(max ?? waiting, waiting);
      const what = foreign ? "messages that are no delivery's" : (event ?? `dead deliveries of partner ${partnerId}`);
      await session.confirm(`${what}: ${most} at most end for good; no attempt is made.`);
      const done = await session.change(
        partnerId ?? 'service',
        event ? { event } : { most, foreign },
        () =>
          discardLetters({ eventId: event as EventId | undefined, partnerId, foreign }, most, {
            letters: sqsDeadLetters(),
          }),
        (made) => ({ discarded: made.messages.length + made.foreign, left: made.left, ...namesOf(made) }),
      );
      const discarded = done.messages.length + done.foreign;
      if (discarded === 0) throw new SafeError('nothing of that is in the dead-letter queue: see dlq inspect');
      session.print(
        { discarded, left: done.left },
        () => `${discarded} ended, ${done.left} left in the dead-letter queue\n`,
      );
    });
}

/** How many letters wait. Throws a SafeError where none does. */
async function waitingLetters(session: Session): Promise<number> {
  await session.queues();
  const { waiting } = await countDeadLetters();
  if (waiting === 0) throw new SafeError('the dead-letter queue is empty: nothing to redrive or to discard');
  return waiting;
}

/** Partners and events as the audit names them. */
function namesOf({ messages }: LettersDone): Readonly<Record<string, string>> {
  const partners = [...new Set(messages.map(({ partnerId }) => partnerId))];
  const events = messages.map(({ eventId }) => eventId);
  const more = events.length > NAMED ? ` and ${events.length - NAMED} more` : '';
  return { partners: partners.join(','), events: `${events.slice(0, NAMED).join(',')}${more}` };
}

const isDisabled = async (partnerId: PartnerId) => (await wiring.webhookEndpoints().view(partnerId))?.enabled === false;

/** How many of the redriven go to a webhook that is disabled. */
async function keptAmong({ messages }: LettersDone): Promise<number> {
  const partners = [...new Set(messages.map(({ partnerId }) => partnerId))];
  const off = new Set((await Promise.all(partners.map(async (one) => ((await isDisabled(one)) ? [one] : [])))).flat());
  return messages.filter(({ partnerId }) => off.has(partnerId)).length;
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
