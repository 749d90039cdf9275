import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as leads from '#shared/domain/leads/lead.ts';
import type { Day } from '#shared/domain/values/clock.ts';
import type { Cpf } from '#shared/domain/values/cpf.ts';
import type { LeadId } from '#shared/domain/values/ids.ts';
import { centavos } from '#shared/domain/values/money.ts';
import { anyName, spellingsOf } from '#test/makers/spellings.ts';

const bare: leads.Lead = {
  id: 7 as LeadId,
  version: 3,
  createdAt: 1_000,
  updatedAt: 2_000,
  name: 'João da Silva',
  cpf: '90000000175' as Cpf,
};
/** Every field that a known lead may lack. */
const brought = {
  phone: '11900000001',
  email: 'joao@example.com',
  birthDate: '1988-03-14' as Day,
  income: centavos(800_000),
  maritalStatus: 'casado',
  origin: 'site',
  note: 'prefere à tarde',
} as const satisfies Partial<leads.LeadDraft>;
const draft: leads.LeadDraft = { name: bare.name, cpf: bare.cpf, ...brought };

it('a draft of a known person fills in each field that the lead lacks, but not its name or CPF', () => {
  expect(leads.missingFrom(bare, { ...draft, name: 'Outro Nome', cpf: '90000000256' as Cpf })).toEqual(brought);
});

it('a draft with a test CPF renames the lead in the sandbox, and nowhere else', () => {
  const renamed = { name: 'Outro Nome', cpf: bare.cpf };
  expect(leads.missingFrom(bare, renamed, 'sandbox')).toEqual({ name: 'Outro Nome' });
  expect(leads.conflictingFields(bare, renamed, 'sandbox')).toEqual([]);
  expect(leads.missingFrom(bare, renamed, 'producao')).toEqual({});
  const person = { ...bare, cpf: '39053344705' as Cpf };
  expect(leads.conflictingFields(person, { ...renamed, cpf: person.cpf }, 'sandbox')).toEqual(['name']);
});

it('a draft of a known person conflicts in the fields in which it differs from what the lead keeps', () => {
  const known = { ...bare, ...brought };
  expect(leads.conflictingFields(known, draft)).toEqual([]);
  expect(leads.conflictingFields(known, { ...draft, name: ' JOAO  DA SILVA ' })).toEqual([]);
  const other = { ...draft, name: 'João Souza', email: 'outro@example.com' };
  expect(leads.conflictingFields(known, other)).toEqual(['name', 'email']);
  expect(leads.conflictingFields(known, { name: known.name, cpf: '90000000256' as Cpf })).toEqual([]);
  expect(leads.conflictingFields(bare, draft)).toEqual([]);
  const others = Object.fromEntries(Object.keys(brought).map((field) => [field, 'outro']));
  expect(leads.conflictingFields(known, { ...draft, ...others })).toEqual(Object.keys(brought));
});

it('a draft of a known person conflicts in no field that it only spells in another way', () => {
  const known = { ...bare, ...brought };
  const name = spellingsOf(bare.name);
  const phone = fc.constantFrom('(11) 90000-0001', '+55 11 90000 0001', '011.90000.0001', '+55 (011) 90000–0001');
  const email = fc.constantFrom('Joao@example.com', 'JOAO@EXAMPLE.COM');
  fc.assert(
    fc.property(name, phone, email, (name, phone, email) => {
      expect(leads.conflictingFields(known, { ...draft, name, phone, email })).toEqual([]);
    }),
  );
});

it('a draft of a known person conflicts in a telephone and an e-mail that differ by one character', () => {
  const known = { ...bare, ...brought };
  const other = { ...draft, phone: '+55 (11) 90000-0002', email: 'joao1@example.com' };
  expect(leads.conflictingFields(known, other)).toEqual(['phone', 'email']);
});

it('a patch changes the fields that it names, clears those that are null, and leaves the rest', () => {
  const known = { ...bare, ...brought };
  const { lead, changed } = leads.applyPatch(known, { email: 'novo@example.com', phone: null, note: undefined });
  expect(lead).toEqual({ ...known, email: 'novo@example.com', phone: undefined });
  expect(changed).toEqual(['email', 'phone']);
});

it('a patch without a new value changes nothing', () => {
  expect(leads.applyPatch(bare, { name: bare.name, email: null })).toEqual({ lead: bare, changed: [] });
});

describe('holderDifferences', () => {
  const lead = { ...bare, birthDate: brought.birthDate };
  const holder = { name: bare.name, cpf: bare.cpf, birthDate: brought.birthDate };

  it('a holder is the lead whatever the case, accents and blanks of the name', () => {
    expect(leads.holderDifferences(lead, { ...holder, name: 'joao  da silva' })).toEqual([]);
  });

  it('a holder is the lead if both names look equal, whichever of them was stored', () => {
    const twice = anyName.chain((name) => fc.tuple(spellingsOf(name), spellingsOf(name)));
    fc.assert(
      fc.property(twice, ([stored, sent]) => {
        expect(leads.holderDifferences({ ...lead, name: stored }, { ...holder, name: sent })).toEqual([]);
      }),
    );
  });

  it('holderDifferences names each of name, CPF and birth date that differs', () => {
    const other = { name: 'João Souza', cpf: '90000000256' as Cpf, birthDate: '1988-03-15' as Day };
    expect(leads.holderDifferences(lead, other)).toEqual(['name', 'cpf', 'birthDate']);
  });

  it('a lead without a birth date takes over the one of the holder, and only once', () => {
    expect(leads.holderDifferences(bare, holder)).toEqual([]);
    const filled = { ...bare, birthDate: holder.birthDate, version: 4, updatedAt: 9_000 };
    expect(leads.withBirthDate(bare, holder.birthDate, 9_000)).toEqual(filled);
    expect(leads.withBirthDate(lead, holder.birthDate, 9_000)).toBeUndefined();
  });
});
