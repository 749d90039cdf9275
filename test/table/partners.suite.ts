import { describe, expect, test } from 'vitest';
import type { Caller, Partners } from '../../shared/domain/partners/ports.ts';

/** A caller whose names the port knows. */
export interface NamedCaller {
  readonly partners: Partners;
  readonly caller: Caller;
  readonly names: { readonly partner: string; readonly unit: string };
  /** Of the caller's key: its beginning, when it was made (milliseconds since 1970), and whom it names. */
  readonly prefix: string;
  readonly createdAt: number;
  readonly consultant: { readonly id: number; readonly name: string } | undefined;
}

/** What every adapter of Partners keeps to; `make` gives a caller whose key names this consultant. */
export function describePartners(make: (consultant: NamedCaller['consultant']) => Promise<NamedCaller>): void {
  describe('the labels of a caller', () => {
    test.each([undefined, { id: 7, name: 'Consultora de Teste' }])('are of its own key: consultant %j', async (of) => {
      const [made, other] = [await make(of), await make({ id: 8, name: 'Outro' })];
      expect(await made.partners.labels(made.caller)).toEqual({
        partnerName: made.names.partner,
        unitName: made.names.unit,
        consultant: of,
        keyPrefix: made.prefix,
        keyCreatedAt: made.createdAt,
      });
      expect((await other.partners.labels(other.caller)).consultant).toEqual({ id: 8, name: 'Outro' });
    });
  });
}
