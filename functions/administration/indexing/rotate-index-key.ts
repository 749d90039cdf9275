import { AdministrationFailure } from '#shared/administration/failures.ts';
import { indexBody, rotateIndexKey } from '#shared/administration/indexing.ts';
import { administrationChange } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationChange(rotateIndexKey, wiring.noted, { keys: wiring.serviceKeys }).handler(
  async ({ body: { name } }, { clock, keys }) => {
    const { name: current, next } = await keys.indexing();
    if (next)
      throw new AdministrationFailure('refused', {
        text: 'Two index keys are held already: run keys reindex, then keys retire-index.',
      });
    if (current !== name)
      throw new AdministrationFailure('changed_meanwhile', { text: `The index key is now ${current}.` });
    return {
      about: 'service',
      target: { replaced: name },
      change: async () => ({ index: indexBody(await keys.rotateIndex(name, clock())) }),
      result: ({ index }) => ({ name: index.next?.name ?? '' }),
    };
  },
);
