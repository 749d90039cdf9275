import type { PartnerRegister } from '../partners/ports.ts';
import { addMonths, dayOf, startInSaoPaulo } from '../values/clock.ts';
import type { PartnerId } from '../values/ids.ts';
import type { Instant } from '../values/time.ts';
import type { AuditRecord, AuditSubject, AuditTrail } from './ports.ts';

export interface ExportPlace {
  readonly about: AuditSubject;
  readonly after?: string | undefined;
}

interface Deps {
  readonly audit: Pick<AuditTrail, 'between'>;
  readonly register: Pick<PartnerRegister, 'page'>;
  readonly inTime: () => boolean;
}

const PAGE_SIZE = 1_000;

/** `to` is the beginning of the next month, exclusive. */
export function monthRange(month: string): { from: Instant; to: Instant } {
  const first = dayOf(`${month}-01`);
  return { from: startInSaoPaulo(first), to: startInSaoPaulo(addMonths(first, 1)) };
}

/** The partners come from their register, not from an index, so that no row can be missing. `to` is exclusive. */
export async function exportAudit(
  range: { readonly from: Instant; readonly to: Instant },
  place: ExportPlace | undefined,
  { audit, register, inTime }: Deps,
): Promise<{ items: readonly AuditRecord[]; next: ExportPlace | undefined }> {
  const items: AuditRecord[] = [];
  let current: ExportPlace = place ?? { about: 'service' };
  do {
    const page = await audit.between(current.about, range, current.after);
    items.push(...page.items);
    const next = page.next === undefined ? await subjectAfter(current.about, register) : current.about;
    if (next === undefined) return { items, next: undefined };
    current = { about: next, after: page.next };
  } while (items.length < PAGE_SIZE && inTime());
  return { items, next: current };
}

async function subjectAfter(about: AuditSubject, register: Deps['register']): Promise<PartnerId | undefined> {
  const { items } = await register.page(1, about === 'service' ? undefined : about);
  return items[0]?.id;
}
