/**
 * A cutoff outlives its lead: consents of the person up to this moment do not count. The row has only a keyed hash of
 * the CPF and the moment. The hash cannot be made again under another index key, so the row stays under its key until
 * it expires.
 */
import { cutoffEnd, earliestWithdrawal } from '#shared/domain/analyses/analysis.ts';
import type { Cpf } from '#shared/domain/values/cpf.ts';
import type { Tenancy } from '#shared/domain/values/tenancy.ts';
import type { Instant } from '#shared/domain/values/time.ts';
import { consentDays } from '#shared/runtime/env.ts';
import { getRows, type Item, type Refusal, type TransactItem } from './client.ts';
import { cutoffPlace } from './index-keys.ts';
import { checkIndexed, type IndexedRow, indexedRow, possibleKeys } from './indexed-rows.ts';
import { notWithdrawnSince, readLead, withdrawalIn } from './living-lead.ts';
import { expiryAt, lastOver, unexpired } from './row-format.ts';

const cutoffRow = (tenancy: Tenancy, cpf: Cpf): Promise<IndexedRow> =>
  indexedRow((index) => cutoffPlace(index, tenancy, cpf));

export async function checkCutoff(
  tenancy: Tenancy,
  cpf: Cpf,
  consentedAt: Instant,
  now: Instant,
): Promise<TransactItem[]> {
  const { ConditionExpression, ExpressionAttributeValues } = notWithdrawnSince(earliestWithdrawal(consentedAt));
  return checkIndexed(await cutoffRow(tenancy, cpf), {
    ConditionExpression: `${ConditionExpression} OR expiresAt <= :at`,
    ExpressionAttributeValues: { ...ExpressionAttributeValues, ':at': lastOver(now) },
  });
}

/** Undefined if another part of the transaction was refused. */
export const refusingCutoff = (refusal: Refusal | undefined): Instant | undefined => withdrawalIn(refusal?.row);

/** Undefined if every consent counts. */
export async function cutoffOf(tenancy: Tenancy, cpf: Cpf, now: Instant): Promise<Instant | undefined> {
  const rows = await getRows(possibleKeys(await cutoffRow(tenancy, cpf)));
  const moments = rows.map((row) => withdrawalIn(unexpired(row, now))).filter((moment) => moment !== undefined);
  return moments.length > 0 ? Math.max(...moments) : undefined;
}

/** Refused if a later moment is stored meanwhile. Returns no parts if no row is needed. */
export async function keepCutoff(
  tenancy: Tenancy,
  cpf: Cpf,
  cutoff: Instant | undefined,
  now: Instant,
): Promise<TransactItem[]> {
  if (cutoff === undefined) return [];
  const end = cutoffEnd(cutoff, consentDays());
  const kept = await cutoffOf(tenancy, cpf, now);
  if (end <= now || (kept !== undefined && kept >= cutoff)) return [];
  const { here } = await cutoffRow(tenancy, cpf);
  return [
    {
      Put: {
        Item: {
          ...here.key,
          consentWithdrawnAt: cutoff,
          expiresAt: expiryAt(end),
          indexedBy: here.indexedBy,
        },
        ConditionExpression: 'attribute_not_exists(pk) OR consentWithdrawnAt < :cutoff OR expiresAt <= :at',
        ExpressionAttributeValues: { ':cutoff': cutoff, ':at': lastOver(now) },
      },
    },
  ];
}

/** Returns no parts if `cutoff` is undefined, or if the lead's row has no data any more. */
export async function outliveLead(
  tenancy: Tenancy,
  item: Item | undefined,
  cutoff: Instant | undefined,
  now: Instant,
): Promise<TransactItem[]> {
  if (cutoff === undefined || !item?.['sealed']) return [];
  const { cpf } = await readLead(tenancy, item);
  return keepCutoff(tenancy, cpf, cutoff, now);
}
