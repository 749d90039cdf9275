import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiKeyHash, parseApiKey } from '../../shared/domain/partners/api-key.ts';
import type { UnitId } from '../../shared/domain/values/ids.ts';
import type { Environment } from '../../shared/domain/values/tenancy.ts';
import { authKey } from '../../shared/table/keys.ts';
import { api } from '../makers/api.ts';
import { makePartner, usePeers } from '../makers/peers.ts';
import { cpfFrom, leadBody } from '../makers/people.ts';
import { setFields } from '../makers/rows.ts';
import { holdClock, passTime, releaseClock } from '../makers/test-clock.ts';

usePeers();
beforeAll(holdClock);
afterAll(releaseClock);

describe('keys that are revoked, restored and moved between units from one call to the next', () => {
  interface Key {
    readonly text: string;
    readonly partner: number;
    readonly environment: Environment;
    /** Index of its unit among the partner's; undefined while it is revoked. */
    unit: number | undefined;
  }
  /** Who owns a lead: partner, unit and environment. */
  const placeOf = (partner: number, unit: number, environment: Environment) => `${partner} ${unit} ${environment}`;
  const keys: Key[] = [];
  const units: UnitId[][] = [];
  const owned: { readonly place: string; readonly lead: number; readonly name: string }[] = [];

  beforeAll(async () => {
    for (const at of [0, 1]) {
      const partner = await makePartner();
      units.push([partner.unitId, await partner.addUnit()]);
      for (const environment of ['sandbox', 'producao'] as const) {
        for (const [unit, unitId] of units[at]!.entries()) {
          const text = await partner.addKey({ unitId, environment });
          const name = `Pessoa de ${['Recife', 'Olinda', 'Natal', 'Belo Horizonte'][owned.length % 4]}`;
          const body = leadBody({ nome: name, cpf: cpfFrom(owned.length + 1) });
          const { lead_id } = (await api('createLead', { key: text, body })).body;
          keys.push({ text, partner: at, environment, unit });
          owned.push({ place: placeOf(at, unit, environment), lead: Number(lead_id), name });
        }
      }
    }
  });

  async function change(key: Key, unit: number | undefined): Promise<void> {
    // A container remembers for a minute that it has refused a key; no key but one of a test opens anything again.
    if (key.unit === undefined) passTime(61_000);
    key.unit = unit;
    const { partnerId, keyId } = parseApiKey(key.text)!;
    const h = unit === undefined ? new Uint8Array(32) : apiKeyHash(key.text);
    // What the auth item says of a key, as the manager's commands change it from one call to the next.
    await setFields(authKey(partnerId), { [`k.${keyId}.h`]: h, [`k.${keyId}.u`]: units[key.partner]![unit ?? 0]! });
  }

  async function call(key: Key, { place, lead, name }: (typeof owned)[number]): Promise<void> {
    const mine = key.unit !== undefined && placeOf(key.partner, key.unit, key.environment) === place;
    const { status, body } = await api('getLead', { key: key.text, id: lead });
    const expected = key.unit === undefined ? [401, undefined] : mine ? [200, name] : [404, undefined];
    expect([status, body.lead?.nome]).toEqual(expected);
  }

  it('each call sees the data of the unit that its key has at that moment, and no other', async () => {
    const step = fc.record({
      key: fc.nat(7),
      // Half of the leads are those of the key itself.
      leads: fc.array(fc.option(fc.nat(7), { freq: 1 }), { minLength: 1, maxLength: 3 }),
      to: fc.option(fc.constantFrom(undefined, 0, 1), { freq: 3, nil: 'stays' as const }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 10, size: 'max' }), async (steps) => {
        for (const { key: index, leads, to } of steps) {
          const key = keys[index]!;
          if (to !== 'stays') await change(key, to);
          const own = owned.find(({ place }) => place === placeOf(key.partner, key.unit ?? 0, key.environment))!;
          await Promise.all(leads.map((lead) => call(key, lead === null ? own : owned[lead]!)));
        }
      }),
      // 1,000 calls and more in the long run, 240 in the short one.
      { numRuns: process.env['SOAK'] ? 50 : 12 },
    );
  });
});
