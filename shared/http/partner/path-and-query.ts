import type { JsonObject } from '#shared/contract/fields.ts';
import { eventIdMalformed, pathIdMalformed } from '#shared/contract/request-failures.ts';
import type { PathId } from '#shared/contract/routes.ts';
import { Failure } from '#shared/domain/values/failure.ts';
import { type AnalysisId, type EventId, isEventId, type LeadId, parseId } from '#shared/domain/values/ids.ts';
import { addToLog } from '#shared/runtime/log.ts';
import type { Check } from '../checks.ts';
import { parseQuery } from '../query.ts';
import type { Call } from '../request.ts';

export interface PathIds {
  readonly none: undefined;
  readonly lead: LeadId;
  /** The id of a simulation, or of its opportunity. */
  readonly simulation: number;
  readonly analysis: AnalysisId;
  readonly event: EventId;
}

type Readers = { readonly [Kind in PathId]: (text: string) => PathIds[Kind] | Failure };

const READERS: Readers = {
  none: () => undefined,
  lead: (text) => parseId<LeadId>(text) ?? pathIdMalformed(),
  simulation: (text) => parseId(text) ?? pathIdMalformed(),
  analysis: (text) => parseId<AnalysisId>(text) ?? pathIdMalformed(),
  event: (text) => (isEventId(text) ? text : eventIdMalformed()),
};

export function pathIdOf<Kind extends PathId>({ event }: Call, kind: Kind): PathIds[Kind] | Failure {
  return READERS[kind](event.pathParameters?.['id'] ?? '');
}

export interface PathAndQuery<Kind extends PathId> {
  readonly id: PathIds[Kind];
  readonly query: Readonly<Record<string, string>>;
}

/** Throws 400 `campo_invalido` for a malformed id or a repeated parameter. Adds the call's ids to its log line. */
export function pathAndQuery<Kind extends PathId>(
  kind: Kind,
): Check<Call & { readonly body: JsonObject }, PathAndQuery<Kind>> {
  return {
    before(call) {
      const id = pathIdOf(call, kind);
      if (id instanceof Failure) throw id;
      addToLog(idsForTheLog(kind, id, call.body['lead_id']));
      return { id, query: parseQuery(call.event) };
    },
  };
}

/**
 * Our ids have had at least this many digits since October 2026. A shorter number may be a CPF or a telephone number,
 * which no log may hold.
 */
const SHORTEST_LOGGED = 100_000_000_000_000;

/** By these ids we can list everything that a leaked key reached. */
function idsForTheLog(kind: PathId, id: unknown, leadInBody: unknown): Readonly<Record<string, number>> {
  const ids: Record<string, number> = {};
  if (isLoggable(id)) ids[kind] = id;
  if (isLoggable(leadInBody)) ids['lead'] = leadInBody;
  return ids;
}

const isLoggable = (id: unknown): id is number =>
  typeof id === 'number' && Number.isSafeInteger(id) && id >= SHORTEST_LOGGED;
