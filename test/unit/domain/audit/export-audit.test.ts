import { expect, it } from 'vitest';
import { exportAudit, monthRange } from '#shared/domain/audit/export-audit.ts';
import type { AuditRecord, AuditSubject } from '#shared/domain/audit/ports.ts';
import type { PartnerProfile } from '#shared/domain/partners/partner.ts';
import type { PartnerId } from '#shared/domain/values/ids.ts';

const RANGE = { from: 1, to: 2 };

/** Rows of the service and of partners, in pages of `pageSize`. `asked` lists the pages that were read. */
function trailOf(rows: ReadonlyMap<AuditSubject, number>, pageSize: number) {
  const asked: string[] = [];
  const audit = {
    between: async (about: AuditSubject, range: { from: number; to: number }, after?: string) => {
      asked.push(`${about} ${range.from}-${range.to} ${after ?? 'first'}`);
      const from = Number(after ?? 0);
      const count = rows.get(about) ?? 0;
      const numbers = Array.from({ length: Math.min(pageSize, count - from) }, (_, index) => from + index);
      const items = numbers.map((number) => ({ about, number }) as unknown as AuditRecord);
      return { items, next: from + pageSize < count ? String(from + pageSize) : undefined };
    },
  };
  const partners = [...rows.keys()].filter((about) => about !== 'service') as PartnerId[];
  const register = {
    page: async (limit: number, after?: PartnerId) => {
      expect(limit).toBe(1);
      const items = partners.filter((id) => id > (after ?? 0)).slice(0, limit);
      return { items: items.map((id) => ({ id }) as PartnerProfile), next: undefined };
    },
  };
  return { asked, audit, register };
}

const trail = new Map<AuditSubject, number>([
  ['service', 2],
  [5 as PartnerId, 3],
  [9 as PartnerId, 1],
]);
const describeRows = (items: readonly AuditRecord[]) =>
  items.map((one) => Object.values(one as unknown as Record<string, unknown>).join(' '));

it('exportAudit stops after a page if time runs out, and continues where it stopped', async () => {
  const { asked, ...deps } = trailOf(trail, 2);
  const pages: string[][] = [];
  let place: Awaited<ReturnType<typeof exportAudit>>['next'];
  do {
    const { items, next } = await exportAudit(RANGE, place, { ...deps, inTime: () => false });
    pages.push(describeRows(items));
    place = next;
  } while (place);
  expect(pages).toEqual([['service 0', 'service 1'], ['5 0', '5 1'], ['5 2'], ['9 0']]);
  expect(asked).toHaveLength(4);
});

it('exportAudit ends a page after a thousand rows', async () => {
  const { asked, ...deps } = trailOf(new Map([['service', 2_500]]), 500);
  const { items, next } = await exportAudit(RANGE, undefined, { ...deps, inTime: () => true });
  expect(items).toHaveLength(1_000);
  expect(next).toEqual({ about: 'service', after: '1000' });
  expect(asked).toHaveLength(2);
});

it('monthRange returns the range of a month by the time of São Paulo', () => {
  expect(monthRange('2026-11')).toEqual({ from: Date.UTC(2026, 10, 1, 3), to: Date.UTC(2026, 11, 1, 3) });
  expect(monthRange('2026-12').to).toBe(Date.UTC(2027, 0, 1, 3));
});
