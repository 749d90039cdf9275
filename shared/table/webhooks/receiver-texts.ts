import { Failure } from '#shared/domain/values/failure.ts';
import type { AnalysisId } from '#shared/domain/values/ids.ts';
import type { Tenancy } from '#shared/domain/values/tenancy.ts';
import type { Instant } from '#shared/domain/values/time.ts';
import { type Delivery, isWithoutTexts, withoutTexts } from '#shared/domain/webhooks/delivery.ts';
import { type Item, updateRecognised } from '../rows/client.ts';
import { deliveryKey } from '../rows/keys.ts';
import { readDelivery } from '../rows/outbox.ts';
import { deliveriesOfAnalysis } from './replays.ts';

/** A try fails if an attempt is recorded meanwhile. */
const TRIES = 5;

/**
 * Each delivery gets a mark, so that later attempts store no text. Throws `servico_indisponivel` if attempts are
 * recorded faster than texts are deleted: the sweeper repeats the pass.
 */
export async function deleteReceiverTexts(tenancy: Tenancy, analysisId: AnalysisId, now: Instant): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    const deliveries = await deliveriesOfAnalysis(tenancy, analysisId, now);
    const deleted = await Promise.all(deliveries.map((delivery) => deleteTextsOf(delivery, now)));
    if (deleted.every(Boolean)) return;
  }
  throw new Failure('servico_indisponivel');
}

/** Returns false, and changes nothing, if an attempt was recorded since the delivery was read. */
async function deleteTextsOf(delivery: Delivery, now: Instant): Promise<boolean> {
  if (isWithoutTexts(delivery)) return true;
  const { eventId, history } = delivery;
  const update = {
    Key: deliveryKey(eventId),
    UpdateExpression: 'SET history = :emptied, textsDeletedAt = if_not_exists(textsDeletedAt, :now)',
    ConditionExpression: 'history = :seen',
    ExpressionAttributeValues: { ':emptied': withoutTexts(history), ':now': now, ':seen': history },
  };
  // The update leaves the workers' mark of their last write in the row.
  const isOwn = (row: Item) => row['pk'] !== undefined && isWithoutTexts(readDelivery(row));
  return 'written' in (await updateRecognised(update, isOwn));
}
