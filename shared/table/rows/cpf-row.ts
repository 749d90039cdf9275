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

export const cpfRow = (tenancy: Tenancy, cpf: Cpf): Promise<IndexedRow> =>
  indexedRow((index) => cpfPlace(index, tenancy, cpf));

/** Refused if the CPF already leads to a lead other than `erased`. */
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

/** Undefined if another part of the transaction was refused. */
export const leadInTheWay = (refusal: Refusal | undefined): LeadId | undefined =>
  refusal && rowFormat.parse(refusal.row).leadId;

/** Undefined if the CPF has no row: no lead has it, or its person was erased. */
export async function leadByCpf(tenancy: Tenancy, cpf: Cpf): Promise<LeadId | undefined> {
  const item = await getIndexed(await cpfRow(tenancy, cpf));
  return item && rowFormat.parse(item).leadId;
}

/** Refused if the CPF does not lead to this lead. Writes nothing. */
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
 * The row of the oldest index key must be deleted first. Otherwise `rewrite-rows` could move it to a newer key whose
 * row is already deleted.
 */
export const cpfKeys = async (tenancy: Tenancy, cpf: Cpf): Promise<readonly RowKey[]> =>
  possibleKeys(await cpfRow(tenancy, cpf));
