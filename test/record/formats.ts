import { isDeepStrictEqual } from 'node:util';
import {
  type AnalysisId,
  type EventId,
  type OpportunityId,
  opportunityOf,
  simulationIdOf,
  type UnitId,
} from '#shared/domain/values/ids.ts';
import { ENVIRONMENTS, type Environment, type Tenancy } from '#shared/domain/values/tenancy.ts';
import { EVENT_TYPES, eventIdOf } from '#shared/domain/webhooks/delivery.ts';
import { operatorReference, readOutcomes } from '#shared/operator/operator-api.ts';
import { readMessage } from '#shared/queue/deliveries.ts';
import { parseServiceKeys, retiredKeysFormat } from '#shared/table/rows/encryption.ts';
import { sign } from '#shared/webhook/sign.ts';

const KEY = Buffer.alloc(32, 7).toString('base64');
const NEXT_KEY = Buffer.alloc(32, 9).toString('base64');
const SECRET = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=';
const PREVIOUS_SECRET = 'whsec_ZmVkY2JhOTg3NjU0MzIxMGZlZGNiYTk4NzY1NDMyMTA=';
const TENANCY: Tenancy = { unitId: 1_234_567 as UnitId, environment: 'producao' };
const ANALYSIS = 7_654_321 as AnalysisId;
const EVENT = 'evt_0123456789' as EventId;

/**
 * Texts that one release writes and another reads, or that both must compute alike. Each entry has the text and what
 * this release makes of it.
 */
const FORMATS: Readonly<Record<string, { readonly given: unknown; readonly made: (given: never) => unknown }>> = {
  'message of a delivery': {
    given: JSON.stringify({ eventId: EVENT, partnerId: 42, attempt: 3, dueAt: 1_795_435_200_000 }),
    made: readMessage,
  },
  // Another id would tell the partner of the same outcome twice.
  'ids of the events of an analysis': {
    given: EVENT_TYPES.flatMap((type) => [1, 2].map((sequence) => ({ type, sequence }))),
    made: (given: readonly { type: (typeof EVENT_TYPES)[number]; sequence: number }[]) =>
      given.map(({ type, sequence }) => eventIdOf(TENANCY, ANALYSIS, type, sequence)),
  },
  // Another reference would be another credit query.
  'references of an analysis at the operator': {
    given: ENVIRONMENTS,
    made: (given: readonly Environment[]) =>
      given.map((environment) => operatorReference({ ...TENANCY, environment }, ANALYSIS)),
  },
  'outcomes that the operator reports': {
    given: [{ reference: 'producao-1234567-7654321', bank: 'itau', queryNumber: 'IT-1', status: 'Aprovado' }],
    made: readOutcomes,
  },
  // Partners keep the ids of simulations, and each contains the id of its opportunity.
  'ids of the simulations of an opportunity': {
    given: [64, 128, 192, 8_256],
    made: (given: readonly OpportunityId[]) => {
      const ids = given.flatMap((id) => [1, 2].map((answer) => simulationIdOf(id, 3, answer as 1 | 2)));
      return { ids, opportunities: ids.map(opportunityOf) };
    },
  },
  'headers of an event while a secret is rotated': {
    given: { secret: SECRET, previousSecret: PREVIOUS_SECRET, previousUntil: 1_795_435_260_000, body: '{"id":"evt"}' },
    made: ({ body, ...secrets }: Parameters<typeof sign>[0] & { body: string }) =>
      sign(
        secrets,
        { eventId: EVENT, type: 'analise.resultado', body: Buffer.from(body), attempt: 2 },
        1_795_435_200_000,
      ),
  },
  'keys of the service with two index keys': {
    given: JSON.stringify({
      sealing: { current: 2, keys: { 1: KEY, 2: NEXT_KEY } },
      index: [
        { key: KEY, from: 0 },
        { key: NEXT_KEY, from: 1_795_435_200_000 },
      ],
    }),
    made: (given: string) => {
      const { current, sealing, index } = parseServiceKeys(given);
      return { current, versions: Array.from(sealing.keys()), index: index.map(({ name, from }) => ({ name, from })) };
    },
  },
  'retired sealing keys': {
    given: { 1: { key: KEY, until: 1_795_435_200_000 } },
    made: (given: unknown) => retiredKeysFormat.parse(given),
  },
};

/** A text of a release, and what the release made of it. */
export type RecordedFormats = Readonly<Record<string, { readonly given: unknown; readonly made: unknown }>>;

/** Returns the texts of this release, each with what it makes of the text. */
export const recordFormats = (): RecordedFormats =>
  Object.fromEntries(
    Object.entries(FORMATS).map(([name, { given, made }]) => [name, { given, made: made(given as never) }]),
  );

/** Returns a sentence for each recorded text of which today's code makes something else. */
export function lossesInFormats(recorded: RecordedFormats): string[] {
  return Object.entries(recorded).flatMap(([name, { given, made: before }]) => {
    const format = FORMATS[name];
    if (format === undefined) return [`${name}: nothing reads it any more`];
    const now = resultOf(() => format.made(given as never));
    if (isDeepStrictEqual(JSON.parse(JSON.stringify(now)), before)) return [];
    return [`${name}: was ${JSON.stringify(before)}, and is now ${JSON.stringify(now)}`];
  });
}

function resultOf(make: () => unknown): unknown {
  try {
    return make();
  } catch (error) {
    return `refused: ${String(error)}`;
  }
}
