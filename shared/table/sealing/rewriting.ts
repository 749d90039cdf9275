import * as z from 'zod/mini';
import type { IndexedRows, Rewriting, RowsByKey, SealedRows } from '#shared/domain/sealing/rotation.ts';
import { type Instant, seconds } from '#shared/domain/values/time.ts';
import { getRow, type Item } from '../rows/client.ts';
import { keyVersionOf, serviceKeys } from '../rows/encryption.ts';
import { indexKeys } from '../rows/index-keys.ts';
import { CPFS, CUTOFFS, cursorKey, IDEMPOTENCY_RECORDS, type RowKey, SPOUSES } from '../rows/keys.ts';
import { unexpired } from '../rows/row-format.ts';
import {
  BrokenRows,
  brokenFormat,
  keyFormat,
  keyOf,
  mapConcurrently,
  type Pace,
  scanTable,
  storePlace,
} from '../rows/table-scan.ts';
import { reencryptRow } from './reencryption.ts';
import { moveRow } from './reindexing.ts';

const CURSOR = cursorKey('rewrite');
const cursorFormat = z.extend(brokenFormat, {
  state: z.string(),
  moves: z.boolean(),
  after: keyFormat,
  seen: z.number(),
  resealed: z.number(),
  moved: z.number(),
  removed: z.number(),
});

const isCpf = (item: Item) => isOf(item, CPFS) || isOf(item, SPOUSES);
/** These rows cannot be moved: nobody has the text of their hash. */
const isRecord = (item: Item) => isOf(item, IDEMPOTENCY_RECORDS) || isOf(item, CUTOFFS);
const isOf = (item: Item, kind: string) => String(item['pk']).startsWith(kind);

/**
 * `moves` is allowed only once the keys have settled. If a run ends at any point, the next run continues there, with
 * its counts, unless `state` or `moves` has changed. `broken` names rows that could not be encrypted or moved.
 */
export async function* rewriteRows(
  { state, moves }: { readonly state: string; readonly moves: boolean },
  pace: Pace,
): AsyncGenerator<Rewriting, void> {
  const { current } = await serviceKeys();
  const { newest, oldestFirst } = await indexKeys();
  const kept = cursorFormat.safeParse(await getRow(CURSOR));
  const from = kept.success && kept.data.state === state && kept.data.moves === moves ? kept.data : undefined;
  let { seen, resealed, moved, removed } = from ?? { seen: 0, resealed: 0, moved: 0, removed: 0 };
  const broken = new BrokenRows(from);
  const attributes = 'pk, sk, sealed, version, leadId, indexedBy, expiresAt';
  for await (const { items, after } of scanTable(attributes, pace, from?.after)) {
    const sealings = await mapConcurrently(items, (item) => reencryptRow(item, current));
    const misplaced = items.filter((item) => moves && isCpf(item) && item['indexedBy'] !== newest.name);
    const moving = await mapConcurrently(misplaced, (item) =>
      moveRow(item, { older: oldestFirst.find(({ name }) => name === item['indexedBy']), newest }),
    );
    resealed += sealings.filter((outcome) => outcome === 'reencrypted').length;
    moved += moving.filter((outcome) => outcome === 'moved').length;
    removed += moving.filter((outcome) => outcome === 'removed').length;
    broken.add(items.filter((_, place) => sealings[place] === 'broken'));
    broken.add(misplaced.filter((_, place) => moving[place] === 'broken'));
    seen += items.length;
    const counts = { seen, resealed, moved, removed, brokenCount: broken.count };
    await storePlace(CURSOR, after && { ...counts, state, moves, after, broken: broken.keys });
    yield { ...counts, broken: broken.names, done: after === undefined };
  }
}

export const forgetRewriting = (): Promise<void> => storePlace(CURSOR, undefined);

/** Such as LEAD or CONSENT. */
function kindOf({ pk }: RowKey): string {
  const [kind = pk] = pk.split('#');
  return kind;
}

class RowCounter {
  #seen: number;
  readonly #sealed: Map<string, SealedRows>;
  readonly #indexed: Map<string, IndexedRows>;

  constructor({ seen, sealed, indexed }: RowsByKey) {
    this.#seen = seen;
    this.#sealed = new Map(sealed.map((entry) => [`${entry.version} ${entry.kind}`, entry]));
    this.#indexed = new Map(indexed.map((entry) => [entry.name, entry]));
  }

  add(item: Item, now: Instant): void {
    this.#seen += 1;
    const { sealed, indexedBy } = item;
    if (sealed instanceof Uint8Array) this.#addSealed(keyVersionOf(sealed), kindOf(keyOf(item)));
    if (typeof indexedBy !== 'string') return;
    if (isCpf(item)) this.#addIndexed(indexedBy, { cpfs: 1, records: 0, recordsEndAt: 0 });
    else if (isRecord(item) && unexpired(item, now))
      this.#addIndexed(indexedBy, { cpfs: 0, records: 1, recordsEndAt: Number(item['expiresAt']) * seconds(1) });
  }

  #addSealed(version: number, kind: string): void {
    const name = `${version} ${kind}`;
    this.#sealed.set(name, { version, kind, rows: (this.#sealed.get(name)?.rows ?? 0) + 1 });
  }

  #addIndexed(name: string, added: Omit<IndexedRows, 'name'>): void {
    const { cpfs, records, recordsEndAt } = this.#indexed.get(name) ?? { cpfs: 0, records: 0, recordsEndAt: 0 };
    this.#indexed.set(name, {
      name,
      cpfs: cpfs + added.cpfs,
      records: records + added.records,
      recordsEndAt: Math.max(recordsEndAt, added.recordsEndAt),
    });
  }

  get counts(): RowsByKey {
    return { seen: this.#seen, sealed: Array.from(this.#sealed.values()), indexed: Array.from(this.#indexed.values()) };
  }
}

export const NOTHING_COUNTED: RowsByKey = { seen: 0, sealed: [], indexed: [] };

/** Rows that have ended at `now` need no index key. `after`: key of the page's last row, undefined on the last page. */
export async function* countRows(
  pace: Pace,
  now: Instant,
  from?: RowKey,
  counts = NOTHING_COUNTED,
): AsyncGenerator<RowsByKey & { readonly after: RowKey | undefined }, void> {
  const counter = new RowCounter(counts);
  for await (const { items, after } of scanTable('pk, sk, sealed, indexedBy, expiresAt', pace, from)) {
    for (const item of items) counter.add(item, now);
    yield { ...counter.counts, after };
  }
}
