import * as z from 'zod/mini';
import type { AnalysisForm } from '#shared/domain/analyses/analysis.ts';
import type { NamedSpouse } from '#shared/domain/personal-data/ports.ts';
import type { Cpf } from '#shared/domain/values/cpf.ts';
import { idOf, type LeadId, type SubmissionId } from '#shared/domain/values/ids.ts';
import type { Tenancy } from '#shared/domain/values/tenancy.ts';
import type { EpochSeconds, Instant } from '#shared/domain/values/time.ts';
import { queryPartition, type TransactItem } from '../rows/client.ts';
import { spousePlace } from '../rows/index-keys.ts';
import { getIndexed, type IndexedRow, indexedRow, possibleKeys } from '../rows/indexed-rows.ts';
import type { RowKey } from '../rows/keys.ts';
import { numberOf, unexpired } from '../rows/row-format.ts';

const rowFormat = z.object({ leadId: numberOf<LeadId>(), sk: z.coerce.number() });

type KeptSpouse = NamedSpouse & { readonly expiresAt: EpochSeconds };

/** Undefined if the form names no spouse. */
export function spouseCpf(form: AnalysisForm): string | undefined {
  const cpf = form['conjuge_cpf'];
  return cpf === undefined ? undefined : String(cpf);
}

const spouseRow = (tenancy: Tenancy, cpf: string, submissionId: SubmissionId): Promise<IndexedRow> =>
  indexedRow((index) => spousePlace(index, tenancy, cpf, submissionId));

/** Undefined if the form names no spouse. Several rows may lead to one person. The row ends with the form. */
export async function indexSpouse(
  tenancy: Tenancy,
  form: AnalysisForm,
  { leadId, submissionId, expiresAt }: KeptSpouse,
): Promise<TransactItem | undefined> {
  const cpf = spouseCpf(form);
  if (cpf === undefined) return undefined;
  const { here } = await spouseRow(tenancy, cpf, submissionId);
  return { Put: { Item: { ...here.key, leadId, indexedBy: here.indexedBy, expiresAt } } };
}

/** True for a form that names no spouse. The erasure of the spouse deletes the row. */
export async function hasSpouseRow(tenancy: Tenancy, form: AnalysisForm, submissionId: SubmissionId): Promise<boolean> {
  const cpf = spouseCpf(form);
  return cpf === undefined || (await getIndexed(await spouseRow(tenancy, cpf, submissionId))) !== undefined;
}

/** Empty if the form names no spouse. */
export async function spouseKeys(
  tenancy: Tenancy,
  form: AnalysisForm,
  submissionId: SubmissionId,
): Promise<readonly RowKey[]> {
  const cpf = spouseCpf(form);
  return cpf === undefined ? [] : possibleKeys(await spouseRow(tenancy, cpf, submissionId));
}

/** Any submission will do: the submission is not part of the partition. */
const ANY = idOf<SubmissionId>(0);

export async function spouseByCpf(tenancy: Tenancy, cpf: Cpf, now: Instant): Promise<NamedSpouse[]> {
  const named = new Map<SubmissionId, NamedSpouse>();
  for (const { pk } of possibleKeys(await spouseRow(tenancy, cpf, ANY))) {
    const rows = await queryPartition(pk);
    for (const item of rows.filter((row) => unexpired(row, now))) {
      const { leadId, sk } = rowFormat.parse(item);
      const submissionId = idOf<SubmissionId>(sk);
      named.set(submissionId, { leadId, submissionId });
    }
  }
  return Array.from(named.values());
}
