import { type AuditFilter, isWanted } from '#shared/administration/audit.ts';
import type { AnswerOf, SentQuery } from '#shared/administration/operations.ts';
import { readKeyStart } from '#shared/domain/partners/key-start.ts';
import { ask } from './api.ts';
import { momentOf } from './moments.ts';

type AuditEntry = AnswerOf<'list-audit'>['entries'][number];

/** An empty field excludes no row. */
export interface AuditSearch extends AuditFilter {
  /** In the form of an input of type datetime-local. */
  readonly since: string;
  readonly until: string;
}

export const WHOLE_AUDIT: AuditSearch = { who: '', operation: '', key: '', since: '', until: '' };

/** Pattern of a text that names a key: its id, as lists show it, or a start of the key that has the id. */
export const KEY_TEXT = ' *([0-9A-Za-z]{5}|pmc_(sandbox_)?[0-9A-Za-z]{14}.*)';

/** A text that is no start of a key is the id itself. */
export function keyIdIn(text: string): string {
  const start = readKeyStart(text);
  return start.kind === 'key' ? start.keyId : text.trim();
}

const ENOUGH = 50;
const LARGEST = 200;
/** Pages of the API that one page of the list reads at most. */
const MOST_PAGES = 10;

const listAudit = (query: SentQuery<'list-audit'>) => ask('list-audit', { query });

/** Returns a page of the rows about a partner, or about the service if there is none, after the page that ends at `cursor`. */
export async function auditPage(
  partnerId: number | undefined,
  search: AuditSearch,
  cursor: string | undefined,
  list: (
    query: SentQuery<'list-audit'>,
  ) => Promise<Pick<AnswerOf<'list-audit'>, 'entries' | 'next_cursor'>> = listAudit,
): Promise<{ readonly rows: readonly AuditEntry[]; readonly next: string | null }> {
  const wanted = { ...search, key: keyIdIn(search.key ?? '') };
  const isFiltered = [search.who, search.operation, search.key].some(Boolean);
  const query = {
    partner_id: partnerId === undefined ? undefined : String(partnerId),
    service: partnerId === undefined ? ('true' as const) : undefined,
    since: momentOf(search.since),
    until: momentOf(search.until),
    limit: String(isFiltered ? LARGEST : ENOUGH),
  };
  let rows: readonly AuditEntry[] = [];
  let next = cursor ?? null;
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const page = await list({ ...query, cursor: next ?? undefined });
    rows = rows.concat(page.entries.filter((row) => isWanted(row, wanted)));
    next = page.next_cursor;
    if (next === null || rows.length >= ENOUGH) break;
  }
  return { rows, next };
}
