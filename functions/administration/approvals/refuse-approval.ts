import { decision, refuseApproval } from '#shared/administration/approvals.ts';
import { administrationChange } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationChange(refuseApproval, wiring.noted, {}).handler((request, { clock, approvals }) =>
  decision('refused', request, approvals, clock()),
);
