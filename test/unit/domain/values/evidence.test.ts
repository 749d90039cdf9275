import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { contactFault, evidenceFault } from '#shared/domain/values/evidence.ts';
import { UNSEEN } from '#test/makers/spellings.ts';

/** Words of the names of companies, units, people, channels and reasons. */
const WORDS = [
  'Imobiliária',
  '25 de Março',
  "D'Ávila",
  'Sant’Anna',
  'Ana-Clara',
  'Conceição & Filhos',
  'S/A',
  'Ltda.',
  '3 Irmãos',
  'Loja nº 12',
  'CRECI 12345-J',
  'CNPJ 12.345.678/0001-95',
  'Casa 1001',
  'Salas 1201-1202',
  'a1b2c3d4-e5f6-4123-9456-abcdefabcdef',
  'presencial na agência 12',
  'e-mail',
  'INC-4242',
  'TERMO-2026-0001',
  'v2026-11-28.1',
  'R$ 1.500.000,00',
  '(matriz)',
  '“Açaí”',
];

const ordinary = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 5 }).map((words) => words.join(' '));

/** Texts that say who somebody is, or open something. None of them is an e-mail address or a telephone number. */
const NEVER = [
  '529.982.247-25',
  '52998224725',
  '５２９９８２２４７２５',
  'RG 12345678x',
  '12.345.678-9',
  `pmc_sandbox_00000001za1B2c${'x'.repeat(38)}`,
  `pmc_00000001za1B2c${'x'.repeat(38)}`,
  'whsec_c2VjcmV0',
  'ｗｈｓｅｃ＿c2VjcmV0',
];

const REACHES = [
  'maria@gmail.com',
  'maria﹫gmail.com',
  'maria＠gmail.com',
  '+55119 8765 4321',
  '55119 8765 4321',
  '119 8765 4321',
  '11 98765‑4321',
  '11 98765–4321',
  '(11) 3333-4444',
  '+351 912 345 678',
  '11987654321',
  '１１９８７６５４３２１',
];

it('evidenceFault and contactFault find nothing in ordinary names, channels, versions and reasons', () => {
  fc.assert(
    fc.property(ordinary, (text) => {
      expect(evidenceFault(text)).toBeUndefined();
      expect(contactFault(text)).toBeUndefined();
    }),
  );
});

it('evidenceFault finds a person or a secret among ordinary words', () => {
  fc.assert(
    fc.property(ordinary, fc.constantFrom(...NEVER, ...REACHES), (text, held) => {
      expect(evidenceFault(`${text}: ${held}`)).toBe(/sec|pmc|ｓｅｃ/.test(held) ? 'secret' : 'person');
    }),
  );
});

it('contactFault finds CPFs, RGs and secrets, and accepts e-mail addresses and telephone numbers', () => {
  fc.assert(
    fc.property(ordinary, fc.constantFrom(...NEVER), (text, held) => {
      expect(contactFault(`${text}: ${held}`)).toBe(/sec|pmc|ｓｅｃ/.test(held) ? 'secret' : 'person');
    }),
  );
  expect(contactFault('Plantão: seguranca@example.com, (11) 98765-4321, +55 11 3333-4444')).toBeUndefined();
});

it('a telephone number of a contact may have the check digits of a CPF', () => {
  expect(contactFault('(52) 99822-4725')).toBeUndefined();
});

const CONTROLS = [...'\n\u0000\u0085\u2028\u2066\u2800\ud800'];

it.each([...UNSEEN, ...CONTROLS])('evidenceFault and contactFault find the invisible character %j', (sign) => {
  for (const faultOf of [evidenceFault, contactFault]) expect(faultOf(`Imobiliária${sign}Sol`)).toBe('hidden');
});
