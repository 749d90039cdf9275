import {
  resetInProduction,
  resetInput,
  resetLately,
  sandboxReset,
  sandboxResetBody,
} from '#shared/contract/account.ts';
import { resetSandbox } from '#shared/contract/routes.ts';
import { RESET_PAUSE } from '#shared/domain/partners/ports.ts';
import { answer, endpoint, noticeUnknown } from '#shared/http/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = endpoint(
  resetSandbox,
  { auth: wiring.apiKeyAuth, refusals: wiring.refusedCalls, clock: wiring.clock, sandbox: wiring.sandboxReset },
  async (request, { clock, sandbox }) => {
    if (request.caller.environment !== 'sandbox') throw resetInProduction();
    const unknown = noticeUnknown(request, resetInput);
    const now = clock();
    const made = await sandbox.reset(request.caller, now);
    if (made.kind === 'too_soon') throw resetLately(Math.ceil((made.resetAt + RESET_PAUSE - now) / 1000));
    return answer(200, sandboxReset, sandboxResetBody(made, unknown));
  },
);
