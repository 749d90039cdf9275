import { type AdministrationOperation, operationNamed } from '#shared/administration/operations.ts';
import { type Fields, isFields } from './options.ts';
import type { Progress, Session } from './session.ts';
import { isTable, type Shape, shapeOf } from './shape.ts';

export interface Asked {
  readonly isDry?: boolean;
  /** Number of rows after which no further page is read. Undefined reads all pages. */
  readonly wanted?: number | undefined;
  readonly begun?: () => void;
  readonly chosen?: (page: Fields, shape: Shape) => Fields;
}

/** Undefined if the answer has no list. */
export const listIn = ({ fields }: Shape): string | undefined =>
  Array.from(fields).find(([, part]) => isTable(part))?.[0];

const rowsIn = (page: Fields, list: string | undefined) => {
  const rows = list === undefined ? [] : page[list];
  return Array.isArray(rows) ? rows.length : 0;
};

export async function* through<Page extends { readonly next_cursor: string | null }>(
  ask: (cursor: string | undefined) => Promise<Page>,
): AsyncGenerator<Page> {
  let cursor: string | undefined;
  do {
    const page = await ask(cursor);
    yield page;
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
}

export async function wholeAnswer(
  name: AdministrationOperation,
  fields: Fields,
  session: Session,
  { isDry = false, wanted, begun, chosen = (page) => page }: Asked = {},
): Promise<Fields> {
  const { answer, preview } = operationNamed(name);
  const shape = shapeOf(isDry ? preview : answer);
  let whole: Fields | undefined;
  let bar: Progress | undefined;
  let cursor: string | undefined;
  try {
    do {
      const asked: Fields = await session.ask(name, fields, { isDry, cursor });
      begun?.();
      const page = chosen(asked, shape);
      const before = whole;
      whole = before === undefined ? page : joined(before, page, shape);
      cursor = typeof page['next_cursor'] === 'string' ? page['next_cursor'] : undefined;
      bar ??= session.progress(name, cursor === undefined ? 0 : Number(page['total'] ?? 0));
      bar.step(reached(whole, shape) - reached(before, shape));
    } while (cursor !== undefined && (wanted === undefined || rowsIn(whole, listIn(shape)) < wanted));
  } finally {
    bar?.end();
  }
  return wanted === undefined ? whole : shortened(whole, listIn(shape), wanted, session);
}

function shortened(whole: Fields, list = '', wanted: number, session: Session): Fields {
  const rows = whole[list];
  if (!Array.isArray(rows)) return whole;
  if (rows.length > wanted || whole['next_cursor'])
    session.note('There may be more rows: a higher --limit shows them.');
  return { ...whole, [list]: rows.slice(0, wanted) };
}

/** Returns how far the work is: the API's own number, else the first count of the pages. */
function reached(whole: Fields = {}, { fields }: Shape): number {
  const [counted] = Array.from(fields).find(([, { isOfPage, type }]) => isOfPage && type === 'integer') ?? [''];
  return Number(whole['done'] ?? whole['seen'] ?? whole[counted] ?? 0);
}

/** Joins lists, adds up counts of pages, and takes the later of two moments. Other values come from the later page. */
function joined(earlier: Fields, later: Fields, { fields }: Shape): Fields {
  return Object.fromEntries(
    Object.entries(later).map(([name, value]) => [name, joinedValue(earlier[name], value, fields.get(name))]),
  );
}

function joinedValue(earlier: unknown, later: unknown, shape: Shape | undefined): unknown {
  if (Array.isArray(earlier) && Array.isArray(later)) return summed(earlier.concat(later), shape?.items);
  if (shape?.isLoose && isFields(earlier) && isFields(later)) return joined(earlier, later, shape);
  if (!shape?.isOfPage) return later;
  if (shape.format === 'date-time')
    return (
      [earlier, later]
        .filter((at) => at !== null)
        .sort()
        .at(-1) ?? null
    );
  return typeof later === 'number' ? Number(earlier) + later : `${earlier}${later}`;
}

/** Joins rows of several pages that differ only in values of their page. Returns each text of a list once. */
function summed(rows: readonly unknown[], shape: Shape | undefined): readonly unknown[] {
  const ofPage = Array.from(shape?.fields ?? [])
    .filter(([, { isOfPage }]) => isOfPage)
    .map(([name]) => name);
  if (shape === undefined || ofPage.length === 0) return Array.from(new Set(rows));
  const found = new Map<string, Fields>();
  for (const row of rows.filter(isFields)) {
    const key = JSON.stringify(row, (name, value) => (ofPage.includes(name) ? undefined : value));
    const before = found.get(key);
    found.set(key, before === undefined ? row : joined(before, row, shape));
  }
  return Array.from(found.values());
}
