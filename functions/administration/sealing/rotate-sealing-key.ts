import { AdministrationFailure } from '#shared/administration/failures.ts';
import { rotateSealingKey } from '#shared/administration/sealing.ts';
import { timestamp } from '#shared/domain/values/clock.ts';
import { administrationChange } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationChange(rotateSealingKey, wiring.noted, { keys: wiring.serviceKeys }).handler(
  async ({ body: { current: replaced } }, { keys }) => {
    const { current } = await keys.sealing();
    if (current !== replaced)
      throw new AdministrationFailure('changed_meanwhile', { text: `The current key is version ${current}.` });
    return {
      about: 'service',
      target: { replaced },
      change: async () => {
        const version = await keys.rotate(replaced);
        const { settledAt } = await keys.sealing();
        return { current: version, replaced, settled_at: timestamp(settledAt) };
      },
      result: (answer) => ({ version: answer.current }),
    };
  },
);
