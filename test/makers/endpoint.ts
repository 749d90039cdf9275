import { drawId, type PartnerId } from '../../shared/domain/values/ids.ts';
import { setWebhook } from '../../shared/table/webhook-endpoints.ts';
import { newWebhookSecret } from '../../shared/webhook/sign.ts';

/** A partner of whom the table knows only the webhook endpoint, set at `now` (milliseconds). */
export async function makeWebhookPartner(
  now: number,
  url = 'https://hooks.parceiro.com.br/eventos',
): Promise<PartnerId> {
  const partnerId = drawId<PartnerId>(Date.now());
  await setWebhook(partnerId, url, newWebhookSecret(), now);
  return partnerId;
}
