import * as z from 'zod/mini';
import { described } from '../contract/described.ts';
import { type PartnerUnit, REFUSALS_KEPT, type RefusedCall } from '../domain/partners/partner.ts';
import type { PartnerRegister } from '../domain/partners/ports.ts';
import { FAILURE_CODES } from '../domain/values/failure.ts';
import type { PartnerId, UnitId } from '../domain/values/ids.ts';
import { hours } from '../domain/values/time.ts';
import { orNotFound } from './failures.ts';
import { answered, contactOrEmpty, id, idText, moment, name, nameOrEmpty } from './fields.ts';
import { EVERYONE, MANAGER, noun, READERS } from './operation.ts';
import { toWire } from './wire.ts';

const { read, change } = noun('units');

const unitView = described(
  z.object({
    unit_id: id<UnitId>('The unit.'),
    partner_id: id<PartnerId>('The partner.'),
    name: described(z.string(), 'The name.'),
    creci: described(z.nullable(z.string()), 'The registration with the council of estate agents.'),
    contact: described(z.nullable(z.string()), 'How a customer reaches the unit.'),
    created_at: moment('When the unit was created.'),
  }),
  { id: 'Unit' },
);

const text = z.optional(z.string());

export const listUnits = read('list-units', 'GET /v1/units', {
  english: "a partner's units, oldest first",
  portuguese: 'Listar unidades',
  duties: EVERYONE,
  permission: { table: ['GetItem', 'Query'], reads: ['PARTNER'], writes: [] },
  query: z.strictObject({ partner_id: idText<PartnerId>('The partner.') }),
  answer: answered({ units: described(z.array(unitView), 'Oldest first.') }),
});

export const createUnit = change('create-unit', 'POST /v1/units', {
  english: 'create a unit',
  portuguese: 'Criar unidade',
  duties: MANAGER,
  permission: { table: ['GetItem'], reads: ['PARTNER'], writes: ['PARTNER', 'UNIT'] },
  body: z.strictObject({ partner_id: id<PartnerId>('The partner.'), name: name('The name.') }),
  answer: answered({ unit: unitView }),
});

export const presentUnit = change('present-unit', 'PATCH /v1/units/{unit_id}', {
  english: 'change how a unit is named in documents for its customers; an empty text removes a field',
  portuguese: 'Alterar unidade',
  duties: MANAGER,
  approval: 'always',
  permission: {
    table: ['GetItem', 'BatchGetItem', 'Query', 'ConditionCheckItem'],
    reads: ['PARTNER'],
    writes: ['PARTNER', 'UNIT', 'DELIVERY'],
    secrets: ['keys'],
  },
  params: z.strictObject({ unit_id: idText<UnitId>('The unit.') }),
  body: described(
    z.strictObject({
      partner_id: id<PartnerId>('The partner.'),
      name: z.optional(name('The name.')),
      creci: z.optional(nameOrEmpty('The registration with the council of estate agents')),
      contact: z.optional(contactOrEmpty('How a customer reaches the unit')),
      replaces: described(
        z.optional(z.strictObject({ name: text, creci: text, contact: text })),
        'The texts to replace, empty for none: refused if other texts are set by then.',
      ),
    }),
    'How the unit is named in documents for its customers. A field that is left out stays.',
  ),
  answer: answered({ unit: unitView }),
});

const refusedCallView = described(
  z.object({
    at: moment('When it was refused.'),
    method: described(z.string(), 'Method of the call.'),
    path: described(z.string(), 'The route as the documentation writes it, without ids and values.'),
    code: described(z.enum(FAILURE_CODES), 'The codigo of the answer.'),
    fields: described(z.array(z.string()), 'Fields that the answer named, at most 20.'),
    request_id: described(z.string(), 'The request_id of the answer. Log lines of the call have it.'),
  }),
  { id: 'RefusedCall' },
);

export const listRefusals = read('list-refusals', 'GET /v1/refusals', {
  english: `calls of a unit that its sandbox refused in the last ${REFUSALS_KEPT.milliseconds / hours(1)} hours, newest first`,
  portuguese: 'Listar chamadas recusadas',
  duties: READERS,
  permission: { table: ['Query'], reads: ['PARTNER', 'REFUSED'], writes: [] },
  query: z.strictObject({ partner_id: idText<PartnerId>('The partner.'), unit_id: idText<UnitId>('The unit.') }),
  answer: answered({
    calls: described(
      z.array(refusedCallView),
      `The newest ${REFUSALS_KEPT.newest}, as GET /v1/erros shows them to the partner. Not among them: calls of production, calls without a valid key (401), calls above the rate (429), failures of ours (5xx).`,
    ),
  }),
});

export const UNIT_OPERATIONS = [listUnits, createUnit, presentUnit, listRefusals] as const;

export const refusedCallBody = (call: RefusedCall) => toWire(refusedCallView, { ...call, fields: [...call.fields] });

export const unitBody = (partnerId: number, unit: PartnerUnit) =>
  toWire(unitView, { ...unit, unitId: unit.id, partnerId });

/** Throws `not_found` if the partner has no such unit. */
export async function requireUnit(
  register: Pick<PartnerRegister, 'units'>,
  partnerId: PartnerId,
  unitId: UnitId,
): Promise<PartnerUnit> {
  const units = await register.units(partnerId);
  return orNotFound(
    units.find(({ id }) => id === unitId),
    `unit ${unitId} of partner ${partnerId}`,
  );
}
