import * as z from 'zod/mini';
import { described } from '../contract/described.ts';
import type { PartnerUnit } from '../domain/partners/partner.ts';
import type { PartnerRegister } from '../domain/partners/ports.ts';
import type { PartnerId, UnitId } from '../domain/values/ids.ts';
import { orNotFound } from './failures.ts';
import { answered, id, idText, moment, name } from './fields.ts';
import { EVERYONE, MANAGER, noun } from './operation.ts';
import { toWire } from './wire.ts';

const { read, change } = noun('units');

const unitView = described(
  z.object({
    unit_id: id<UnitId>('The unit.'),
    partner_id: id<PartnerId>('Whose it is.'),
    name: described(z.string(), 'What it is called.'),
    creci: described(z.nullable(z.string()), 'Its registration with the council of estate agents.'),
    contact: described(z.nullable(z.string()), 'How a client reaches it.'),
    created_at: moment('When it was made.'),
  }),
  { id: 'Unit' },
);

const text = z.optional(z.string());
const orNone = (what: string) => described(z.union([z.literal(''), name('')]), `${what}; an empty text removes it.`);

export const listUnits = read('list-units', 'GET /v1/units', {
  english: "a partner's units, oldest first",
  portuguese: 'Listar unidades',
  duties: EVERYONE,
  permission: { table: ['GetItem', 'Query'] },
  query: z.strictObject({ partner_id: idText<PartnerId>('Whose.') }),
  answer: answered({ units: described(z.array(unitView), 'Oldest first.') }),
});

export const createUnit = change('create-unit', 'POST /v1/units', {
  english: 'make a unit',
  portuguese: 'Criar unidade',
  duties: MANAGER,
  permission: { table: ['GetItem'] },
  body: z.strictObject({ partner_id: id<PartnerId>('Whose.'), name: name('What it is called.') }),
  answer: answered({ unit: unitView }),
});

export const presentUnit = change('present-unit', 'PATCH /v1/units/{unit_id}', {
  english: "how the documents for a unit's clients name it; an empty text removes one",
  portuguese: 'Alterar unidade',
  duties: MANAGER,
  permission: { table: ['GetItem', 'Query'] },
  params: z.strictObject({ unit_id: idText<UnitId>('The unit.') }),
  body: described(
    z.strictObject({
      partner_id: id<PartnerId>('Whose.'),
      name: z.optional(name('What it is called.')),
      creci: z.optional(orNone('Its registration with the council of estate agents')),
      contact: z.optional(orNone('How a client reaches it')),
      replaces: described(
        z.optional(z.strictObject({ name: text, creci: text, contact: text })),
        'The texts that these are to replace, empty for none: refused where others are set by then.',
      ),
    }),
    'How the documents for its clients name it; what is left out stays.',
  ),
  answer: answered({ unit: unitView }),
});

/** The operations of this noun, in the document's order. */
export const UNIT_OPERATIONS = [listUnits, createUnit, presentUnit] as const;

export const unitBody = (partnerId: number, unit: PartnerUnit) =>
  toWire(unitView, { ...unit, unitId: unit.id, partnerId });

/** Throws `not_found` if the partner has no such unit. */
export async function requireUnit(register: Pick<PartnerRegister, 'units'>, partnerId: PartnerId, unitId: UnitId) {
  const units = await register.units(partnerId);
  orNotFound(
    units.find(({ id }) => id === unitId),
    `unit ${unitId} of partner ${partnerId}`,
  );
}
