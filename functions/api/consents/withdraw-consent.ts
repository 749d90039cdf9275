import {
  parseWithdrawal,
  withdrawalInput,
  withdrawalRecorded,
  withdrawalRecordedBody,
} from '#shared/contract/consent-withdrawal.ts';
import { withdrawConsent } from '#shared/contract/routes.ts';
import type { RecordedWithdrawal } from '#shared/domain/analyses/ports.ts';
import { Failure } from '#shared/domain/values/failure.ts';
import { endpoint } from '#shared/http/partner/endpoint.ts';
import { fields } from '#shared/http/partner/fields.ts';
import { onceIfKeyed } from '#shared/http/partner/once.ts';
import { answer } from '#shared/http/partner/reply.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = endpoint(withdrawConsent, wiring.admission, { withdrawals: wiring.consentWithdrawals })
  .use(fields(withdrawalInput, ({ body }, { clock }) => parseWithdrawal(body, clock())))
  .handler(async (call, { clock, withdrawals }) => {
    const { caller, id, input } = call;
    const notices = [input.notices, call.notices].flat();
    const draft = { ...input.draft, keyId: caller.keyId };
    const answerFor = (recorded: RecordedWithdrawal) =>
      answer(recorded.isNew ? 201 : 200, withdrawalRecorded, withdrawalRecordedBody(recorded, notices));
    return onceIfKeyed(call, clock, { leadId: id, fields: input.fields }, async (claim) => {
      const result = await withdrawals.record(caller, id, draft, claim && { claim, answerFor });
      if (!result) throw new Failure('nao_encontrado');
      return 'done' in result ? { done: answerFor(result.done) } : result;
    });
  });
