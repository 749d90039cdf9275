import { type Command, Option } from 'commander';
import type { EventId, PartnerId, UnitId } from '../../shared/domain/values/ids.ts';
import type { Environment } from '../../shared/domain/values/tenancy.ts';
import { DELIVERY_STATES, type Delivery, type DeliveryState } from '../../shared/domain/webhooks/delivery.ts';
import { SafeError } from '../../shared/runtime/log.ts';
import { type ListedDelivery, listDeliveries, replay, replaySince } from '../../shared/table/replays.ts';
import * as wiring from '../../shared/wiring.ts';
import { environment, example, id, since, whole } from './arguments.ts';
import { UsageError } from './errors.ts';
import { existing } from './partners.ts';
import type { Session } from './session.ts';
import { type Column, moment } from './table.ts';

/** Deliveries that are sent to the queue at once. */
const LOT = 10;

interface ListOptions {
  readonly partnerId: PartnerId;
  readonly unitId?: UnitId;
  readonly state?: DeliveryState;
  readonly environment?: Environment;
  readonly limit: number;
}

interface ReplayOptions {
  readonly partnerId?: PartnerId;
  readonly unitId?: UnitId;
  readonly environment?: Environment;
  readonly since?: number;
  readonly dryRun?: true;
}

const COLUMNS: readonly Column<ListedDelivery>[] = [
  { title: 'event', value: (row) => row.eventId },
  { title: 'state', value: (row) => row.state },
  { title: 'tries', value: (row) => row.attempts },
  { title: 'booked', value: (row) => moment(row.createdAt).slice(5, 16) },
  { title: 'type', value: (row) => row.type, shrinks: true },
];

async function one(event: string): Promise<Delivery> {
  const found = await wiring.deliveries().get(event as EventId);
  if (!found) throw new SafeError(`there is no event ${event}: see deliveries list`);
  return found;
}

export function deliveries(root: Command, session: Session): void {
  const noun = root
    .command('deliveries')
    .description("events on their way to partners' webhooks")
    .addHelpText('after', example('deliveries list --partner 123 --local'));

  noun
    .command('list')
    .description("a partner's deliveries, newest first")
    .requiredOption('--partner <id>', 'whose', id<PartnerId>)
    .option('--unit <id>', 'only of a unit', id<UnitId>)
    .addOption(environment('only of one environment'))
    .addOption(new Option('--state <name>', 'only in a state').choices(DELIVERY_STATES))
    .option('--limit <number>', 'how many', whole(1, 10_000), 50)
    .addHelpText('after', example('deliveries list --partner 123 --state esgotada --local'))
    .action(async ({ partnerId, state, limit, ...only }: ListOptions) => {
      await existing(partnerId);
      const found: ListedDelivery[] = [];
      for await (const row of listDeliveries(partnerId, { ...only, ...(state && { states: [state] }) })) {
        if (found.push(row) === limit) break;
      }
      session.printTable(found, COLUMNS);
    });

  noun
    .command('show')
    .description('one delivery and its last 12 attempts')
    .argument('<event>', 'its id')
    .addHelpText('after', example('deliveries show evt_mzxw6ytboi4dsmrqgaydcmjs --local'))
    .action(async (event: string) => {
      const { body, ...delivery } = await one(event);
      session.printRecord({ ...delivery, body: JSON.parse(body) }, [
        ['event', delivery.eventId],
        ['partner', delivery.partnerId],
        ['unit', `${delivery.unitId}, ${delivery.environment}`],
        ['analysis', delivery.analysisId],
        ['state', delivery.state],
        ['booked', moment(delivery.createdAt)],
        ['next attempt', delivery.state === 'pendente' ? moment(delivery.dueAt) : undefined],
        ...delivery.history.map(({ number, at, result }) => {
          const said = result.delivered
            ? `delivered, ${result.status}`
            : `${result.failure} ${result.status ?? ''}`.trim();
          const detail = result.delivered ? '' : `: ${result.detail.slice(0, 200)}`;
          return [`attempt ${number}`, `${moment(at)}  ${said}, ${result.milliseconds} ms${detail}`] as const;
        }),
      ]);
    });

  noun
    .command('replay')
    .description('send events again, same id and bytes; what would be sent is shown first')
    .argument('[event]', "one event's id; else --partner, --unit and --since")
    .option('--partner <id>', 'whose', id<PartnerId>)
    .option('--unit <id>', 'whose unit', id<UnitId>)
    .addOption(environment('of one environment').default('producao'))
    .option('--since <moment>', 'booked since: 2026-11-20T09:00:00-03:00, or 90m, 2h, 3d ago', since(session.clock))
    .option('--dry-run', 'show, and stop there')
    .addHelpText(
      'after',
      example(
        'deliveries replay evt_mzxw6ytboi4dsmrqgaydcmjs --reason "INC-42" --local',
        'deliveries replay --partner 123 --unit 456 --since 3d --dry-run --local',
      ),
    )
    .action(async (event: string | undefined, options: ReplayOptions) => {
      const { partner: partnerId, rows, target } = event === undefined ? await ofUnit(options) : await ofEvent(event);
      if (rows.length === 0) throw new SafeError('nothing to replay there: what is pending is sent anyway');
      if (options.dryRun) return session.printTable(rows, COLUMNS, { dryRun: true, events: rows });
      session.needsReason();
      session.note(`${rows.length} events would be sent again, the newest ${rows[0]!.eventId}`);
      await session.confirm(`Send ${rows.length} events again to partner ${partnerId}?`);
      await session.queues();
      const counts = await session.change(
        partnerId,
        { ...target, events: rows.length },
        () => submitAgain(rows, session),
        (made) => made,
      );
      session.print(
        counts,
        () => `${counts.sent} on their way, ${counts.skipped} left out: they were pending by now\n`,
      );
    });
}

async function ofEvent(event: string) {
  const { partnerId, ...delivery } = await one(event);
  if (delivery.state === 'pendente') {
    throw new SafeError(`event ${event} is pending: its next attempt is due at ${moment(delivery.dueAt)}`);
  }
  return { partner: partnerId, rows: [delivery], target: { event } };
}

async function ofUnit({ partnerId, unitId, environment: of, since: from }: ReplayOptions) {
  if (partnerId === undefined || unitId === undefined || of === undefined || from === undefined) {
    throw new UsageError('say what: an event, or --partner, --unit and --since');
  }
  await existing(partnerId);
  const rows: ListedDelivery[] = [];
  for await (const row of replaySince(partnerId, unitId, of, from)) rows.push(row);
  return { partner: partnerId, rows, target: { unit: unitId, environment: of, since: new Date(from).toISOString() } };
}

async function submitAgain(rows: readonly ListedDelivery[], session: Session) {
  const queue = wiring.deliveryQueue();
  const progress = session.progress('replaying', rows.length);
  // Oldest first, as they were booked.
  const ordered = rows.toReversed();
  let sent = 0;
  for (let start = 0; start < ordered.length; start += LOT) {
    const now = session.clock();
    const lot = await Promise.all(ordered.slice(start, start + LOT).map(({ eventId }) => replay(eventId, now)));
    const due = lot.flatMap((made) => (made.kind === 'due' ? [made.due] : []));
    await queue.send(due, now);
    sent += due.length;
    progress.step(lot.length);
  }
  progress.end();
  return { sent, skipped: rows.length - sent };
}
