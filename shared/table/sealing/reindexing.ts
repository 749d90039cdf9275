import * as z from 'zod/mini';
import type { OlderRows, Reindexing } from '#shared/domain/sealing/rotation.ts';
import { idOf, type LeadId, type SubmissionId, type UnitId } from '#shared/domain/values/ids.ts';
import { ENVIRONMENTS, type Tenancy } from '#shared/domain/values/tenancy.ts';
import { type Instant, seconds } from '#shared/domain/values/time.ts';
import { spouseCpf } from '../analyses/spouses.ts';
import { openForm } from '../analyses/submissions.ts';
import { getRow, type Item, transact, transactNamed } from '../rows/client.ts';
import { type IndexKey, ifItOpens, serviceKeys } from '../rows/encryption.ts';
import { cpfPlace, type IndexPlace, spousePlace } from '../rows/index-keys.ts';
import { CPFS, CUTOFFS, cursorKey, formKey, IDEMPOTENCY_RECORDS, leadKey, type RowKey, SPOUSES } from '../rows/keys.ts';
import { readLead } from '../rows/living-lead.ts';
import { expiryAt, numberOf, unexpired } from '../rows/row-format.ts';
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

const CURSOR = cursorKey('reindex');
const cursorFormat = z.extend(brokenFormat, {
  name: z.string(),
  after: keyFormat,
  seen: z.number(),
  moved: z.number(),
  removed: z.number(),
});
const rowFormat = z.object({
  pk: z.string(),
  sk: z.string(),
  leadId: numberOf<LeadId>(),
  expiresAt: z.optional(z.number()),
});
const environmentFormat = z.enum(ENVIRONMENTS);

/**
 * Moves every CPF, of leads and of spouses, from the older of two index keys to the newer. Yields after each page how
 * far the run is. A run must begin only once the rotation has settled. The place is stored in the table. If a run ends
 * at any point, the next run continues there, with its counts, unless the key was rotated again meanwhile. A row is
 * moved in one transaction, on the condition that it still leads to the same lead. So a person is found at every
 * moment, and under one key only. `broken` names rows that could not be moved: what they lead to does not open or has
 * another CPF, or the newer key has a row of another lead.
 */
export async function* reindexRows(pace: Pace): AsyncGenerator<Reindexing, void> {
  const { index, nextIndex } = await serviceKeys();
  if (!nextIndex) throw new Error('there is one index key: nothing is to be moved');
  const newer = nextIndex.key;
  const kept = cursorFormat.safeParse(await getRow(CURSOR));
  const from = kept.success && kept.data.name === newer.name ? kept.data : undefined;
  let [seen, moved, removed] = [from?.seen ?? 0, from?.moved ?? 0, from?.removed ?? 0];
  const broken = new BrokenRows(from);
  for await (const { items, after } of scanTable('pk, sk, leadId, indexedBy, expiresAt', pace, from?.after)) {
    const older = items.filter((item) => isOlderCpf(item, newer));
    const outcomes = await mapConcurrently(older, (item) => moveRow(item, index, newer));
    moved += outcomes.filter((outcome) => outcome === 'moved').length;
    removed += outcomes.filter((outcome) => outcome === 'removed').length;
    broken.add(older.filter((_, place) => outcomes[place] === 'broken'));
    seen += items.length;
    const { count: brokenCount, keys } = broken;
    await storePlace(CURSOR, after && { name: newer.name, after, seen, moved, removed, broken: keys, brokenCount });
    yield { seen, moved, removed, broken: broken.names, brokenCount, done: after === undefined };
  }
}

const isOlder = (item: Item, kind: string, newer: IndexKey) =>
  String(item['pk']).startsWith(kind) && item['indexedBy'] !== newer.name;

/** Whether a row under the older key cannot be moved: nobody has the text of its hash. */
const staysUntilItEnds = (item: Item, newer: IndexKey) =>
  isOlder(item, IDEMPOTENCY_RECORDS, newer) || isOlder(item, CUTOFFS, newer);

const isOlderCpf = (item: Item, newer: IndexKey) => isOlder(item, CPFS, newer) || isOlder(item, SPOUSES, newer);

async function moveRow(
  item: Item,
  older: IndexKey,
  newer: IndexKey,
): Promise<'moved' | 'removed' | 'unchanged' | 'broken'> {
  const { pk, sk, ...row } = rowFormat.parse(item);
  const [, unitId, environment] = pk.split('#');
  const tenancy: Tenancy = {
    unitId: idOf<UnitId>(Number(unitId)),
    environment: environmentFormat.parse(environment),
  };
  const submissionId = pk.startsWith(SPOUSES) ? idOf<SubmissionId>(Number(sk)) : undefined;
  const source = await getRow(submissionId ? formKey(tenancy, submissionId) : leadKey(tenancy, row.leadId));
  const here: RowKey = keyOf(item);
  // The lead's data or the form is gone: nobody may be found by this row.
  if (!source?.['sealed']) return remove(here, row.leadId);
  const cpf = await ifItOpens(
    submissionId ? openForm(source).then(spouseCpf) : readLead(tenancy, source).then((lead) => lead.cpf),
  );
  const placeBy = (index: IndexKey, of: string): IndexPlace =>
    submissionId ? spousePlace(index, tenancy, of, submissionId) : cpfPlace(index, tenancy, of);
  if (!cpf || placeBy(older, cpf).key.pk !== here.pk) return 'broken';
  const { key, indexedBy } = placeBy(newer, cpf);
  const outcome = await transactNamed({
    moved: {
      Put: {
        Item: { ...key, ...row, indexedBy },
        ConditionExpression: 'attribute_not_exists(pk) OR leadId = :lead',
        ExpressionAttributeValues: { ':lead': row.leadId },
      },
    },
    older: deletion(here, row.leadId),
  });
  if (outcome === 'written') return 'moved';
  // If the older row is gone or leads to another lead, an erasure or a new lead came first.
  return outcome.older ? 'unchanged' : 'broken';
}

const remove = async (key: RowKey, leadId: LeadId): Promise<'removed' | 'unchanged'> =>
  (await transact([deletion(key, leadId)])) === 'written' ? 'removed' : 'unchanged';

const deletion = (Key: RowKey, leadId: LeadId) => ({
  Delete: { Key, ConditionExpression: 'leadId = :lead', ExpressionAttributeValues: { ':lead': leadId } },
});

/**
 * Counts the rows under the older of two index keys at `now`: of the whole table, or after the row `from`. Yields the
 * counts so far after each page. `after`: key of the page's last row, undefined on the last page.
 */
export async function* countOlderRows(
  pace: Pace,
  now: Instant,
  from?: RowKey,
): AsyncGenerator<OlderRows & { readonly after: RowKey | undefined }, void> {
  const { nextIndex } = await serviceKeys();
  if (!nextIndex) throw new Error('there is one index key: nothing lies under an older one');
  let [seen, cpfs, records, end] = [0, 0, 0, expiryAt(0)];
  for await (const { items, after } of scanTable('pk, sk, indexedBy, expiresAt', pace, from)) {
    cpfs += items.filter((item) => isOlderCpf(item, nextIndex.key)).length;
    const living = items.filter((item) => staysUntilItEnds(item, nextIndex.key) && unexpired(item, now));
    records += living.length;
    end = Math.max(end, ...living.map((item) => Number(item['expiresAt'])));
    seen += items.length;
    yield { seen, cpfs, records, recordsEndAt: end * seconds(1), after };
  }
}
