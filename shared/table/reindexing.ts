import * as z from 'zod';
import type { OlderRows, Reindexing } from '../domain/sealing/ports.ts';
import { Failure } from '../domain/values/failure.ts';
import type { LeadId, UnitId } from '../domain/values/ids.ts';
import { ENVIRONMENTS, type Tenancy } from '../domain/values/tenancy.ts';
import { takeTableUse } from '../runtime/metrics.ts';
import { getRow, type Item, putRow, scanRows, transact } from './client.ts';
import { type IndexKey, serviceKeys } from './encryption.ts';
import { expiryAt, unexpired } from './expiry.ts';
import { cpfPlace } from './index-keys.ts';
import { CPFS, cursorKey, IDEMPOTENCY_RECORDS, leadKey, type RowKey } from './keys.ts';
import { readLead } from './leads.ts';
import { keepPace, keyOf, type Pace } from './reencryption.ts';

/** Rows of one look: what a resumed run may have to look at twice. */
const PAGE = 100;
/** Rows that are moved at the same time. */
const LANES = 8;
/** Rows that could not be moved, named in the result. */
const MOST_NAMED = 20;

const CURSOR = cursorKey('reindex');
const cursorFormat = z.object({
  name: z.string(),
  after: z.object({ pk: z.string(), sk: z.string() }),
  seen: z.number(),
  moved: z.number(),
  removed: z.number(),
});
const rowFormat = z.object({
  pk: z.string(),
  leadId: z.custom<LeadId>((value) => typeof value === 'number'),
  indexedBy: z.string().optional(),
});
const tenancyFormat = z.object({ unitId: z.coerce.number(), environment: z.enum(ENVIRONMENTS) });

/** How far a run has come, with the keys of rows that could not be moved: the lead does not open, or is another's. */
type Run = Omit<Reindexing, 'broken'> & { readonly broken: readonly RowKey[] };

/**
 * Moves every CPF that lies under the older of two index keys to the newer, a page a turn, and says after each how far it
 * is. To be begun once the rotation has settled. The place is kept in the table: ended at any point, the next run goes on
 * there, with its counts, unless the key was rotated anew meanwhile. A row is moved in one transaction, on the condition
 * that it still leads to the same lead, so that a person is found at every moment and under one key alone.
 */
export async function* reindexRows(pace: Pace): AsyncGenerator<Run, void> {
  const { index: older, nextIndex } = await serviceKeys();
  if (!nextIndex) throw new Error('there is one index key: nothing is to be moved');
  const newer = nextIndex.key;
  const kept = cursorFormat.safeParse(await getRow(CURSOR));
  const from = kept.success && kept.data.name === newer.name ? kept.data : undefined;
  let [after, seen, moved, removed] = [from?.after, from?.seen ?? 0, from?.moved ?? 0, from?.removed ?? 0];
  const broken: RowKey[] = [];
  let brokenCount = 0;
  takeTableUse();
  do {
    const page = await scanRows({
      ProjectionExpression: 'pk, sk, leadId, indexedBy',
      Limit: PAGE,
      ConsistentRead: true,
      ...(after && { ExclusiveStartKey: after }),
    });
    const items = (page.Items ?? []).filter((item) => isOlder(item, CPFS, newer));
    for (let start = 0; start < items.length; start += LANES) {
      const lot = items.slice(start, start + LANES);
      const outcomes = await Promise.all(lot.map((item) => moveRow(item, older, newer)));
      moved += outcomes.filter((outcome) => outcome === 'moved').length;
      removed += outcomes.filter((outcome) => outcome === 'removed').length;
      const lost = lot.filter((_, place) => outcomes[place] === 'broken').map(keyOf);
      brokenCount += lost.length;
      broken.push(...lost.slice(0, MOST_NAMED - broken.length));
    }
    seen += page.Items?.length ?? 0;
    after = page.LastEvaluatedKey && keyOf(page.LastEvaluatedKey);
    if (after) await putRow({ Item: { ...CURSOR, name: newer.name, after, seen, moved, removed } });
    else await transact([{ Delete: { Key: CURSOR } }]);
    yield { seen, moved, removed, broken: [...broken], brokenCount, done: after === undefined };
    if (after) await keepPace(pace);
  } while (after);
}

const isOlder = (item: Item, kind: string, newer: IndexKey) =>
  String(item['pk']).startsWith(kind) && item['indexedBy'] !== newer.name;

async function moveRow(item: Item, older: IndexKey, newer: IndexKey): Promise<'moved' | 'removed' | 'left' | 'broken'> {
  const row = rowFormat.parse(item);
  const [, unitId, environment] = row.pk.split('#');
  const tenancy = tenancyFormat.parse({ unitId, environment }) as Tenancy & { readonly unitId: UnitId };
  const lead = await getRow(leadKey(tenancy, row.leadId));
  const here: RowKey = keyOf(item);
  // Nobody is found by the number of an erased person.
  if (!lead?.['sealed']) return remove(here, row.leadId);
  const cpf = await readLead(tenancy, lead).then(
    (opened) => opened.cpf,
    (error: unknown) => {
      if (error instanceof Failure) throw error;
      return undefined;
    },
  );
  if (cpf === undefined || cpfPlace(older, tenancy, cpf).key.pk !== here.pk) return 'broken';
  const { key, indexedBy } = cpfPlace(newer, tenancy, cpf);
  const outcome = await transact([
    {
      Put: {
        Item: { ...key, leadId: row.leadId, indexedBy },
        ConditionExpression: 'attribute_not_exists(pk) OR leadId = :lead',
        ExpressionAttributeValues: { ':lead': row.leadId },
      },
    },
    deletion(here, row.leadId),
  ]);
  if (outcome === 'written') return 'moved';
  // Gone or taken over meanwhile, by an erasure or by a new lead.
  return outcome[1]?.failed ? 'left' : 'broken';
}

async function remove(key: RowKey, leadId: LeadId): Promise<'removed' | 'left'> {
  return (await transact([deletion(key, leadId)])) === 'written' ? 'removed' : 'left';
}

const deletion = (Key: RowKey, leadId: LeadId) => ({
  Delete: {
    Key,
    ConditionExpression: 'leadId = :lead',
    ExpressionAttributeValues: { ':lead': leadId },
  },
});

/**
 * Counts what lies under the older of two index keys at `now` (milliseconds): one look at the whole table, or at what comes
 * after a row, a page a turn. `after` is the row that was last, undefined at the end.
 */
export async function* countOlderRows(
  pace: Pace,
  now: number,
  from?: RowKey,
): AsyncGenerator<OlderRows & { readonly after: RowKey | undefined }, void> {
  const { nextIndex } = await serviceKeys();
  if (!nextIndex) throw new Error('there is one index key: nothing lies under an older one');
  let [seen, cpfs, records, end] = [0, 0, 0, expiryAt(0)];
  let after = from;
  takeTableUse();
  do {
    const page = await scanRows({
      ProjectionExpression: 'pk, sk, indexedBy, expiresAt',
      Limit: PAGE,
      ConsistentRead: true,
      ...(after && { ExclusiveStartKey: after }),
    });
    const items = page.Items ?? [];
    cpfs += items.filter((item) => isOlder(item, CPFS, nextIndex.key)).length;
    const living = items.filter((item) => isOlder(item, IDEMPOTENCY_RECORDS, nextIndex.key) && unexpired(item, now));
    records += living.length;
    end = Math.max(end, ...living.map((item) => Number(item['expiresAt'])));
    seen += items.length;
    after = page.LastEvaluatedKey && keyOf(page.LastEvaluatedKey);
    yield { seen, cpfs, records, recordsEndAt: end * 1000, after };
    if (after) await keepPace(pace);
  } while (after);
}
