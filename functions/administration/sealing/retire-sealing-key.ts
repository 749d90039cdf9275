import { AdministrationFailure } from '#shared/administration/failures.ts';
import { retireSealingKey } from '#shared/administration/sealing.ts';
import { retirementRefusal } from '#shared/domain/sealing/rotation.ts';
import { timestamp } from '#shared/domain/values/clock.ts';
import { goesOnFrom, keptCursor } from '#shared/http/administration/cursor.ts';
import { administrationChange } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationChange(retireSealingKey, wiring.noted, {
  keys: wiring.serviceKeys,
  sealed: wiring.sealedTable,
}).handler(async ({ body: { version, cursor }, inTime }, { clock, keys, sealed }) => {
  const goesOn = goesOnFrom(cursor);
  const state = await keys.sealing();
  const refusal = retirementRefusal(version, state, clock());
  if (refusal !== undefined) throw new AdministrationFailure('refused', { text: refusal });
  return {
    about: 'service',
    target: { version },
    change: async () => {
      const { seen, keptUntil } = await sealed.retire(version, state, { now: clock(), goesOn }, inTime);
      const retired = keptUntil !== undefined;
      const kept_until = retired ? timestamp(keptUntil) : null;
      return { version, retired, kept_until, seen, total: await sealed.rows(), next_cursor: keptCursor(retired) };
    },
    result: ({ seen, retired }) => ({ seen, retired }),
  };
});
