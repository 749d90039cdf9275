import { expect, it } from 'vitest';
import { nationalPhone } from '#shared/domain/values/phone.ts';

it.each([
  '11900000001',
  '(11) 90000-0001',
  '011 90000 0001',
  '+55 11 90000-0001',
  '+55 (011) 90000-0001',
  '0055 11 90000–0001',
  '55.11.90000.0001',
])('nationalPhone returns area code and number of %j', (phone) => {
  expect(nationalPhone(phone)).toBe('11900000001');
});

it.each([
  ['a mobile number with the area code 55', '(55) 90000-0001', '55900000001'],
  ['a landline number with the area code 55', '(55) 3000-0001', '5530000001'],
  ['both codes 55', '+55 55 90000-0001', '55900000001'],
  ['no area code', '90000-0001', '900000001'],
  ['a number of another country', '+351 210 000 001', '351210000001'],
])('nationalPhone keeps every digit that tells %s from other numbers', (_, phone, digits) => {
  expect(nationalPhone(phone)).toBe(digits);
});
