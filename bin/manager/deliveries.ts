import { type Command, Option } from 'commander';
import type { PreviewOf, SentBody } from '#shared/administration/operations.ts';
import type { Shown } from '#shared/administration/wire.ts';
import type { AnalysisId, EventId, PartnerId, UnitId } from '#shared/domain/values/ids.ts';
import type { Environment } from '#shared/domain/values/tenancy.ts';
import { DELIVERY_STATES, type DeliveryState, REPLAYABLE } from '#shared/domain/webhooks/delivery.ts';
import { command, environment, id, since, verb, whole } from './arguments.ts';
import { CommandError, UsageError } from './errors.ts';
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

type ReplayableState = Exclude<DeliveryState, 'pendente'>;

interface ReplayOptions extends Partial<Omit<ListOptions, 'state' | 'limit'>> {
  readonly state?: ReplayableState;
  readonly until?: number;
  readonly dryRun?: true;
}

type Listed = Shown<PreviewOf<'replay-deliveries'>>['deliveries'][number] & {
  readonly cause?: string | undefined;
};

/** Deliveries that the API gives at once. */
const PAGE = 200;

const CAUSES: readonly Column<Listed>[] = [{ title: 'cause', value: (row) => row.cause, shrinks: true }];
const COLUMNS: readonly Column<Listed>[] = [
  { title: 'event', value: (row) => row.eventId },
  { title: 'state', value: (row) => row.state },
  { title: 'sent', value: (row) => row.attempts },
  { title: 'booked', value: (row) => moment(row.createdAt).slice(5, 16) },
  { title: 'type', value: (row) => row.type, shrinks: true },
];

/** An event's id. Throws a CommandError where no event can have it. */
export function eventNamed(text: string): EventId {
  if (!/^evt_[a-z2-7]{32}$/.test(text)) throw new CommandError(`there is no event ${text}`);
  return text as EventId;
}

const iso = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toISOString());

export function deliveries(root: Command, session: Session): void {
  const noun = command(
    root,
    'deliveries',
    "events on their way to partners' webhooks",
    'deliveries list --partner 123 --local',
  );

  verb(noun, 'list', 'list-deliveries', 'deliveries list --partner 123 --state esgotada --local')
    .requiredOption('--partner <id>', 'whose', id<PartnerId>)
    .option('--unit <id>', 'only of a unit', id<UnitId>)
    .addOption(environment('only of one environment'))
    .addOption(new Option('--state <name>', 'only in a state').choices(DELIVERY_STATES))
    .option('--analysis <id>', 'of one analysis; needs its --unit', id<AnalysisId>)
    .option('--since <moment>', 'booked since', since(session.clock))
    .option('--limit <number>', 'how many', whole(1, 10_000), 50)
    .action((options: ListOptions) => list(options, session));

  verb(noun, 'show', 'show-delivery', 'deliveries show evt_mzxw6ytboi4dsmrqgaydcmjs --local')
    .argument('<event>', 'its id')
    .action((event: string) => show(event, session));

  verb(
    noun,
    'replay',
    'replay-deliveries',
    'deliveries replay evt_mzxw6ytboi4dsmrqgaydcmjs --reason "INC-42" --local',
    'deliveries replay --partner 123 --state esgotada --since 3d --dry-run --local',
  )
    .argument('[event]', "one event's id; else --analysis, or --partner and --since")
    .option('--partner <id>', 'whose', id<PartnerId>)
    .option('--unit <id>', 'only of a unit', id<UnitId>)
    .option('--analysis <id>', 'of one analysis; needs its --partner and --unit', id<AnalysisId>)
    .addOption(environment('of which environment; without it producao'))
    .addOption(new Option('--state <name>', 'only in a state').choices(REPLAYABLE))
    .option('--since <moment>', 'booked since: 2026-11-20T09:00:00-03:00, or 90m, 2h, 3d ago', since(session.clock))
    .option('--until <moment>', 'booked before', since(session.clock))
    .option('--dry-run', 'show, and stop there')
    .action((event: string | undefined, options: ReplayOptions) => replay(event, options, session));
}

async function list({ limit, ...only }: ListOptions, session: Session): Promise<void> {
  if (only.analysisId !== undefined && only.unitId === undefined) throw new UsageError(ANALYSIS_ALONE);
  const fields = {
    partner_id: only.partnerId,
    unit_id: only.unitId,
    environment: only.environment,
    state: only.state,
    analysis_id: only.analysisId,
    since: iso(only.since),
    limit: Math.min(limit, PAGE),
  };
  const found: Listed[] = [];
  for await (const page of session.pages('list-deliveries', fields)) {
    found.push(...page.deliveries);
    if (found.length >= limit) break;
  }
  session.printTable(found.slice(0, limit), [...COLUMNS, ...CAUSES]);
}

const ANALYSIS_ALONE = '--analysis needs its --partner and --unit';

async function show(event: string, session: Session): Promise<void> {
  const { delivery } = await session.ask('show-delivery', { event_id: eventNamed(event) });
  const history = delivery.history.map(({ number, at, ...result }) => ({ number, at, result }));
  session.printRecord({ ...delivery, history }, [
    ['event', delivery.eventId],
    ['partner', delivery.partnerId],
    ['unit', `${delivery.unitId}, ${delivery.environment}`],
    ['analysis', delivery.analysisId],
    ['state', delivery.state],
    ['booked', moment(delivery.createdAt)],
    ['discarded', delivery.discardedAt && moment(delivery.discardedAt)],
    ['next attempt', delivery.state === 'pendente' ? moment(delivery.dueAt) : undefined],
    ...history.map(({ number, at, result }) => {
      const said = result.delivered ? `delivered, ${result.status}` : `${result.failure} ${result.status ?? ''}`.trim();
      const detail = result.delivered ? '' : `: ${result.detail?.slice(0, 200)}`;
      return [`attempt ${number}`, `${moment(at)}  ${said}, ${result.milliseconds} ms${detail}`] as const;
    }),
  ]);
}

/** Throws a UsageError for options that do not narrow what was chosen. */
function refuseBeside(chosen: string, options: Readonly<Record<string, unknown>>): void {
  const beside = Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`]));
  if (beside.length > 0) throw new UsageError(`${beside.join(', ')} narrows no ${chosen}: leave it out`);
}

/**
 * The fields by which the API finds what is to be sent again. Throws a UsageError where the options name nothing, or more
 * than can be narrowed by.
 */
function chosen(event: string | undefined, options: ReplayOptions) {
  const { partnerId, unitId, environment: of, analysisId, state, since: from, until } = options;
  const time = { state, since: from, until };
  if (event !== undefined) {
    const beside = { partner: partnerId, unit: unitId, analysis: analysisId, environment: of, ...time };
    refuseBeside('event, which is named by its id', beside);
    return { event_id: eventNamed(event) };
  }
  const place = { partner_id: partnerId, unit_id: unitId, environment: of ?? 'producao' };
  if (analysisId !== undefined) {
    if (partnerId === undefined || unitId === undefined) throw new UsageError(ANALYSIS_ALONE);
    refuseBeside('analysis, which is taken whole', time);
    return { ...place, analysis_id: analysisId };
  }
  if (partnerId === undefined || from === undefined) {
    throw new UsageError('say what: an event, or --partner with --since, or --analysis');
  }
  return { ...place, state, since: iso(from), until: iso(until) };
}

async function replay(event: string | undefined, options: ReplayOptions, session: Session): Promise<void> {
  const which = chosen(event, options);
  const rows: Listed[] = [];
  let partner: number | undefined;
  let kept = false;
  let until: string | undefined;
  for await (const page of session.previewPages('replay-deliveries', which)) {
    rows.unshift(...page.deliveries.toReversed());
    [partner, kept, until] = [page.partnerId, page.kept, page.until];
  }
  if (rows.length === 0) throw new CommandError('nothing to replay there: what is pending is sent anyway');
  if (options.dryRun) {
    session.note(byState(rows));
    return session.printTable(rows, COLUMNS, { dryRun: true, events: rows });
  }
  session.needsReason();
  session.note(`${rows.length} events would be sent again (${byState(rows)}), the newest ${rows[0]!.eventId}`);
  const fate = kept ? 'Its webhook is disabled: they are kept until webhook enable.' : 'They are sent at once.';
  await session.confirm(`Send ${rows.length} events again to partner ${partner}? ${fate}`);
  // What is booked while the question stands open is not among what was shown.
  const counts = await replayPages({ ...which, until }, rows.length, session);
  const where = kept ? 'kept until webhook enable, since the webhook is disabled' : 'on their way';
  session.print(
    { ...counts, ...(kept && { kept }) },
    () => `${counts.sent} ${where}, ${counts.skipped} left out: they were pending by now\n`,
  );
}

async function replayPages(which: SentBody<'replay-deliveries'>, total: number, session: Session) {
  const progress = session.progress('replaying', total);
  const counts = { sent: 0, skipped: 0 };
  for await (const { sent, skipped } of session.pages('replay-deliveries', which)) {
    counts.sent += sent;
    counts.skipped += skipped;
    progress.step(sent + skipped);
  }
  progress.end();
  return counts;
}

/** How many there are in each state: `3 esgotada, 1 entregue`. */
function byState(rows: readonly Listed[]): string {
  const counts = new Map<string, number>();
  for (const { state } of rows) counts.set(state, (counts.get(state) ?? 0) + 1);
  return [...counts].map(([state, count]) => `${count} ${state}`).join(', ');
}
