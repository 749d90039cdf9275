import * as z from 'zod/mini';
import type { LeadId, UnitId } from '#shared/domain/values/ids.ts';
import { type Item, queryAllRows, queryRows } from '../rows/client.ts';
import { sandboxLeadListPartition, sandboxLeadPartition } from '../rows/keys.ts';
import { numberOf } from '../rows/row-format.ts';

const idsFormat = z.array(numberOf<LeadId>());

/** Query of the rows that list a unit's sandbox leads. They are written and deleted in the leads' own transactions. */
const listed = (unitId: UnitId) => ({
  KeyConditionExpression: 'pk = :pk',
  ExpressionAttributeValues: { ':pk': sandboxLeadPartition(unitId) },
  ConsistentRead: true,
});

/**
 * Query of the index entries of a unit's sandbox leads. The index is late. Only for leads that a release before
 * 2026-11-27 has made: they have no other list.
 */
const indexed = (unitId: UnitId) => ({
  IndexName: 'byList',
  KeyConditionExpression: 'listPk = :pk',
  ExpressionAttributeValues: { ':pk': sandboxLeadListPartition(unitId) },
});

/** Returns the leads of both lists, each once, oldest first. */
function idsOf(rows: readonly Item[], entries: readonly Item[]): LeadId[] {
  const ids = new Set(rows.map(({ sk }) => Number(sk)).concat(entries.map(({ id }) => Number(id))));
  return idsFormat.parse(Array.from(ids).sort((a, b) => a - b));
}

/** Returns the leads of a unit's sandbox, oldest first. */
export async function sandboxLeadsOf(unitId: UnitId): Promise<LeadId[]> {
  const [rows, entries] = await Promise.all([queryAllRows(listed(unitId)), queryAllRows(indexed(unitId))]);
  return idsOf(rows, entries);
}

/** Returns the newest leads of a unit's sandbox, newest first, and whether the sandbox has more. */
export async function newestSandboxLeads(unitId: UnitId, limit: number): Promise<{ leads: LeadId[]; more: boolean }> {
  // Asks each list for one lead more than is returned, which shows whether there are more.
  const newest = { ScanIndexForward: false, Limit: limit + 1 };
  const [rows, entries] = await Promise.all([
    queryRows({ ...listed(unitId), ...newest }),
    queryRows({ ...indexed(unitId), ...newest }),
  ]);
  const ids = idsOf(rows.Items ?? [], entries.Items ?? []).reverse();
  return { leads: ids.slice(0, limit), more: ids.length > limit };
}
