import { expect, it, vi } from 'vitest';
import * as z from 'zod/mini';
import { readableAnalysis } from '#shared/table/analyses/analysis-row.ts';
import { type FieldsOf, numberOf, textOf } from '#shared/table/rows/row-format.ts';

type Size = number & { readonly __unit: 'size' };
interface Box {
  readonly size: Size;
  readonly label?: string | undefined;
}

/** `npm run types` checks the types below. */
it('FieldsOf compiles only for the fields of the domain’s type, each of its own type', () => {
  const format = z.object({ size: numberOf<Size>(), label: z.optional(textOf()) } satisfies FieldsOf<Box>);
  expect(format.parse({ size: 3, more: 1 }) satisfies Box).toEqual({ size: 3 });
  expect(format.safeParse({ size: '3' }).success).toBe(false);
  // @ts-expect-error the domain's `label` is missing
  ({ size: numberOf<Size>() }) satisfies FieldsOf<Box>;
  // @ts-expect-error the domain has no `colour`
  ({ size: numberOf<Size>(), label: z.optional(textOf()), colour: textOf() }) satisfies FieldsOf<Box>;
  // @ts-expect-error rows without a label could not be read
  ({ size: numberOf<Size>(), label: textOf() }) satisfies FieldsOf<Box>;
  // @ts-expect-error a size may not be missing
  ({ size: z.optional(numberOf<Size>()), label: z.optional(textOf()) }) satisfies FieldsOf<Box>;
  // @ts-expect-error any number is no size
  ({ size: z.number(), label: z.optional(textOf()) }) satisfies FieldsOf<Box>;
});

it('readableAnalysis counts a row of production that cannot be read as unanswerable', () => {
  const told = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  expect(readableAnalysis({ id: 1, environment: 'producao' })).toBeUndefined();
  const lines = told.mock.calls.map(([line]) => String(line));
  told.mockRestore();
  expect(lines.join()).toContain('"BankTrouble":1');
});
