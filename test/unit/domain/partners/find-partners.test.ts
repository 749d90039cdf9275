import { expect, it } from 'vitest';
import { findPartners } from '#shared/domain/partners/find-partners.ts';
import type { PartnerProfile } from '#shared/domain/partners/partner.ts';
import type { PartnerId } from '#shared/domain/values/ids.ts';

/** A register of partners with these names. `asked` lists the sizes of the pages that were read. */
function registerOf(names: readonly string[]) {
  const asked: number[] = [];
  const profiles = names.map((name, index): PartnerProfile => ({ id: (index + 1) as PartnerId, name, createdAt: 0 }));
  const page = async (limit: number, after?: PartnerId) => {
    asked.push(limit);
    const from = after ?? 0;
    const items = profiles.slice(from, from + limit);
    return { items, next: from + limit < profiles.length ? (items.at(-1)?.id as PartnerId) : undefined };
  };
  return { register: { page }, asked };
}

it('findPartners without a name returns all partners, and reads no more than the limit', async () => {
  const { register, asked } = registerOf(Array.from({ length: 250 }, (_, index) => `Parceiro ${index}`));
  const first = await findPartners({ limit: 20 }, register);
  expect(first.items).toHaveLength(20);
  expect(first.next).toBe(20);
  expect(asked).toEqual([20]);
  const large = await findPartners({ name: '', limit: 150, after: 20 as PartnerId }, register);
  expect(large.items).toHaveLength(150);
  expect(large.next).toBe(170);
  expect(asked).toEqual([20, 100, 50]);
});

it('findPartners has no next page after the last partner', async () => {
  const { register } = registerOf(['Alfa', 'Alfa']);
  expect((await findPartners({ name: 'alfa', limit: 2 }, register)).next).toBeUndefined();
  expect((await findPartners({ name: 'alfa', limit: 1 }, register)).next).toBe(1);
});

it('findPartners looks at 2,000 partners at most, and the next call continues there', async () => {
  const { register, asked } = registerOf([...Array<string>(2_050).fill('Beta'), 'Alfa']);
  const first = await findPartners({ name: 'alfa', limit: 5 }, register);
  expect(first.items).toEqual([]);
  expect(first.next).toBe(2_000);
  expect(asked).toHaveLength(20);
  const second = await findPartners({ name: 'alfa', limit: 5, after: first.next }, register);
  expect(second.items.map(({ id }) => id)).toEqual([2_051]);
  expect(second.next).toBeUndefined();
});

it('findPartners finds a name whatever its apostrophes, hyphens and invisible characters', async () => {
  const { register } = registerOf(['Imóveis D’Ávila–Lima', 'Imóveis DAvila Lima']);
  const { items } = await findPartners({ name: "d'av\u200bila-l", limit: 5 }, register);
  expect(items.map(({ id }) => id)).toEqual([1]);
});
