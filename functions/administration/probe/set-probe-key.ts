import { setProbeKey } from '#shared/administration/operator.ts';
import { administrationChange } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationChange(setProbeKey, wiring.noted, { writeKey: wiring.probeKeyWriter }).handler(
  async ({ body: { key } }, { writeKey }) => ({
    about: 'service',
    target: {},
    change: async () => {
      await writeKey(key);
      return { written: true as const };
    },
  }),
);
