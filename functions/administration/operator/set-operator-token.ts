import { setOperatorToken } from '#shared/administration/operator.ts';
import { administrationChange } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationChange(setOperatorToken, wiring.noted, {
  operator: wiring.operatorAccess,
}).handler(async ({ body: { token } }, { operator }) => ({
  about: 'service',
  target: {},
  change: async () => {
    await operator.putToken(token);
    return { written: true as const };
  },
}));
