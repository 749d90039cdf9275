import { AdministrationFailure } from '#shared/administration/failures.ts';
import { initServiceKeys } from '#shared/administration/service-keys.ts';
import { administrationChange } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationChange(initServiceKeys, wiring.noted, { keys: wiring.serviceKeys }).handler(
  async (_, { keys }) => {
    if (await keys.initialised())
      throw new AdministrationFailure('refused', {
        text: 'The service has its keys already: with other keys its rows could not be read.',
      });
    return {
      about: 'service',
      target: {},
      change: async () => {
        await keys.init();
        return { initialised: true as const };
      },
    };
  },
);
