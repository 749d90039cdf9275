import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { shown, toWire } from '#shared/administration/wire.ts';

const SCHEMA = z.object({
  unit_id: z.int(),
  created_at: z.iso.datetime(),
  failing_since: z.nullable(z.iso.datetime()),
  last_four: z.nullable(z.string()),
  passes: z.array(z.object({ at: z.iso.datetime(), next_step: z.nullable(z.enum(['a', 'b'])) })),
  target: z.record(z.string(), z.string()),
  body: z.looseObject({}),
});

const moment = fc.date({ min: new Date(0), noInvalidDate: true }).map((date) => date.toISOString());
const verbatim = fc.dictionary(fc.constantFrom('a_b', 'due_at', 'c'), fc.string());
const wire = fc.record({
  unit_id: fc.nat(),
  created_at: moment,
  failing_since: fc.option(moment),
  last_four: fc.option(fc.string()),
  passes: fc.array(fc.record({ at: moment, next_step: fc.option(fc.constantFrom('a' as const, 'b' as const)) })),
  target: verbatim,
  body: verbatim,
});

it('toWire turns the result of shown back into the same answer', () => {
  fc.assert(
    fc.property(wire, (answer) => {
      expect(toWire(SCHEMA, shown(answer))).toEqual(answer);
    }),
  );
});

it('toWire drops fields that the schema does not name', () => {
  const schema = z.object({ name: z.string(), unit: z.object({ unit_id: z.int() }) });
  const value = { name: 'Ana', cpf: '90000000175', unit: { unitId: 7, cpf: '90000000175' } };
  expect(toWire(schema, value)).toEqual({ name: 'Ana', unit: { unit_id: 7 } });
});
