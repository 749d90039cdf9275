import { expect, it } from 'vitest';
import { findPartners } from '#shared/domain/partners/find-partners.ts';
import type { PartnerProfile } from '#shared/domain/partners/partner.ts';
import type { PartnerId, UnitId } from '#shared/domain/values/ids.ts';

/** A register of partners by their names, with the sizes of the pages that were asked of it. */
function registerOf(names: readonly string[]) {
  const asked: number[] = [];
  const profiles = names.map((name, index): PartnerProfile => ({ id: (index + 1) as PartnerId, name, createdAt: 0 }));
  const page = async (limit: number, after?: PartnerId) => {
    asked.push(limit);
    const from = after ?? 0;
    const items = profiles.slice(from, from + limit);
    return { items, next: from + limit < profiles.length ? (items.at(-1)?.id as PartnerId) : undefined };
  };
  // Each has a unit that is reached at its name.
  const units = async (id: PartnerId) => [
    { id: 1 as UnitId, name: 'x', contact: `${names[id - 1]}@X.example`, createdAt: 0 },
  ];
  return { register: { page, units }, asked };
}

it('partners that are looked for are all there without a name, and no more are read than are wanted', async () => {
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

it('partners that are looked for end with the page that ends with the last partner', async () => {
  const { register } = registerOf(['Alfa', 'Alfa']);
  expect((await findPartners({ name: 'alfa', limit: 2 }, register)).next).toBeUndefined();
  expect((await findPartners({ name: 'alfa', limit: 1 }, register)).next).toBe(1);
});

it('partners that are looked for are looked for among 2,000 at a time: the next call goes on there', async () => {
  const { register, asked } = registerOf([...Array<string>(2_050).fill('Beta'), 'Alfa']);
  const first = await findPartners({ name: 'alfa', limit: 5 }, register);
  expect(first.items).toEqual([]);
  expect(first.next).toBe(2_000);
  expect(asked).toHaveLength(20);
  const second = await findPartners({ name: 'alfa', limit: 5, after: first.next }, register);
  expect(second.items.map(({ id }) => id)).toEqual([2_051]);
  expect(second.next).toBeUndefined();
});

it('partners that are looked for by an e-mail are found by the contact of a unit, among 200 at a time', async () => {
  const { register } = registerOf([...Array<string>(200).fill('Beta'), 'Alfa']);
  const first = await findPartners({ name: 'ALFA@x.', limit: 5 }, register);
  expect(first.items).toEqual([]);
  expect(first.next).toBe(200);
  const second = await findPartners({ name: 'alfa@X.', limit: 5, after: first.next }, register);
  expect(second.items.map(({ id }) => id)).toEqual([201]);
});
