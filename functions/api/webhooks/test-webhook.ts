import { testEventOf } from '#shared/contract/event.ts';
import { testWebhook } from '#shared/contract/routes.ts';
import {
  noAddress,
  testedLately,
  webhookTested,
  webhookTestedBody,
  webhookTestInput,
} from '#shared/contract/webhook.ts';
import { seconds } from '#shared/domain/values/time.ts';
import { TEST_PAUSE } from '#shared/domain/webhooks/endpoint.ts';
import { endpoint } from '#shared/http/partner/endpoint.ts';
import { noFields } from '#shared/http/partner/fields.ts';
import { answer } from '#shared/http/partner/reply.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = endpoint(testWebhook, wiring.admission, {
  tests: wiring.webhookTests,
  sender: wiring.sender,
})
  .use(noFields(webhookTestInput))
  .handler(async ({ caller, notices }, { clock, tests, sender }) => {
    const now = clock();
    const begun = await tests.begin(caller, now);
    if (begun.kind === 'absent') throw noAddress();
    if (begun.kind === 'too_soon') throw testedLately(Math.ceil((begun.testedAt + TEST_PAUSE - now) / seconds(1)));
    const event = testEventOf(caller, now);
    const result = await sender.send(begun.endpoint, event, 1, now);
    const attempt = { number: 1, at: clock(), result };
    return answer(200, webhookTested, webhookTestedBody(event.eventId, attempt, begun.endpoint, notices));
  });
