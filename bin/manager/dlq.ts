import type { Command } from 'commander';
import type { PreviewOf, SentBody } from '#shared/administration/operations.ts';
import type { Shown } from '#shared/administration/wire.ts';
import { wholeNumber } from './arguments.ts';
import { CommandError, UsageError } from './errors.ts';
import type { Session } from './session.ts';
import { moment } from './table.ts';
import { command, verb } from './verb.ts';

/** Largest number of letters that the API shows. There is no second page, because the letters stay in the queue. */
const MOST_SHOWN = 100;

export function dlq(root: Command, session: Session): void {
  const noun = command(root, 'dlq', 'deliveries whose last attempt has failed', 'dlq count --local');

  verb(noun, 'count', 'list-dead-letters', 'dlq count --local')
    .about('how many dead letters there are')
    .run(async () => {
      const { waiting, inHand } = await session.ask('list-dead-letters', { limit: 0 });
      session.printRecord({ waiting, inHand }, [
        ['waiting', waiting],
        ['in hand', inHand],
      ]);
    });

  verb(noun, 'inspect', 'list-dead-letters', 'dlq inspect --max 20 --local')
    .takes({
      most: {
        flags: '--max <number>',
        about: 'largest number of dead letters',
        parse: wholeNumber(1, 1000),
        fallback: 10,
      },
    })
    .run(async ({ most }) => {
      const limit = Math.min(most, MOST_SHOWN);
      const { letters, waiting } = await session.ask('list-dead-letters', { limit });
      const rows = letters.map(({ deadSince: sentAt, ...letter }) => ({ ...letter, sentAt }));
      session.printTable(rows, [
        { title: 'event', value: (row) => row.eventId ?? '(not a delivery)' },
        { title: 'partner', value: (row) => row.partnerId },
        { title: 'state', value: (row) => row.state ?? 'gone' },
        { title: 'dead since', value: (row) => moment(row.sentAt), shrinks: true },
      ]);
      if (rows.length === limit && (waiting > limit || most > limit))
        session.note(
          `Only ${limit} dead letters are shown, of about ${waiting} that wait. --max shows at most ${MOST_SHOWN}.`,
        );
    });

  verb(noun, 'redrive', 'redrive-dead-letters', 'dlq redrive --partner 123 --reason "INC-42, receiver is back" --local')
    .takes({
      event_id: 'only the letter of this event',
      partner_id: 'only letters of this partner',
      max: 'largest number of letters',
    })
    .run((given) => redrive(given, session));

  verb(noun, 'discard', 'discard-dead-letters', 'dlq discard --foreign --reason "INC-43, sent by hand" --local')
    .takes({
      event_id: 'only the letter of this event',
      partner_id: 'only letters of this partner',
      foreign: 'only messages that belong to no delivery',
      max: 'largest number of letters',
    })
    .run(({ foreign, ...given }) => discard({ ...given, foreign }, session));
}

async function redrive(selection: SentBody<'redrive-dead-letters'>, session: Session): Promise<void> {
  session.needsReason();
  const { event_id: event, partner_id: partner, max } = selection;
  const { waiting, inHand, suspended: disabled } = await session.preview('redrive-dead-letters', selection);
  const most = mostOf({ waiting, inHand }, max);
  const fate = disabled ? ` Its webhook is disabled: ${event ? 'it is' : 'they are'} kept until webhook enable.` : '';
  await session.confirm(
    event
      ? `One more attempt for ${event}?${fate}`
      : partner === undefined
        ? `One more attempt for ${most} deliveries of all partners?`
        : `One more attempt for the dead deliveries of partner ${partner}, at most ${most}?${fate}`,
  );
  const progress = session.progress('redriving', most);
  const done = { redriven: 0, left: waiting, suspended: 0 };
  for await (const page of session.pages('redrive-dead-letters', selection)) {
    done.redriven += page.redriven;
    done.suspended += page.suspended;
    done.left = page.left;
    progress.step(page.redriven);
  }
  progress.end();
  if (done.redriven === 0) throw new CommandError(notThere(event, inHand));
  const { redriven, left, suspended } = done;
  const text = `${redriven - suspended} back with the worker, ${left} left in the dead-letter queue\n`;
  if (suspended === 0) return session.print({ redriven, left }, () => text);
  const later = `${suspended} are kept until webhook enable, since the webhook is disabled\n`;
  session.print({ redriven, left, suspended }, () => text + later);
}

async function discard(selection: SentBody<'discard-dead-letters'>, session: Session): Promise<void> {
  session.needsReason();
  const { event_id: event, partner_id: partner, foreign, max } = selection;
  if ([event, partner, foreign].filter((one) => one !== undefined).length !== 1)
    throw new UsageError('say which: --event, --partner or --foreign');
  const { waiting, inHand } = await session.preview('discard-dead-letters', selection);
  const what = foreign ? 'messages that belong to no delivery' : (event ?? `dead deliveries of partner ${partner}`);
  await session.confirm(`${what}: at most ${mostOf({ waiting, inHand }, max)} end for good, without another attempt.`);
  const done = { discarded: 0, left: waiting };
  for await (const page of session.pages('discard-dead-letters', selection)) {
    done.discarded += page.discarded;
    done.left = page.left;
  }
  if (done.discarded === 0) throw new CommandError(notThere(event, inHand));
  session.print(done, () => `${done.discarded} ended, ${done.left} left in the dead-letter queue\n`);
}

type Counted = Pick<Shown<PreviewOf<'discard-dead-letters'>>, 'waiting' | 'inHand'>;

/**
 * Returns the largest number of letters that a command will handle. Throws a CommandError if no letter can be seen now.
 */
function mostOf({ waiting, inHand }: Counted, max: number | undefined): number {
  if (waiting > 0) return Math.min(max ?? waiting, waiting);
  if (inHand === 0)
    throw new CommandError(
      'the dead-letter queue counts no letter: nothing to redrive or to discard. A letter of the last minute may not be counted yet: try again in a minute',
    );
  throw new CommandError(`no dead letter is visible now, ${backSoon(inHand)}`);
}

const backSoon = (inHand: number) =>
  `and ${inHand} are in another reader's hands: they come back within two minutes, try again then`;

/**
 * Returns why nothing was done. Letters that are in another reader's hands are still in the queue, but
 * cannot be seen for a while.
 */
function notThere(event: string | undefined, inHand: number): string {
  const what = event === undefined ? 'none of these is' : `${event} is not`;
  return inHand === 0
    ? `${what} in the dead-letter queue: see dlq inspect`
    : `${what} visible now, ${backSoon(inHand)}`;
}
