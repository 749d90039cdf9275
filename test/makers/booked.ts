import { type Analysis, CLOSE_LIMIT } from '#shared/domain/analyses/analysis.ts';
import { type AnalysisId, drawId, type PartnerId, type SubmissionId } from '#shared/domain/values/ids.ts';
import type {
  Delivery,
  DeliveryFilter,
  DeliveryState,
  DueDelivery,
  ListedDelivery,
} from '#shared/domain/webhooks/delivery.ts';
import { eventIdOf } from '#shared/domain/webhooks/delivery.ts';
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

let analyses = 0;

/** A delivery like those of the poller, with an event of its own; nothing is written. */
export function newDelivery(partnerId: PartnerId, overrides: Partial<Delivery> = {}): AnalysisDelivery {
  const analysisId = ++analyses as AnalysisId;
  const delivery = makeDelivery({ partnerId, ...overrides, analysisId });
  const eventId = eventIdOf(delivery, analysisId, delivery.type, 1);
  return { ...delivery, eventId, body: delivery.body.replace(makeDelivery().eventId, eventId) };
}

/** The same, booked in the table as the poller does. */
export async function bookOne(partnerId: PartnerId, overrides: Partial<Delivery> = {}): Promise<AnalysisDelivery> {
  const delivery = newDelivery(partnerId, overrides);
  await bookMany([delivery]);
  return delivery;
}

/** Books many, as many in a transaction as it takes. */
export async function bookMany<Booked extends Delivery>(all: readonly Booked[]): Promise<Booked[]> {
  for (let from = 0; from < all.length; from += 100)
    await transact(all.slice(from, from + 100).map((one) => writeOutbox(one)));
  return [...all];
}

/** The message that says a delivery's first attempt is due. */
export function firstMessage({ eventId, partnerId, dueAt }: Delivery): DueDelivery {
  return { eventId, partnerId, attempt: 1, dueAt };
}

/** The delivery of a message whose attempt is due, claimed at `now` (milliseconds). Throws where it is not to be had. */
export async function claimed(message: DueDelivery, now: number): Promise<Delivery> {
  const claim = await new TableDeliveries(() => now).claim(message, now);
  if (claim.kind !== 'claimed') throw new Error(claim.kind);
  return claim.delivery;
}

/** Brings a delivery that is due to a state at `now`: by an attempt, or by none where none is made. Gives it as it is then. */
export async function bringTo(
  state: Exclude<DeliveryState, 'pendente'>,
  booked: Delivery,
  now: number,
): Promise<Delivery> {
  const delivery = await claimed({ ...firstMessage(booked), attempt: booked.attempts + 1 }, now);
  const result = { entregue: success, esgotada: failed, suspensa: undefined, sem_destino: undefined }[state];
  const deliveries = new TableDeliveries(() => now);
  const recorded = await deliveries.record(delivery, result, { state }, now);
  if (recorded !== 'written') throw new Error(recorded);
  return (await deliveries.get(booked.eventId))!;
}

/** A partner of whom the table knows only the webhook endpoint, set at `now` (milliseconds). */
export async function makeWebhookPartner(now: number, url = 'https://hooks.parceiro.com.br/'): Promise<PartnerId> {
  const partnerId = drawId<PartnerId>(Date.now());
  await setWebhook(partnerId, url, newWebhookSecret(), now);
  return partnerId;
}

/** All deliveries of a partner, newest first, read as far as they are taken; those of which the time has run out are left out. */
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

let drawn = 0;

/** An analysis that a person may end. */
export const CLOSABLE = { createdAt: Date.now() - CLOSE_LIMIT - 60_000, unanswerableSince: 1 };

/** An analysis as its submission has booked it, with its list; each has a submission of its own. */
export async function bookAnalysis(
  changes: Partial<Analysis> & Pick<Analysis, 'partnerId' | 'unitId'>,
): Promise<Analysis> {
  const createdAt = changes.createdAt ?? Date.now() - 60_000;
  const id = drawId<AnalysisId>(createdAt + ++drawn);
  const submissionId = Number(id) as SubmissionId;
  const analysis = makeAnalysis({ id, submissionId, createdAt, queryNumber: `IT-${id}`, ...changes });
  if ((await transact([listAnalyses([analysis]), putAnalysis(analysis)])) !== 'written') throw new Error('not booked');
  return analysis;
}
