import { showSealingKeys } from '../../../shared/administration/sealing.ts';
import { timestamp } from '../../../shared/domain/values/clock.ts';
import { administrationRead } from '../../../shared/http/administration-endpoint.ts';
import * as wiring from '../../../shared/wiring.ts';

export const handler = administrationRead(
  'show-sealing-keys',
  showSealingKeys,
  { clock: wiring.clock, keys: wiring.serviceKeys },
  async (_, { keys }) => {
    if (!(await keys.initialised())) return { initialised: false, current: null, versions: [], settled_at: null };
    const { current, versions, settledAt } = await keys.sealing();
    return { initialised: true, current, versions: [...versions], settled_at: timestamp(settledAt) };
  },
);
