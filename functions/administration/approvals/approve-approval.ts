import { approveApproval, decision } from '#shared/administration/approvals.ts';
import { administrationChange } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationChange(approveApproval, wiring.noted, {}).handler(
  (request, { clock, approvals }) => decision('approved', request, approvals, clock()),
);
