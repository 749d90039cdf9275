import { expect, it } from 'vitest';
import type { PartnerProfile, PartnerUnit } from '#shared/domain/partners/partner.ts';
import { findPerson, partnersToSearch } from '#shared/domain/personal-data/find-person.ts';
import type { Cpf } from '#shared/domain/values/cpf.ts';
import type { LeadId, PartnerId, SubmissionId, UnitId } from '#shared/domain/values/ids.ts';
import type { Tenancy } from '#shared/domain/values/tenancy.ts';

const cpf = '90000000175' as Cpf;
const UNITS = 2;

/** Partners from 1 on, with the units `10 * partner + 1` and `+ 2`. Each lead has the number of its unit. */
function world(partners: number, known: readonly string[], inTime = () => true, married?: string) {
  const asked: string[] = [];
  const register = {
    page: async (limit: number, after?: PartnerId) => {
      const from = after ?? 0;
      const ids = Array.from({ length: Math.min(limit, partners - from) }, (_, index) => from + index + 1);
      const next = from + limit < partners ? (ids.at(-1) as PartnerId) : undefined;
      return { items: ids.map((id) => ({ id }) as PartnerProfile), next };
    },
    units: async (partnerId: PartnerId) =>
      Array.from({ length: UNITS }, (_, index) => ({ id: 10 * partnerId + index + 1 }) as unknown as PartnerUnit),
  };
  const leadByCpf = async ({ unitId, environment }: Tenancy, wanted: Cpf) => {
    expect(wanted).toBe(cpf);
    asked.push(`${unitId} ${environment}`);
    return known.includes(`${unitId} ${environment}`) ? (unitId as number as LeadId) : undefined;
  };
  const spouses = [51, 52].map((id) => ({ leadId: 9 as LeadId, submissionId: id as SubmissionId }));
  const spouseByCpf = async ({ unitId, environment }: Tenancy) =>
    married === `${unitId} ${environment}` ? spouses : [];
  return { deps: { register, records: { leadByCpf, spouseByCpf }, inTime }, asked };
}

it('findPerson looks in each unit and environment of each partner', async () => {
  const { deps, asked } = world(2, ['11 sandbox', '22 producao'], undefined, '12 sandbox');
  const { found, looked, next } = await findPerson({ cpf }, undefined, deps);
  expect(found).toEqual([
    { partnerId: 1, unitId: 11, environment: 'sandbox', leadId: 11, role: 'holder' },
    { partnerId: 1, unitId: 12, environment: 'sandbox', leadId: 9, role: 'spouse' },
    { partnerId: 2, unitId: 22, environment: 'producao', leadId: 22, role: 'holder' },
  ]);
  expect(looked).toBe(2);
  expect(next).toBeUndefined();
  expect(asked).toHaveLength(8);
});

it('findPerson looks only in the partner, unit and environment that the search names', async () => {
  const { deps, asked } = world(3, ['21 producao']);
  const where = { partnerId: 2 as PartnerId, unitId: 21 as UnitId, environment: 'producao' as const };
  const found = [{ ...where, leadId: 21, role: 'holder' }];
  expect(await findPerson({ cpf, ...where }, undefined, deps)).toEqual({ found, looked: 1, next: undefined });
  expect(asked).toEqual(['21 producao']);
});

it('findPerson looks at one partner after the other until time runs out, and continues there later', async () => {
  let left = 2;
  const { deps } = world(250, ['2501 producao'], () => left-- > 0);
  const first = await findPerson({ cpf }, undefined, deps);
  expect(first.found).toEqual([]);
  expect(first.looked).toBe(3);
  expect(first.next).toBe(3);
  left = 1_000;
  const rest = await findPerson({ cpf }, first.next, deps);
  expect(rest.found.map(({ unitId }) => unitId)).toEqual([2501]);
  expect(rest.looked).toBe(247);
  expect(rest.next).toBeUndefined();
});

it('partnersToSearch returns the number of partners to look at', async () => {
  expect(await partnersToSearch({ cpf }, world(250, []).deps)).toBe(250);
  expect(await partnersToSearch({ cpf, partnerId: 7 as PartnerId }, world(250, []).deps)).toBe(1);
});
