import { type Command, Option } from 'commander';
import type { AnalysisId, EventId, PartnerId, UnitId } from '../../shared/domain/values/ids.ts';
import { ENVIRONMENTS, type Environment } from '../../shared/domain/values/tenancy.ts';
import { DELIVERY_STATES, type Delivery, type DeliveryState } from '../../shared/domain/webhooks/delivery.ts';
import { type ExplainedDelivery, type ListedDelivery, REPLAYABLE } from '../../shared/domain/webhooks/delivery-list.ts';
import { replayAll } from '../../shared/domain/webhooks/replay.ts';
import { SafeError } from '../../shared/runtime/log.ts';
import { deliveriesOfAnalysis, explained, listDeliveries, replay } from '../../shared/table/replays.ts';
import * as wiring from '../../shared/wiring.ts';
import { environment, example, id, since, whole } from './arguments.ts';
import { UsageError } from './errors.ts';
import { existing } from './partners.ts';
import type { Session } from './session.ts';
import { type Column, moment } from './table.ts';

interface ListOptions {
  readonly partnerId: PartnerId;
  readonly unitId?: UnitId;
  readonly state?: DeliveryState;
  readonly environment?: Environment;
  readonly analysisId?: AnalysisId;
  readonly since?: number;
  readonly limit: number;
}

interface AnalysisOptions {
  readonly partnerId?: PartnerId;
  readonly unitId?: UnitId;
  readonly environment?: Environment;
  readonly analysisId?: AnalysisId;
}

interface ReplayOptions extends AnalysisOptions {
  readonly state?: DeliveryState;
  readonly since?: number;
  readonly until?: number;
  readonly dryRun?: true;
}

const CAUSES: readonly Column<ExplainedDelivery>[] = [{ title: 'cause', value: (row) => row.cause, shrinks: true }];
const COLUMNS: readonly Column<ListedDelivery>[] = [
  { title: 'event', value: (row) => row.eventId },
  { title: 'state', value: (row) => row.state },
  { title: 'sent', value: (row) => row.attempts },
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
    .option('--analysis <id>', 'of one analysis; needs its --unit', id<AnalysisId>)
    .option('--since <moment>', 'booked since', since(session.clock))
    .option('--limit <number>', 'how many', whole(1, 10_000), 50)
    .addHelpText('after', example('deliveries list --partner 123 --state esgotada --local'))
    .action(async ({ state, limit, ...only }: ListOptions) => {
      const { partnerId, analysisId, since: from = 0 } = only;
      await existing(partnerId);
      const found: ListedDelivery[] = [];
      if (analysisId !== undefined) {
        const rows = (await analysisRows(only)).map(listed);
        found.push(
          ...rows.filter((row) => (state ?? row.state) === row.state && row.createdAt >= from).slice(0, limit),
        );
      } else {
        for await (const row of listDeliveries(partnerId, { ...only, ...(state && { states: [state] }) })) {
          if (found.push(row) === limit) break;
        }
      }
      session.printTable(await explained(found), [...COLUMNS, ...CAUSES]);
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
    .argument('[event]', "one event's id; else --analysis, or --partner and --since")
    .option('--partner <id>', 'whose', id<PartnerId>)
    .option('--unit <id>', 'only of a unit', id<UnitId>)
    .option('--analysis <id>', 'of one analysis; needs its --partner and --unit', id<AnalysisId>)
    .addOption(environment('of which environment').default('producao'))
    .addOption(new Option('--state <name>', 'only in a state').choices(REPLAYABLE))
    .option('--since <moment>', 'booked since: 2026-11-20T09:00:00-03:00, or 90m, 2h, 3d ago', since(session.clock))
    .option('--until <moment>', 'booked before', since(session.clock))
    .option('--dry-run', 'show, and stop there')
    .addHelpText(
      'after',
      example(
        'deliveries replay evt_mzxw6ytboi4dsmrqgaydcmjs --reason "INC-42" --local',
        'deliveries replay --partner 123 --state esgotada --since 3d --dry-run --local',
      ),
    )
    .action(async (event: string | undefined, options: ReplayOptions) => {
      const { analysisId } = options;
      const selected =
        event === undefined ? (analysisId === undefined ? ofPartner : ofAnalysis)(options) : ofEvent(event);
      const { partner: partnerId, rows, target } = await selected;
      if (rows.length === 0) throw new SafeError('nothing to replay there: what is pending is sent anyway');
      if (options.dryRun) {
        session.note(byState(rows));
        return session.printTable(rows.map(listed), COLUMNS, { dryRun: true, events: rows.map(listed) });
      }
      session.needsReason();
      session.note(`${rows.length} events would be sent again (${byState(rows)}), the newest ${rows[0]!.eventId}`);
      const kept = await isKept(partnerId);
      const fate = kept ? 'Its webhook is disabled: they are kept until webhook enable.' : 'They are sent at once.';
      await session.confirm(`Send ${rows.length} events again to partner ${partnerId}? ${fate}`);
      await session.queues();
      const progress = session.progress('replaying', rows.length);
      const deps = { replay, queue: wiring.deliveryQueue(), clock: session.clock, done: progress.step };
      // Oldest first, as they were booked.
      const eventIds = rows.map(({ eventId }) => eventId).toReversed();
      const counts = await session.change(
        partnerId,
        { ...target, events: rows.length },
        () => replayAll(eventIds, deps),
        (made) => made,
      );
      progress.end();
      const where = kept ? 'kept until webhook enable, since the webhook is disabled' : 'on their way';
      session.print(
        { ...counts, ...(kept && { kept }) },
        () => `${counts.sent} ${where}, ${counts.skipped} left out: they were pending by now\n`,
      );
    });
}

/** A delivery as lists show it. */
function listed({
  eventId,
  unitId,
  environment: of,
  type,
  state,
  attempts,
  createdAt,
}: ListedDelivery): ListedDelivery {
  return { eventId, unitId, environment: of, type, state, attempts, createdAt };
}

interface Selection {
  readonly partner: PartnerId;
  /** Newest first. */
  readonly rows: readonly ListedDelivery[];
  readonly target: Readonly<Record<string, string | number>>;
}

async function ofEvent(event: string): Promise<Selection> {
  const { partnerId, ...delivery } = await one(event);
  if (delivery.state === 'pendente') {
    throw new SafeError(`event ${event} is pending: its next attempt is due at ${moment(delivery.dueAt)}`);
  }
  return { partner: partnerId, rows: [delivery], target: { event } };
}

async function ofAnalysis(options: ReplayOptions): Promise<Selection> {
  const { partnerId: partner, analysisId } = options;
  const rows = (await analysisRows(options)).filter(({ state }) => state !== 'pendente');
  return { partner: partner!, rows, target: { analysis: analysisId! } };
}

async function ofPartner(options: ReplayOptions): Promise<Selection> {
  const { partnerId, unitId, environment: of, state, since: from, until } = options;
  if (partnerId === undefined || from === undefined) {
    throw new UsageError('say what: an event, or --partner with --since, or --analysis');
  }
  await existing(partnerId);
  const rows: ListedDelivery[] = [];
  const filter = { ...(unitId && { unitId }), ...(of && { environment: of }), since: from, ...(until && { until }) };
  for await (const row of listDeliveries(partnerId, { ...filter, states: state ? [state] : REPLAYABLE }))
    rows.push(row);
  const target = {
    ...(unitId && { unit: unitId }),
    ...(of && { environment: of }),
    ...(state && { state }),
    since: new Date(from).toISOString(),
    ...(until && { until: new Date(until).toISOString() }),
  };
  return { partner: partnerId, rows, target };
}

/** The deliveries of one analysis, in the unit and environments that the options name. */
async function analysisRows({ partnerId, unitId, environment: of, analysisId }: AnalysisOptions): Promise<Delivery[]> {
  if (partnerId === undefined || unitId === undefined || analysisId === undefined) {
    throw new UsageError('--analysis needs its --partner and --unit');
  }
  await existing(partnerId);
  const tenancies = ENVIRONMENTS.filter((environment) => (of ?? environment) === environment).map((environment) => ({
    unitId,
    environment,
  }));
  const found = await Promise.all(tenancies.map((tenancy) => deliveriesOfAnalysis(tenancy, analysisId)));
  return found.flat().filter((delivery) => delivery.partnerId === partnerId);
}

/** How many there are in each state: `3 esgotada, 1 entregue`. */
function byState(rows: readonly ListedDelivery[]): string {
  const counts = new Map<string, number>();
  for (const { state } of rows) counts.set(state, (counts.get(state) ?? 0) + 1);
  return [...counts].map(([state, count]) => `${count} ${state}`).join(', ');
}

/** Whether what is sent to a partner now is kept until its webhook is enabled. */
async function isKept(partnerId: PartnerId): Promise<boolean> {
  return (await wiring.webhookEndpoints().view(partnerId))?.enabled === false;
}
