import { deliveryResent, deliveryResentBody, resendInput, resentLately } from '#shared/contract/delivery.ts';
import { resendDelivery } from '#shared/contract/routes.ts';
import { Failure } from '#shared/domain/values/failure.ts';
import { seconds } from '#shared/domain/values/time.ts';
import { RESEND_PAUSE, resend } from '#shared/domain/webhooks/replay.ts';
import { endpoint } from '#shared/http/partner/endpoint.ts';
import { noFields } from '#shared/http/partner/fields.ts';
import { answer } from '#shared/http/partner/reply.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = endpoint(resendDelivery, wiring.admission, {
  deliveries: wiring.unitDeliveries,
  notifier: wiring.deliveryNotifier,
})
  .use(noFields(resendInput))
  .handler(async ({ caller, id, notices }, { clock, deliveries, notifier }) => {
    const now = clock();
    const resent = await resend({ deliveries, notifier }, caller, id, now);
    if (resent.kind === 'absent') throw new Failure('nao_encontrado');
    if (resent.kind === 'too_soon') throw resentLately(Math.ceil((resent.resentAt + RESEND_PAUSE - now) / seconds(1)));
    const endpointState = resent.kind === 'suspended' ? 'disabled' : resent.endpoint ? 'enabled' : 'unset';
    return answer(202, deliveryResent, deliveryResentBody(resent.delivery, endpointState, notices));
  });
