import type { PartnerRegister } from '../partners/ports.ts';
import type { PartnerId } from '../values/ids.ts';
import type { Instant } from '../values/time.ts';
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

/** The time from the beginning of a month, such as `2026-11`, to the beginning of the next month, exclusive, in UTC. */
export function monthRange(month: string): { from: Instant; to: Instant } {
  const year = Number(month.slice(0, 4));
  const number = Number(month.slice(5));
  return { from: Date.UTC(year, number - 1), to: Date.UTC(year, number) };
}

/**
 * A page of all changes that began between two moments (`to` exclusive): those about the service first, then
 * by partner, each oldest first. It goes by the register of partners and not by an index, so that no row can be missing.
 */
export async function exportAudit(
  range: { readonly from: Instant; readonly to: Instant },
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
