import { showOperator } from '#shared/administration/operator.ts';
import { administrationRead } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationRead(showOperator, { operator: wiring.operatorAccess }).handler(
  async (_, { operator }) => ({ url: operator.url, token_set: await operator.hasToken() }),
);
