import type { Command } from 'commander';
import type { AnswerOf, PreviewOf, SentBody } from '#shared/administration/operations.ts';
import type { Shown } from '#shared/administration/wire.ts';
import { momentText, wholeNumber } from './arguments.ts';
import { CommandError, UsageError } from './errors.ts';
import { collected, type Session } from './session.ts';
import { type Column, minuteText, moment } from './table.ts';
import { command, verb } from './verb.ts';

/** The fields that choose the events to send again. */
type Selection = SentBody<'replay-deliveries'>;

type Listed = Shown<PreviewOf<'replay-deliveries'>>['deliveries'][number] & {
  readonly cause?: string | undefined;
};

/** Deliveries in the largest page that the API returns. */
const PAGE = 200;

const CAUSES: readonly Column<Listed>[] = [{ title: 'cause', value: (row) => row.cause, shrinks: true }];
const COLUMNS: readonly Column<Listed>[] = [
  { title: 'event', value: (row) => row.eventId },
  { title: 'state', value: (row) => row.state },
  { title: 'sent', value: (row) => row.attempts },
  { title: 'booked', value: (row) => minuteText(row.createdAt) },
  { title: 'type', value: (row) => row.type, shrinks: true },
];

export function deliveries(root: Command, session: Session): void {
  const noun = command(
    root,
    'deliveries',
    "events on their way to partners' webhooks",
    'deliveries list --partner 123 --local',
  );
  const parseMoment = momentText(session.clock);

  verb(noun, 'list', 'list-deliveries', 'deliveries list --partner 123 --state esgotada --local')
    .takes({
      partner_id: { about: 'id of the partner', needed: true },
      unit_id: 'only of a unit',
      environment: 'only of one environment',
      state: 'only in a state',
      analysis_id: 'of one analysis; needs its --unit',
      booked: {
        flags: '--since <moment>',
        about: 'booked since: 2026-11-20T09:00:00-03:00, or 90m, 2h, 3d ago',
        parse: parseMoment,
      },
      most: {
        flags: '--limit <number>',
        about: 'largest number of deliveries',
        parse: wholeNumber(1, 10_000),
        fallback: 50,
      },
    })
    .run(async ({ booked, most, ...given }) => {
      if (given.analysis_id !== undefined && given.unit_id === undefined) throw new UsageError(ANALYSIS_ALONE);
      // One event more than is shown, to know whether there are more.
      const wanted = most + 1;
      const pages = session.pages('list-deliveries', { ...given, since: booked, limit: Math.min(wanted, PAGE) });
      const found = await collected(pages, (page) => page.deliveries, wanted);
      session.printTable<Listed>(found.slice(0, most), COLUMNS.concat(CAUSES));
      session.noteIfCut(found.length, most);
    });

  verb(noun, 'show', 'show-delivery', 'deliveries show evt_mzxw6ytboi4dsmrqgaydcmjs --local')
    .takes({ event_id: { flags: '<event>', about: 'id of the event' } })
    .run(async (given) => showDelivery((await session.ask('show-delivery', given)).delivery, session));

  verb(
    noun,
    'replay',
    'replay-deliveries',
    'deliveries replay evt_mzxw6ytboi4dsmrqgaydcmjs --reason "INC-42" --local',
    'deliveries replay --partner 123 --state esgotada --since 3d --dry-run --local',
  )
    .takes({
      event_id: { flags: '[event]', about: 'id of one event; without it: --analysis, or --partner and --since' },
      partner_id: 'id of the partner',
      unit_id: 'only of a unit',
      analysis_id: 'of one analysis; needs its --partner and --unit',
      environment: 'only of one environment; producao if not given',
      state: 'only in a state',
      from: {
        flags: '--since <moment>',
        about: 'booked since: 2026-11-20T09:00:00-03:00, or 90m, 2h, 3d ago',
        parse: parseMoment,
      },
      before: { flags: '--until <moment>', about: 'booked before', parse: parseMoment },
      dryRun: { flags: '--dry-run', about: 'only show what would be sent' },
    })
    .run(({ dryRun, from, before, ...given }) =>
      replay(selectionOf({ ...given, since: from, until: before }), dryRun === true, session),
    );
}

const ANALYSIS_ALONE = '--analysis needs its --partner and --unit';

function showDelivery(delivery: Shown<AnswerOf<'show-delivery'>>['delivery'], session: Session): void {
  const history = delivery.history.map(({ number, at, ...result }) => ({ number, at, result }));
  session.printRecord({ ...delivery, history }, [
    ['event', delivery.eventId],
    ['partner', delivery.partnerId],
    ['unit', delivery.unitId ?? 'none: it concerns the whole partner'],
    ['environment', delivery.environment],
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

/** Throws a UsageError if one of these options is given: they cannot narrow what is already chosen. */
function refuseNarrowing(chosen: string, options: Readonly<Record<string, unknown>>): void {
  const names = Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`]));
  if (names.length > 0) throw new UsageError(`${names.join(', ')} cannot narrow ${chosen}: leave it out`);
}

/**
 * Returns the fields that choose the events to send again. Throws a UsageError if the options choose nothing, or if
 * some of them cannot apply.
 */
function selectionOf(selection: Selection): Selection {
  const { event_id, partner_id: partner, unit_id: unit, analysis_id: analysis, state, since, until } = selection;
  if (event_id !== undefined) {
    const { environment } = selection;
    const given = { partner, unit, analysis, environment, state, since, until };
    refuseNarrowing('an event that is named by its id', given);
    return { event_id };
  }
  const place = { partner_id: partner, unit_id: unit, environment: selection.environment ?? 'producao' };
  if (analysis !== undefined) {
    if (partner === undefined || unit === undefined) throw new UsageError(ANALYSIS_ALONE);
    refuseNarrowing('an analysis, whose events are all sent', { state, since, until });
    return { ...place, analysis_id: analysis };
  }
  if (partner === undefined || since === undefined) {
    throw new UsageError('say what to send: an event, or --partner with --since, or --analysis');
  }
  return { ...place, state, since, until };
}

async function replay(selection: Selection, onlyShow: boolean, session: Session): Promise<void> {
  const rows: Listed[] = [];
  let partner: number | undefined;
  let suspended = false;
  let until: string | undefined;
  for await (const page of session.previewPages('replay-deliveries', selection)) {
    rows.unshift(...page.deliveries.toReversed());
    [partner, suspended, until] = [page.partnerId, page.suspended, page.until];
  }
  const [newest] = rows;
  if (!newest) throw new CommandError('nothing to replay: pending events are sent anyway');
  if (onlyShow) {
    session.note(byState(rows));
    return session.printTable(rows, COLUMNS, { dryRun: true, events: rows });
  }
  session.needsReason();
  session.note(`${rows.length} events would be sent again (${byState(rows)}), the newest ${newest.eventId}`);
  const fate = suspended ? 'Its webhook is disabled: they are kept until webhook enable.' : 'They are sent at once.';
  await session.confirm(`Send ${rows.length} events again to partner ${partner}? ${fate}`);
  // `until` leaves out events that are booked while the person decides: the person has not seen them.
  const counts = await replayPages({ ...selection, until }, rows.length, session);
  const where = suspended ? 'kept until webhook enable, since the webhook is disabled' : 'on their way';
  session.print(
    { ...counts, suspended: suspended || undefined },
    () => `${counts.sent} ${where}, ${counts.skipped} left out: they were already pending\n`,
  );
}

async function replayPages(selection: Selection, total: number, session: Session) {
  const progress = session.progress('replaying', total);
  const counts = { sent: 0, skipped: 0 };
  for await (const { sent, skipped } of session.pages('replay-deliveries', selection)) {
    counts.sent += sent;
    counts.skipped += skipped;
    progress.step(sent + skipped);
  }
  progress.end();
  return counts;
}

/** Returns how many deliveries are in each state: `3 esgotada, 1 entregue`. */
function byState(rows: readonly Listed[]): string {
  const counts = new Map<string, number>();
  for (const { state } of rows) counts.set(state, (counts.get(state) ?? 0) + 1);
  return Array.from(counts, ([state, count]) => `${count} ${state}`).join(', ');
}
