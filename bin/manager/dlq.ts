import type { Command } from 'commander';
import type { PreviewOf } from '#shared/administration/operations.ts';
import type { Shown } from '#shared/administration/wire.ts';
import type { PartnerId } from '#shared/domain/values/ids.ts';
import { command, id, verb, whole } from './arguments.ts';
import { eventNamed } from './deliveries.ts';
import { CommandError, UsageError } from './errors.ts';
import type { Session } from './session.ts';
import { moment } from './table.ts';

interface Which {
  readonly event?: string;
  readonly partnerId?: PartnerId;
  readonly foreign?: true;
  readonly max?: number;
}

/** Letters that the API shows at once; they stay where they are, so that there is no next page. */
const MOST_SHOWN = 100;

export function dlq(root: Command, session: Session): void {
  const noun = command(root, 'dlq', 'deliveries whose last attempt has failed', 'dlq count --local');

  command(noun, 'count', 'how many there are', 'dlq count --local').action(async () => {
    const { waiting, inHand } = await session.ask('list-dead-letters', { limit: 0 });
    session.printRecord({ waiting, inHand }, [
      ['waiting', waiting],
      ['in hand', inHand],
    ]);
  });

  verb(noun, 'inspect', 'list-dead-letters', 'dlq inspect --max 20 --local')
    .option('--max <number>', 'how many', whole(1, 1000), 10)
    .action(async ({ max }: { max: number }) => {
      const { letters } = await session.ask('list-dead-letters', { limit: Math.min(max, MOST_SHOWN) });
      const rows = letters.map(({ deadSince: sentAt, ...letter }) => ({ ...letter, sentAt }));
      session.printTable(rows, [
        { title: 'event', value: (row) => row.eventId ?? '(not a delivery)' },
        { title: 'partner', value: (row) => row.partnerId },
        { title: 'state', value: (row) => row.state ?? 'gone' },
        { title: 'dead since', value: (row) => moment(row.sentAt), shrinks: true },
      ]);
      if (max > MOST_SHOWN && rows.length === MOST_SHOWN) session.note(`${MOST_SHOWN} at most are shown.`);
    });

  verb(noun, 'redrive', 'redrive-dead-letters', 'dlq redrive --partner 123 --reason "INC-42, receiver is back" --local')
    .option('--event <id>', 'only this one')
    .option('--partner <id>', "only a partner's", id<PartnerId>)
    .option('--max <number>', 'at most so many', whole(1, 100_000))
    .action((which: Which) => redrive(which, session));

  verb(noun, 'discard', 'discard-dead-letters', 'dlq discard --foreign --reason "INC-43, sent by hand" --local')
    .option('--event <id>', 'only this one')
    .option('--partner <id>', "only a partner's", id<PartnerId>)
    .option('--foreign', "those that are no delivery's message")
    .option('--max <number>', 'at most so many', whole(1, 100_000))
    .action((which: Which) => discard(which, session));
}

const chosen = ({ event, partnerId, max }: Which) => ({
  event_id: event === undefined ? undefined : eventNamed(event),
  partner_id: partnerId,
  max,
});

async function redrive(which: Which, session: Session): Promise<void> {
  session.needsReason();
  const { event, partnerId, max } = which;
  const fields = chosen(which);
  const { waiting, inHand, kept: off } = await session.preview('redrive-dead-letters', fields);
  const most = mostOf({ waiting, inHand }, max);
  const fate = off ? ` Its webhook is disabled: ${event ? 'it is' : 'they are'} kept until webhook enable.` : '';
  await session.confirm(
    event
      ? `One more attempt for ${event}?${fate}`
      : partnerId === undefined
        ? `One more attempt for ${most} deliveries of all partners?`
        : `One more attempt for what is dead of partner ${partnerId}, ${most} deliveries at most?${fate}`,
  );
  const progress = session.progress('redriving', most);
  const done = { redriven: 0, left: waiting, kept: 0 };
  for await (const page of session.pages('redrive-dead-letters', fields)) {
    done.redriven += page.redriven;
    done.kept += page.kept;
    done.left = page.left;
    progress.step(page.redriven);
  }
  progress.end();
  if (done.redriven === 0) throw new CommandError(notThere(event, inHand));
  const { redriven, left, kept } = done;
  session.print({ redriven, left, ...(kept > 0 && { kept }) }, () =>
    [
      `${redriven - kept} back with the worker, ${left} left in the dead-letter queue\n`,
      ...(kept > 0 ? [`${kept} are kept until webhook enable, since the webhook is disabled\n`] : []),
    ].join(''),
  );
}

async function discard(which: Which, session: Session): Promise<void> {
  session.needsReason();
  const { event, partnerId, foreign, max } = which;
  if ([event, partnerId, foreign].filter((one) => one !== undefined).length !== 1)
    throw new UsageError('say which: --event, --partner or --foreign');
  const fields = { ...chosen(which), foreign };
  const { waiting, inHand } = await session.preview('discard-dead-letters', fields);
  const what = foreign ? "messages that are no delivery's" : (event ?? `dead deliveries of partner ${partnerId}`);
  await session.confirm(`${what}: ${mostOf({ waiting, inHand }, max)} at most end for good; no attempt is made.`);
  const done = { discarded: 0, left: waiting };
  for await (const page of session.pages('discard-dead-letters', fields)) {
    done.discarded += page.discarded;
    done.left = page.left;
  }
  if (done.discarded === 0) throw new CommandError(notThere(event, inHand));
  session.print(done, () => `${done.discarded} ended, ${done.left} left in the dead-letter queue\n`);
}

type Counted = Pick<Shown<PreviewOf<'discard-dead-letters'>>, 'waiting' | 'inHand'>;

/** How many letters are looked at, at most. Throws a CommandError where none is in sight. */
function mostOf({ waiting, inHand }: Counted, max: number | undefined): number {
  if (waiting > 0) return Math.min(max ?? waiting, waiting);
  if (inHand === 0) throw new CommandError('the dead-letter queue is empty: nothing to redrive or to discard');
  throw new CommandError(`no dead letter is in sight, ${backSoon(inHand)}`);
}

const backSoon = (inHand: number) => `and ${inHand} are in hand: they come back within two minutes, try again then`;

/** Letters that someone looks at are in the queue all the same. */
function notThere(event: string | undefined, inHand: number): string {
  const what = event === undefined ? 'nothing of that is' : `${event} is not`;
  return inHand === 0 ? `${what} in the dead-letter queue: see dlq inspect` : `${what} in sight, ${backSoon(inHand)}`;
}
