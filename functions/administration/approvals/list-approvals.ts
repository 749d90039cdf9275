import { approvalBody, listApprovals } from '#shared/administration/approvals.ts';
import { administrationRead } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationRead(listApprovals, { clock: wiring.clock, approvals: wiring.approvals }).handler(
  async (_, { clock, approvals }) => ({ approvals: (await approvals.list(clock())).map(approvalBody) }),
);
