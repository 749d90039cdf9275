import * as z from 'zod/mini';
import { described } from '../contract/described.ts';
import type { AuditFacts } from '../domain/audit/ports.ts';
import { timestamp } from '../domain/values/clock.ts';
import type { AnalysisId, EventId, PartnerId, UnitId } from '../domain/values/ids.ts';
import type { Instant } from '../domain/values/time.ts';
import {
  BOOKED_TYPES,
  DELIVERY_STATES,
  type Delivery,
  type DeliveryState,
  type ExplainedDelivery,
  FAILURE_CLASSES,
  type ListedDelivery,
  REMEMBERED,
} from '../domain/webhooks/delivery.ts';
import type { ReplaySelection, Resend } from '../domain/webhooks/replay.ts';
import { AdministrationFailure, orNotFound } from './failures.ts';
import {
  answered,
  cursor,
  environment,
  eventId,
  id,
  idText,
  moment,
  momentMeant,
  nextCursor,
  ofPage,
  pageSize,
  previewed,
  total,
} from './fields.ts';
import { noun, PARTNER_CARE, READERS } from './operation.ts';
import { attemptBody } from './webhooks.ts';
import { toWire } from './wire.ts';

const { read, change } = noun('deliveries');

const delivery = {
  event_id: eventId(),
  unit_id: z.nullable(
    id<UnitId>(
      'The unit of the analysis, or of the key that was changed; null if a change concerns the whole partner.',
    ),
  ),
  environment: environment(),
  type: z.enum(BOOKED_TYPES),
  state: described(
    z.enum(DELIVERY_STATES),
    'pendente waits for its next attempt, suspensa until its webhook is enabled; the others are final.',
  ),
  attempts: described(z.int(), 'Attempts made.'),
  created_at: moment('When it was booked.'),
};
const rowFields = {
  partner_id: id<PartnerId>('The partner.'),
  discarded_at: z.nullable(
    moment('When somebody discarded the delivery after it was given up. The mark stays for good.'),
  ),
};

const listed = described(
  z.object({
    ...delivery,
    ...rowFields,
    cause: described(z.nullable(z.string()), 'Why its last attempt failed; null if it did not.'),
  }),
  { id: 'ListedDelivery' },
);

export const listDeliveries = read('list-deliveries', 'GET /v1/deliveries', {
  english: "a partner's deliveries, newest first",
  portuguese: 'Listar entregas',
  duties: READERS,
  permission: {
    table: ['GetItem', 'BatchGetItem'],
    reads: ['PARTNER', 'DELIVERY', 'DELIVERIES', 'EXHAUSTED'],
    writes: [],
    indexes: ['byList', 'byDue'],
  },
  query: z.strictObject({
    partner_id: described(
      z.optional(idText<PartnerId>('The partner.')),
      'The partner. Left out: the deliveries of all partners that were given up after their last attempt and neither sent again nor discarded, the latest first. In that case only environment narrows the list; left out, it is producao.',
    ),
    unit_id: z.optional(idText<UnitId>('Only of this unit.')),
    environment: z.optional(environment('Only of this environment.')),
    state: described(z.optional(z.enum(DELIVERY_STATES)), 'Only in this state.'),
    analysis_id: z.optional(idText<AnalysisId>('Only of this analysis; needs its unit_id.')),
    since: z.optional(momentMeant('Booked at this moment or later.')),
    until: z.optional(momentMeant('Booked before this moment.')),
    limit: pageSize(200, 50),
    cursor: z.optional(cursor()),
  }),
  answer: answered({ deliveries: described(z.array(listed), 'Newest first.'), next_cursor: nextCursor() }),
});

export const showDelivery = read('show-delivery', 'GET /v1/deliveries/{event_id}', {
  english: 'a delivery and its last 12 attempts',
  portuguese: 'Ver entrega',
  duties: READERS,
  permission: { table: ['GetItem'], reads: ['DELIVERY'], writes: [] },
  params: z.strictObject({ event_id: eventId() }),
  answer: answered({
    delivery: described(
      z.object({
        ...delivery,
        ...rowFields,
        analysis_id: z.nullable(id<AnalysisId>('The analysis of the event; null for conta.alterada.')),
        due_at: z.nullable(moment('When the next attempt is due.')),
        body: described(z.looseObject({}), 'The body that is sent, the same at each attempt. No personal data.'),
        history: described(
          z.array(
            z.object({
              number: z.int(),
              at: moment('When it was made.'),
              delivered: z.boolean(),
              status: z.nullable(z.int()),
              failure: z.nullable(z.enum(FAILURE_CLASSES)),
              milliseconds: z.number(),
              detail: z.nullable(z.string()),
            }),
          ),
          `The last ${REMEMBERED} attempts, oldest first.`,
        ),
      }),
      { id: 'Delivery' },
    ),
  }),
});

const replayed = z.object(delivery);
const REPLAYABLE = ['entregue', 'esgotada', 'suspensa', 'sem_destino'] as const satisfies readonly DeliveryState[];

const suspended = () =>
  described(
    z.boolean(),
    'Whether the webhook is disabled, so that the events are kept until it is enabled. A conta.alterada named by its event_id is never kept.',
  );

export const replayDeliveries = change('replay-deliveries', 'POST /v1/deliveries/replay', {
  english: 'send events again, with the same id and bytes; shows first what would be sent',
  portuguese: 'Reenviar entregas',
  duties: PARTNER_CARE,
  permission: {
    table: ['GetItem', 'BatchGetItem', 'ConditionCheckItem'],
    reads: ['PARTNER', 'DELIVERY', 'DELIVERIES'],
    writes: ['DELIVERY'],
    indexes: ['byList'],
    sendsDeliveries: true,
  },
  body: described(
    z.strictObject({
      event_id: described(z.optional(eventId()), 'Only this event, in any state, at most once a minute.'),
      partner_id: z.optional(
        id<PartnerId>(
          'The partner, together with environment and since, or with environment, unit_id and analysis_id.',
        ),
      ),
      unit_id: z.optional(id<UnitId>('Only of this unit.')),
      environment: z.optional(
        environment('The environment of the events. Needed with partner_id: each environment has its own webhook.'),
      ),
      analysis_id: z.optional(id<AnalysisId>('All events of this analysis; instead of state and since.')),
      state: described(z.optional(z.enum(REPLAYABLE)), 'Only in this state.'),
      since: z.optional(momentMeant('Booked at this moment or later.')),
      until: z.optional(momentMeant('Booked before this moment. Left out: the moment of the first page.')),
      cursor: z.optional(cursor()),
    }),
    'Which events, in one of three ways: an event; a partner and environment with since; a partner and environment with unit and analysis. Fields of two ways cannot be mixed. Pending events are left out, unless the event is named.',
  ),
  preview: previewed({
    partner_id: id<PartnerId>('The partner.'),
    suspended: suspended(),
    deliveries: described(z.array(replayed), 'What would be sent, oldest first.'),
    until: described(
      z.nullable(z.iso.datetime()),
      'Send it as until of the change, so that events booked after this preview are left out. Null for one event.',
    ),
    next_cursor: nextCursor(),
  }),
  answer: answered({
    partner_id: id<PartnerId>('The partner.'),
    suspended: suspended(),
    sent: ofPage('Events of this page that were sent again, with the same id and bytes.'),
    skipped: ofPage('Events of this page that are pending by now.'),
    total: total('Number of events on all pages'),
    next_cursor: nextCursor(),
  }),
});

export const DELIVERY_OPERATIONS = [listDeliveries, showDelivery, replayDeliveries] as const;

export const listedBody = (row: ListedDelivery) => toWire(replayed, row);
export const explainedBody = (row: ExplainedDelivery) => toWire(listed, row);

export function deliveryBody(row: Delivery) {
  const history = row.history.map(({ number, at, result }) => ({ number, at, ...attemptBody(result) }));
  const dueAt = row.state === 'pendente' ? row.dueAt : undefined;
  return toWire(showDelivery.answer.shape.delivery, { ...row, dueAt, body: JSON.parse(row.body), history });
}

/** Throws `refused` if the event was sent again less than a minute ago, and `not_found` if there is no such event. */
export function resentBody({ partnerId, eventId }: { partnerId: PartnerId; eventId: EventId }, resend: Resend) {
  if (resend.kind === 'too_soon')
    throw new AdministrationFailure('refused', {
      text: `Event ${eventId} was sent again at ${timestamp(resend.resentAt)}: wait a minute after that.`,
    });
  const { kind } = orNotFound(resend.kind === 'absent' ? undefined : resend, `event ${eventId}`);
  return { partner_id: partnerId, suspended: kind === 'suspended', sent: 1, skipped: 0, total: 1, next_cursor: null };
}

type Selection = Omit<z.output<typeof replayDeliveries.body>, 'cursor'>;

/** Throws `field_invalid` for fields that do not go with `by`: they would narrow nothing. */
function refuseOtherFields(by: keyof Selection, selection: Selection, names: readonly (keyof Selection)[]): void {
  const others = names.filter((name) => selection[name] !== undefined);
  if (others.length === 0) return;
  const reason = `does not go with ${by}: leave one of them out`;
  throw new AdministrationFailure('field_invalid', { fields: others.map((field) => ({ field, reason })) });
}

const missing = (field: string, reason: string) =>
  new AdministrationFailure('field_required', { fields: [{ field, reason }] });

/**
 * Throws `field_required` if a field is missing that narrows the selection, and `field_invalid` for a field that
 * narrows nothing.
 */
export function parseSelection(selection: Selection, until: Instant): ReplaySelection {
  const {
    event_id,
    partner_id: partnerId,
    unit_id: unitId,
    analysis_id: analysisId,
    environment,
    state,
    since,
  } = selection;
  if (event_id !== undefined) {
    refuseOtherFields('event_id', selection, [
      'partner_id',
      'unit_id',
      'environment',
      'analysis_id',
      'state',
      'since',
      'until',
    ]);
    return { eventId: event_id };
  }
  if (partnerId === undefined) throw missing('partner_id', 'is missing: name an event_id, or a partner_id with since');
  if (environment === undefined) throw missing('environment', 'is missing: each environment has its own webhook');
  const owner = { partnerId, environment };
  if (analysisId !== undefined) {
    if (unitId === undefined) throw missing('unit_id', 'is missing: an analysis is named with its unit');
    refuseOtherFields('analysis_id', selection, ['state', 'since']);
    return { owner, unitId, analysisId, until };
  }
  if (since === undefined) throw missing('since', 'is missing: say from when on');
  return { owner, filter: { unitId, since, until, states: state && [state] } };
}

export function selectionFacts(selection: Selection): AuditFacts {
  const { event_id: event, unit_id: unit, analysis_id: analysis, environment, state } = selection;
  const since = selection.since === undefined ? undefined : timestamp(selection.since);
  const until = selection.until === undefined ? undefined : timestamp(selection.until);
  const facts: Record<string, string | number> = {};
  for (const [name, value] of Object.entries({ event, unit, environment, analysis, state, since, until })) {
    if (value !== undefined) facts[name] = value;
  }
  return facts;
}
