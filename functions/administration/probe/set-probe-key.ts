import { setProbeKey } from '../../../shared/administration/probe.ts';
import { administrationChange } from '../../../shared/http/administration-endpoint.ts';
import * as wiring from '../../../shared/wiring.ts';

export const handler = administrationChange(
  'set-probe-key',
  setProbeKey,
  { clock: wiring.clock, audit: wiring.auditTrail, writeKey: wiring.probeKeyWriter },
  async ({ body: { key } }, { writeKey }) => ({
    about: 'service',
    target: {},
    change: async () => {
      await writeKey(key);
      return { written: true as const };
    },
  }),
);
