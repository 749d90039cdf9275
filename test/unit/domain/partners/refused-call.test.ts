import { expect, it } from 'vitest';
import { fieldsToKeep } from '../../../../shared/domain/partners/partner.ts';

const fault = (field: string) => ({ field, reason: 'porque sim' });

it('names of fields that the caller chose are not kept', () => {
  expect(fieldsToKeep({ fields: [fault('cpf'), { ...fault('12345678909'), chosen: true }, fault('uf')] })).toEqual([
    'cpf',
    'uf',
  ]);
});

it('twenty names are kept of one call', () => {
  const many = Array.from({ length: 30 }, (_, index) => fault(`campo_${index}`));
  expect(fieldsToKeep({ fields: many })).toEqual(many.slice(0, 20).map(({ field }) => field));
});
