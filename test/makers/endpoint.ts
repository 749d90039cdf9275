import { drawId, type PartnerId } from '../../shared/domain/ids.ts';
import { setWebhook } from '../../shared/table/partners.ts';
import { newWebhookSecret } from '../../shared/webhook/sign.ts';

/** A partner of whom the table knows only the webhook endpoint, set at `now` (milliseconds). */
export async function makeWebhookPartner(
  now: number,
  url = 'https://hooks.parceiro.com.br/eventos',
): Promise<PartnerId> {
  const partner = drawId<PartnerId>(Date.now());
  await setWebhook(partner, url, newWebhookSecret(), now);
  return partner;
}
