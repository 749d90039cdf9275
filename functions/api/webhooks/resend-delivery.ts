import { deliveryResent, deliveryResentBody, resendInput, resentLately } from '#shared/contract/delivery.ts';
import { resendDelivery } from '#shared/contract/routes.ts';
import { Failure } from '#shared/domain/values/failure.ts';
import { RESEND_PAUSE, resend } from '#shared/domain/webhooks/replay.ts';
import { answer, endpoint, noticeUnknown } from '#shared/http/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = endpoint(
  resendDelivery,
  {
    auth: wiring.apiKeyAuth,
    refusals: wiring.refusedCalls,
    clock: wiring.clock,
    deliveries: wiring.unitDeliveries,
    queue: wiring.deliveryQueue,
  },
  async (request, { clock, deliveries, queue }) => {
    const { caller, eventId } = request;
    const unknown = noticeUnknown(request, resendInput);
    const now = clock();
    const publish = wiring.publishDue.bind(undefined, queue);
    const made = await resend({ deliveries, publish }, caller, eventId, now);
    if (made.kind === 'absent') throw new Failure('nao_encontrado');
    if (made.kind === 'too_soon') throw resentLately(Math.ceil((made.resentAt + RESEND_PAUSE - now) / 1000));
    const endpointState = made.kind === 'kept' ? 'disabled' : made.endpoint ? 'enabled' : 'unset';
    return answer(202, deliveryResent, deliveryResentBody(made.delivery, endpointState, unknown));
  },
);
