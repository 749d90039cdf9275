import type { PartnerRegister } from '../partners/ports.ts';
import type { PartnerId } from '../values/ids.ts';
import type { AuditRecord, AuditSubject, AuditTrail } from './ports.ts';

/** Where the next page goes on: a subject, and the row of it that was last. */
export interface ExportPlace {
  readonly about: AuditSubject;
  readonly after?: string | undefined;
}

interface Deps {
  readonly audit: Pick<AuditTrail, 'between'>;
  readonly register: Pick<PartnerRegister, 'page'>;
  readonly inTime: () => boolean;
}

/** Rows after which a page ends. */
const ENOUGH = 1_000;

/** The months of the Gregorian calendar, in UTC: `2026-11` from its first millisecond to the next month's, exclusive. */
export function monthRange(month: string): { from: number; to: number } {
  const [year, number] = month.split('-').map(Number) as [number, number];
  return { from: Date.UTC(year, number - 1), to: Date.UTC(year, number) };
}

/**
 * A page of all changes that began between two moments (milliseconds, `to` exclusive): those about the service first, then
 * by partner, each oldest first. It goes by the register of partners and not by an index, so that no row can be missing.
 */
export async function exportAudit(
  range: { readonly from: number; readonly to: number },
  place: ExportPlace | undefined,
  { audit, register, inTime }: Deps,
): Promise<{ items: readonly AuditRecord[]; next: ExportPlace | undefined }> {
  const items: AuditRecord[] = [];
  let at: ExportPlace = place ?? { about: 'service' };
  do {
    const page = await audit.between(at.about, range, at.after);
    items.push(...page.items);
    const next = page.next === undefined ? await subjectAfter(at.about, register) : at.about;
    if (next === undefined) return { items, next: undefined };
    at = { about: next, after: page.next };
  } while (items.length < ENOUGH && inTime());
  return { items, next: at };
}

async function subjectAfter(about: AuditSubject, register: Deps['register']): Promise<PartnerId | undefined> {
  const { items } = await register.page(1, about === 'service' ? undefined : about);
  return items[0]?.id;
}
