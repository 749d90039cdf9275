import { describe, expect, test } from 'vitest';
import type { Agent, Caller, Partners } from '../../shared/domain/partners/ports.ts';
import type { UnitId } from '../../shared/domain/values/ids.ts';

/** A caller whose names the port knows. */
export interface NamedCaller {
  readonly partners: Partners;
  readonly caller: Caller;
  /** Sets how the caller's unit is presented; an empty text removes one. */
  readonly present: (texts: { readonly [field in keyof Agent]?: string }) => Promise<unknown>;
  readonly names: { readonly partner: string; readonly unit: string };
  /** Of the caller's key: its beginning, when it was made (milliseconds since 1970), and whom it names. */
  readonly prefix: string;
  readonly createdAt: number;
  readonly consultant: { readonly id: number; readonly name: string } | undefined;
}

/** What every adapter of Partners keeps to; `make` gives a caller whose key names this consultant. */
export function describePartners(make: (consultant: NamedCaller['consultant']) => Promise<NamedCaller>): void {
  describe('who presents a unit to its clients', () => {
    test('is the unit itself, by its name, from the start', async () => {
      const { partners, caller, names } = await make(undefined);
      expect(await partners.agent(caller.unitId)).toEqual({ name: names.unit });
    });

    test('is what was last set, without what was removed', async () => {
      const { partners, caller, names, present } = await make(undefined);
      await present({ creci: '12.345-J SP', contact: '(11) 3456-7890' });
      expect(await partners.agent(caller.unitId)).toEqual({
        name: names.unit,
        creci: '12.345-J SP',
        contact: '(11) 3456-7890',
      });
      await present({ name: 'Unidade Centro', contact: '' });
      expect(await partners.agent(caller.unitId)).toEqual({ name: 'Unidade Centro', creci: '12.345-J SP' });
      expect((await partners.labels(caller)).unitName).toBe('Unidade Centro');
    });

    test('is nobody where the unit is not known', async () => {
      const { partners, caller } = await make(undefined);
      expect(await partners.agent((caller.unitId + 999) as UnitId)).toBeUndefined();
    });
  });

  describe('the labels of a caller', () => {
    test.each([undefined, { id: 7, name: 'Consultora de Teste' }])('are of its own key: consultant %j', async (of) => {
      const [made, other] = [await make(of), await make({ id: 8, name: 'Outro' })];
      expect(await made.partners.labels(made.caller)).toEqual({
        partnerName: made.names.partner,
        unitName: made.names.unit,
        stepsMade: {},
        consultant: of,
        keyPrefix: made.prefix,
        keyCreatedAt: made.createdAt,
      });
      expect((await other.partners.labels(other.caller)).consultant).toEqual({ id: 8, name: 'Outro' });
    });
  });
}
