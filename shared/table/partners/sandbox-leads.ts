import * as z from 'zod/mini';
import type { LeadId, UnitId } from '#shared/domain/values/ids.ts';
import { queryAllRows, queryRows } from '../rows/client.ts';
import { sandboxLeadPartition } from '../rows/keys.ts';
import { numberOf } from '../rows/row-format.ts';

const idsFormat = z.array(numberOf<LeadId>());

/** The rows are written and deleted in the leads' own transactions. */
const listed = (unitId: UnitId) => ({
  KeyConditionExpression: 'pk = :pk',
  ExpressionAttributeValues: { ':pk': sandboxLeadPartition(unitId) },
  ConsistentRead: true,
});

export async function sandboxLeadsOf(unitId: UnitId): Promise<LeadId[]> {
  return idsFormat.parse((await queryAllRows(listed(unitId))).map(({ sk }) => Number(sk)));
}

/** Newest first, and whether the sandbox has more. */
export async function newestSandboxLeads(unitId: UnitId, limit: number): Promise<{ leads: LeadId[]; more: boolean }> {
  const { Items = [] } = await queryRows({ ...listed(unitId), ScanIndexForward: false, Limit: limit + 1 });
  const leads = idsFormat.parse(Items.map(({ sk }) => Number(sk)));
  return { leads: leads.slice(0, limit), more: leads.length > limit };
}
