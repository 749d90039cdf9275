import { AdministrationFailure } from '#shared/administration/failures.ts';
import { changeServiceKeys, heldBody } from '#shared/administration/service-keys.ts';
import { administrationChange } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationChange(changeServiceKeys, wiring.noted, { keys: wiring.serviceKeys }).handler(
  async ({ body: { current: replaced } }, { clock, keys }) => {
    const before = await keys.held();
    if (before.current !== replaced)
      throw new AdministrationFailure('changed_meanwhile', { text: `The current key is version ${before.current}.` });
    return {
      about: 'service',
      target: { replaced },
      change: async () => {
        const changed = await keys.change(replaced, clock());
        return { ...heldBody(changed), index_changed: changed.indexChanged };
      },
      result: ({ current, index_changed }) => ({ version: current, index_changed }),
    };
  },
);
