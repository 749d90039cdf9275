import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { toWire } from '#shared/administration/wire.ts';

const SCHEMA = z.object({
  unit_id: z.int(),
  created_at: z.iso.datetime(),
  failing_since: z.nullable(z.iso.datetime()),
  last_four: z.nullable(z.string()),
  passes: z.array(z.object({ at: z.iso.datetime(), next_step: z.nullable(z.enum(['a', 'b'])) })),
  target: z.record(z.string(), z.string()),
  body: z.looseObject({}),
});

it('toWire writes moments, names and missing values as the wire has them, and free forms unchanged', () => {
  const at = Date.UTC(2026, 10, 20);
  const value = {
    unitId: 7,
    createdAt: at,
    failingSince: undefined,
    passes: [{ at, nextStep: null }],
    target: { a_b: 'x' },
    body: { due_at: at },
  };
  expect(toWire(SCHEMA, value)).toEqual({
    unit_id: 7,
    created_at: '2026-11-20T00:00:00.000Z',
    failing_since: null,
    last_four: null,
    passes: [{ at: '2026-11-20T00:00:00.000Z', next_step: null }],
    target: { a_b: 'x' },
    body: { due_at: at },
  });
});

it('toWire drops fields that the schema does not name', () => {
  const schema = z.object({ name: z.string(), unit: z.object({ unit_id: z.int() }) });
  const value = { name: 'Ana', cpf: '90000000175', unit: { unitId: 7, cpf: '90000000175' } };
  expect(toWire(schema, value)).toEqual({ name: 'Ana', unit: { unit_id: 7 } });
});
