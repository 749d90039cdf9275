import {
  resetInProduction,
  resetInput,
  resetLately,
  sandboxReset,
  sandboxResetBody,
} from '#shared/contract/account.ts';
import { resetSandbox } from '#shared/contract/routes.ts';
import { type Caller, RESET_PAUSE } from '#shared/domain/partners/ports.ts';
import { seconds } from '#shared/domain/values/time.ts';
import type { Check } from '#shared/http/checks.ts';
import { endpoint } from '#shared/http/partner/endpoint.ts';
import { noFields } from '#shared/http/partner/fields.ts';
import { answer } from '#shared/http/partner/reply.ts';
import * as wiring from '#shared/wiring.ts';

const onlyInSandbox: Check<{ readonly caller: Caller }, object> = {
  before({ caller }) {
    if (caller.environment !== 'sandbox') throw resetInProduction();
    return {};
  },
};

export const handler = endpoint(resetSandbox, wiring.admission, { sandbox: wiring.sandboxReset })
  .use(onlyInSandbox)
  .use(noFields(resetInput))
  .handler(async ({ caller, notices }, { clock, sandbox }) => {
    const now = clock();
    const outcome = await sandbox.reset(caller, now);
    if (outcome.kind === 'too_soon') throw resetLately(Math.ceil((outcome.resetAt + RESET_PAUSE - now) / seconds(1)));
    return answer(200, sandboxReset, sandboxResetBody(outcome, notices));
  });
