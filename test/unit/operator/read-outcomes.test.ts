import { expect, test } from 'vitest';
import { readOutcomes } from '../../../shared/operator/operator-api.ts';

const told = { reference: 'producao-12-901943132160000', bank: 'itau', queryNumber: 'IT-123', status: 'Aprovado' };

test('an outcome is read with the unit and the analysis that its reference names', () => {
  expect(readOutcomes([told, { ...told, reference: 'sandbox-7-9', more: 1 }])).toEqual([
    {
      environment: 'producao',
      unitId: 12,
      id: 901943132160000,
      bank: 'itau',
      queryNumber: 'IT-123',
      rawStatus: 'Aprovado',
    },
    { environment: 'sandbox', unitId: 7, id: 9, bank: 'itau', queryNumber: 'IT-123', rawStatus: 'Aprovado' },
  ]);
});

test.each([
  ['no object', null],
  ['a reference of nobody', { ...told, reference: 'producao-12' }],
  ['a reference of another environment', { ...told, reference: 'staging-1-2' }],
  // 9007199254740993 would be read as ...992, another's analysis.
  ['an id that is not exact as a number', { ...told, reference: 'producao-12-9007199254740993' }],
  ['an id with leading zeros', { ...told, reference: 'producao-012-7' }],
  ['a field that no answer may have', { ...told, queryNumber: ' IT-123' }],
])('%s is not read, and spoils no other', (_, broken) => {
  const [unread, read] = readOutcomes([broken, told]);
  expect(unread).toBeUndefined();
  expect(read).toMatchObject({ unitId: 12 });
});
