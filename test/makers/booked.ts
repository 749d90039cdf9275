import { type Analysis, CLOSE_LIMIT } from '#shared/domain/analyses/analysis.ts';
import { type AnalysisId, drawId, type PartnerId, type SubmissionId } from '#shared/domain/values/ids.ts';
import type { Environment } from '#shared/domain/values/tenancy.ts';
import type {
  Delivery,
  DeliveryFilter,
  DeliveryState,
  DueDelivery,
  ListedDelivery,
} from '#shared/domain/webhooks/delivery.ts';
import { eventIdOf } from '#shared/domain/webhooks/delivery.ts';
import type { EndpointOwner } from '#shared/domain/webhooks/endpoint.ts';
import { newWebhookSecret } from '#shared/domain/webhooks/secret.ts';
import { listAnalyses } from '#shared/table/analyses/analysis-list.ts';
import { putAnalysis } from '#shared/table/analyses/analysis-row.ts';
import { transact } from '#shared/table/rows/client.ts';
import { writeOutbox } from '#shared/table/rows/outbox.ts';
import { TableDeliveries } from '#shared/table/webhooks/deliveries.ts';
import { pageOfDeliveries } from '#shared/table/webhooks/replays.ts';
import { setWebhook } from '#shared/table/webhooks/webhook-endpoints.ts';
import { makeAnalysis } from './analysis.ts';
import { type AnalysisDelivery, failed, makeDelivery, success } from './delivery.ts';

let eventsMade = 0;

/**
 * Returns a delivery as the poller makes it, with a new event. Nothing is written. It belongs to an endpoint or, if only
 * the partner is given, to the partner's endpoint of production.
 */
export function newDelivery(to: PartnerId | EndpointOwner, overrides: Partial<Delivery> = {}): AnalysisDelivery {
  const analysisId = ++eventsMade as AnalysisId;
  const { partnerId, environment } =
    typeof to === 'object' ? to : ({ partnerId: to, environment: 'producao' } as const);
  const delivery = makeDelivery({ partnerId, environment, ...overrides, analysisId });
  const eventId = eventIdOf(delivery, analysisId, delivery.type, 1);
  return { ...delivery, eventId, body: delivery.body.replace(makeDelivery().eventId, eventId) };
}

/** Makes a delivery as `newDelivery` does, and books it in the table as the poller does. */
export async function bookDelivery(
  to: PartnerId | EndpointOwner,
  overrides: Partial<Delivery> = {},
): Promise<AnalysisDelivery> {
  const delivery = newDelivery(to, overrides);
  await bookDeliveries([delivery]);
  return delivery;
}

/** Books deliveries, up to 100 in one transaction. */
export async function bookDeliveries<Booked extends Delivery>(all: readonly Booked[]): Promise<Booked[]> {
  for (let from = 0; from < all.length; from += 100)
    await transact(all.slice(from, from + 100).map((delivery) => writeOutbox(delivery)));
  return [...all];
}

/** Returns the message that says a delivery's first attempt is due. */
export function firstMessage({ eventId, partnerId, dueAt }: Delivery): DueDelivery {
  return { eventId, partnerId, attempt: 1, dueAt };
}

/**
 * Claims the due attempt of a message at `now`. Returns the delivery. Throws an Error if the attempt cannot be claimed.
 */
export async function claimAttempt(message: DueDelivery, now: number): Promise<Delivery> {
  const claim = await new TableDeliveries(() => now).claim(message, now);
  if (claim.kind !== 'claimed') throw new Error(claim.kind);
  return claim.delivery;
}

/**
 * Brings a due delivery to a state at `now`: `entregue` and `esgotada` by an attempt, the other states without one.
 * Returns the delivery in its new state.
 */
export async function moveToState(
  state: Exclude<DeliveryState, 'pendente'>,
  booked: Delivery,
  now: number,
): Promise<Delivery> {
  const delivery = await claimAttempt({ ...firstMessage(booked), attempt: booked.attempts + 1 }, now);
  const result = { entregue: success, esgotada: failed, suspensa: undefined, sem_destino: undefined }[state];
  const deliveries = new TableDeliveries(() => now);
  const recorded = await deliveries.record(delivery, result, { state }, now);
  if (recorded !== 'written') throw new Error(recorded);
  return (await deliveries.get(booked.eventId))!;
}

/**
 * Makes a partner who has only one webhook endpoint in the table, set at `now`. By default it is that of production, as
 * `newDelivery` makes deliveries of production. Returns the owner of the endpoint.
 */
export async function makeWebhookPartner(
  now: number,
  { url = 'https://hooks.parceiro.com.br/', environment = 'producao' }: Partial<WebhookOptions> = {},
): Promise<EndpointOwner> {
  const owner = { partnerId: drawId<PartnerId>(Date.now()), environment };
  await setWebhook(owner, url, newWebhookSecret(), now);
  return owner;
}

interface WebhookOptions {
  readonly url: string;
  readonly environment: Environment;
}

/**
 * Yields all deliveries of a partner that have not expired, newest first. A page is read only when its deliveries are
 * needed.
 */
export async function* listDeliveries(
  partnerId: PartnerId,
  filter: DeliveryFilter = {},
  now = Date.now(),
): AsyncGenerator<ListedDelivery> {
  let after: string | undefined;
  do {
    const page = await pageOfDeliveries(partnerId, filter, 'newest', 100, after, now);
    yield* page.items;
    after = page.next;
  } while (after !== undefined);
}

let analysesBooked = 0;

/** Fields of an analysis that an engineer may end. */
export const CLOSABLE = { createdAt: Date.now() - CLOSE_LIMIT - 60_000, unanswerableSince: 1 };

/**
 * Books an analysis as its submission does, together with the list of its submission. Each analysis has a submission of
 * its own.
 */
export async function bookAnalysis(
  changes: Partial<Analysis> & Pick<Analysis, 'partnerId' | 'unitId'>,
): Promise<Analysis> {
  const createdAt = changes.createdAt ?? Date.now() - 60_000;
  const id = drawId<AnalysisId>(createdAt + ++analysesBooked);
  const submissionId = Number(id) as SubmissionId;
  const analysis = makeAnalysis({ id, submissionId, createdAt, queryNumber: `IT-${id}`, ...changes });
  if ((await transact([listAnalyses([analysis]), putAnalysis(analysis, createdAt)])) !== 'written')
    throw new Error('not booked');
  return analysis;
}
