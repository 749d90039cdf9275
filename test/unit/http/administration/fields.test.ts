import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { invalidField, parseFields } from '#shared/http/administration/fields.ts';
import { administrationRefusal } from '#test/makers/bad-input.ts';

const SCHEMA = z.strictObject({
  name: z.string('must be a text').check(z.maxLength(3, 'too long')),
  limit: z.optional(z.int('must be whole')),
  place: z.optional(z.strictObject({ street: z.string(), number: z.int('must be whole') }, 'no object')),
  list: z.optional(z.array(z.strictObject({ id: z.int('must be whole') }))),
});

const faults = (value: unknown, schema: z.ZodMiniType = SCHEMA) =>
  administrationRefusal(() => parseFields(schema, value));
const missing = (field: string) => ({ field, reason: 'is missing' });
const unknown = (field: string) => ({ field, reason: 'is unknown here: leave it out' });
const invalid = (field: string, reason: string) => ({ field, reason });
const FRACTION = invalid('limit', 'must be whole');

it.each<[string, unknown, string, unknown[]]>([
  ['missing fields', {}, 'field_required', [missing('name')]],
  ['an undefined field', { name: undefined }, 'field_required', [missing('name')]],
  [
    'missing fields in an object',
    { name: 'a', place: {} },
    'field_required',
    ['place.street', 'place.number'].map(missing),
  ],
  ['missing fields in a list', { name: 'a', list: [{ id: 1 }, {}] }, 'field_required', [missing('list.1.id')]],
  ['unknown fields', { name: 'a', b: 1, c: 2 }, 'field_unknown', [unknown('b'), unknown('c')]],
  [
    'unknown fields in an object',
    { name: 'a', place: { street: 'a', number: 1, b: 2 } },
    'field_unknown',
    [unknown('place.b')],
  ],
  ['an unknown field whose name is a number', { name: 'a', '90000000175': 1 }, 'field_unknown', [unknown('…')]],
  ['an unknown field without a visible name', { name: 'a', '\u0000': 1 }, 'field_unknown', [unknown('')]],
  ['invalid fields', { name: 'abcd', limit: 0.5 }, 'field_invalid', [invalid('name', 'too long'), FRACTION]],
  ['null where a value is needed', { name: null }, 'field_invalid', [invalid('name', 'must be a text')]],
  ['null where an object may be', { name: 'a', place: null }, 'field_invalid', [invalid('place', 'no object')]],
])('parseFields refuses fields by their paths: %s', (_, value, code, fields) => {
  expect(faults(value)).toEqual([code, fields]);
});

it('parseFields refuses missing fields first, then unknown fields, then invalid fields, all of a kind at once', () => {
  const all = ['name', 'place.street', 'place.number'];
  expect(faults({ limit: 0.5, a: 1, place: {} })).toEqual(['field_required', all.map(missing)]);
  expect(faults({ limit: 0.5, name: 'a', a: 1 })).toEqual(['field_unknown', [unknown('a')]]);
  expect(faults({ limit: 0.5, name: 'a' })).toEqual(['field_invalid', [FRACTION]]);
});

it('invalidField names the field that the operation refuses', () => {
  const fields = [invalid('cursor', 'is old')];
  expect(invalidField('cursor', 'is old')).toMatchObject({ code: 'field_invalid', fields });
});
