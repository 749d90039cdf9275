import { approvalBody, listApprovals } from '#shared/administration/approvals.ts';
import { administrationRead } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationRead(listApprovals, { clock: wiring.clock, approvals: wiring.approvals }).handler(
  async ({ caller }, { clock, approvals }) => {
    const requests = await approvals.list(clock());
    return { approvals: requests.map((request) => approvalBody(request, caller)) };
  },
);
