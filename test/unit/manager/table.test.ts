import fc from 'fast-check';
import { expect, it } from 'vitest';
import { table } from '#bin/manager/table.ts';

type Row = Readonly<Record<'id' | 'name' | 'note', string>>;
const COLUMNS = [
  { title: 'id', value: (row: Row) => row.id },
  { title: 'name', value: (row: Row) => row.name, shrinks: true },
  { title: 'note', value: (row: Row) => row.note, shrinks: true },
] as const;
const row = fc.record({
  id: fc.stringMatching(/^[0-9]{1,16}$/),
  name: fc.string({ minLength: 1, maxLength: 80 }),
  note: fc.string({ minLength: 1, maxLength: 80 }),
});

it('table fits an 80-column terminal with one line for each row, and never cuts an id', () => {
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 8 }), (rows) => {
      const lines = table(rows, COLUMNS, 80).trimEnd().split('\n');
      expect(lines).toHaveLength(rows.length + 1);
      for (const line of lines) expect([...line].length).toBeLessThanOrEqual(80);
      expect(rows.every(({ id }, index) => lines[index + 1]!.startsWith(id))).toBe(true);
    }),
  );
});

it('table cuts a column with a least width no further than to this width, and the other columns first', () => {
  const rows = [{ id: '1', name: 'n'.repeat(60), note: 'o'.repeat(60) }];
  const least = COLUMNS.map((column) => (column.title === 'name' ? { ...column, shrinks: 19 } : column));
  expect(table(rows, least, 32).split('\n')[1]).toBe(`1   ${'n'.repeat(18)}…  oooooo…`);
  expect(table(rows, least, 20).split('\n')[1]).toBe(`1   ${'n'.repeat(18)}…  ooooo…`);
  expect(table([{ id: '1', name: 'short', note: 'x' }], least, 80).split('\n')[1]).toBe('1   short  x');
});

it('table prints no control characters and no escape sequences', () => {
  const rows = [{ id: '1', name: 'a\u001b[31mred\u0007\nb\u202ec\u2028d', note: '' }];
  expect(table(rows, COLUMNS, 80).split('\n')[1]).toBe('1   ared b c d');
});
