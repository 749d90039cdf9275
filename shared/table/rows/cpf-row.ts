// The row that leads from a CPF to its lead.
import * as z from 'zod/mini';
import type { Cpf } from '#shared/domain/values/cpf.ts';
import type { LeadId } from '#shared/domain/values/ids.ts';
import type { Tenancy } from '#shared/domain/values/tenancy.ts';
import type { Refusal, TransactItem } from './client.ts';
import { cpfPlace } from './index-keys.ts';
import { foundIn, getIndexed, type IndexedRow, indexedRow, possibleKeys, putIndexed } from './indexed-rows.ts';
import type { RowKey } from './keys.ts';
import { numberOf } from './row-format.ts';

const rowFormat = z.object({ leadId: numberOf<LeadId>() });

/** Addresses the row that leads from a CPF to its lead. */
export const cpfRow = (tenancy: Tenancy, cpf: Cpf): Promise<IndexedRow> =>
  indexedRow((index) => cpfPlace(index, tenancy, cpf));

/**
 * Transaction part that makes a lead the lead of a CPF. Refused if the CPF already leads to a lead other than `erased`.
 */
export async function putCpf(
  tenancy: Tenancy,
  cpf: Cpf,
  leadId: LeadId,
  erased: LeadId | undefined,
): Promise<TransactItem[]> {
  const row = await cpfRow(tenancy, cpf);
  if (erased === undefined) return putIndexed(row, { leadId }, { ConditionExpression: 'attribute_not_exists(pk)' });
  return putIndexed(
    row,
    { leadId },
    {
      ConditionExpression: 'attribute_not_exists(pk) OR leadId = :erased',
      ExpressionAttributeValues: { ':erased': erased },
    },
  );
}

/** Returns the lead that has the CPF, given the refusal of `putCpf`. Undefined if another part was refused. */
export const leadInTheWay = (refusal: Refusal | undefined): LeadId | undefined =>
  refusal && rowFormat.parse(refusal.row).leadId;

/**
 * Returns the lead to which the row of a CPF leads. Undefined if the CPF has no row: no lead has it, or its person was
 * erased.
 */
export async function leadByCpf(tenancy: Tenancy, cpf: Cpf): Promise<LeadId | undefined> {
  const item = await getIndexed(await cpfRow(tenancy, cpf));
  return item && rowFormat.parse(item).leadId;
}

/** Transaction part that writes nothing, and is refused if a CPF does not lead to this lead. */
export async function whileCpfLeadsTo(tenancy: Tenancy, cpf: Cpf, leadId: LeadId): Promise<TransactItem> {
  const row = await cpfRow(tenancy, cpf);
  const item = await getIndexed(row);
  const { here } = item ? foundIn(row, item) : row;
  return {
    ConditionCheck: {
      Key: here.key,
      ConditionExpression: 'leadId = :lead',
      ExpressionAttributeValues: { ':lead': leadId },
    },
  };
}

/**
 * Returns every key under which the row of a CPF may lie, that of the oldest index key first. The rows must be deleted
 * in this order: once the older one is gone, `rewrite-rows` can no longer move it to a key that was deleted before.
 */
export const cpfKeys = async (tenancy: Tenancy, cpf: Cpf): Promise<readonly RowKey[]> =>
  possibleKeys(await cpfRow(tenancy, cpf));
