import { AdministrationFailure } from '#shared/administration/failures.ts';
import { indexedBody, retireServiceKeys } from '#shared/administration/service-keys.ts';
import { retirementRefusal } from '#shared/domain/sealing/rotation.ts';
import { timestamp } from '#shared/domain/values/clock.ts';
import { goesOnFrom, keptCursor } from '#shared/http/administration/cursor.ts';
import { administrationChange } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationChange(retireServiceKeys, wiring.noted, {
  keys: wiring.serviceKeys,
  table: wiring.keyedTable,
}).handler(async ({ body: { current, cursor }, inTime }, { clock, keys, table }) => {
  const goesOn = goesOnFrom(cursor);
  const held = await keys.held();
  if (held.current !== current)
    throw new AdministrationFailure('changed_meanwhile', { text: `The current key is version ${held.current}.` });
  const refusal = retirementRefusal(held, clock());
  if (refusal !== undefined) throw new AdministrationFailure('refused', { text: refusal });
  return {
    about: 'service',
    target: { version: current },
    change: async () => {
      const { versions, names, keptUntil, seen, sealed, indexed, done } = await table.retire(
        held,
        { now: clock(), goesOn },
        inTime,
      );
      return {
        retired: [...versions],
        retired_index: [...names],
        kept_until: keptUntil === undefined ? null : timestamp(keptUntil),
        sealed: [...sealed],
        indexed: indexedBody(indexed),
        seen,
        total: await table.rows(),
        next_cursor: keptCursor(done),
      };
    },
    result: ({ seen, retired, retired_index }) => ({
      seen,
      retired: retired.join(', '),
      retired_index: retired_index.join(', '),
    }),
  };
});
