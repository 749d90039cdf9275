import * as z from 'zod/mini';
import type { AnalysisForm } from '#shared/domain/analyses/analysis.ts';
import type { NamedSpouse } from '#shared/domain/personal-data/ports.ts';
import type { Cpf } from '#shared/domain/values/cpf.ts';
import type { LeadId, SubmissionId } from '#shared/domain/values/ids.ts';
import type { Tenancy } from '#shared/domain/values/tenancy.ts';
import { queryPartition, type TransactItem } from '../rows/client.ts';
import { indexKeys, keysOldestFirst, spousePlace } from '../rows/index-keys.ts';
import type { RowKey } from '../rows/keys.ts';
import { numberOf, unexpired } from '../rows/row-format.ts';

const spouseRow = z.object({ leadId: numberOf<LeadId>(), sk: z.coerce.number() });

/** The CPF of the spouse whom a form names; undefined where it names none by it. */
export function spouseCpf(form: AnalysisForm): string | undefined {
  const cpf = form['conjuge_cpf'];
  return cpf === undefined ? undefined : String(cpf);
}

/**
 * The transaction's part by which a submission is found by its spouse's CPF, none where the form names no spouse. It ends
 * with the form (`expiresAt`, seconds). Several may lead to one person, so that no other index key has to be looked under.
 */
export async function indexSpouse(
  tenancy: Tenancy,
  form: AnalysisForm,
  { leadId, submissionId, expiresAt }: NamedSpouse & { readonly expiresAt: number },
): Promise<TransactItem[]> {
  const cpf = spouseCpf(form);
  if (cpf === undefined) return [];
  const { key, indexedBy } = spousePlace((await indexKeys()).current, tenancy, cpf, submissionId);
  return [{ Put: { Item: { ...key, leadId, indexedBy, expiresAt } } }];
}

/** Every place from which a submission may be found by its spouse's CPF. */
export async function spouseKeys(tenancy: Tenancy, form: AnalysisForm, submissionId: SubmissionId): Promise<RowKey[]> {
  const cpf = spouseCpf(form);
  if (cpf === undefined) return [];
  return (await keysOldestFirst()).map((one) => spousePlace(one, tenancy, cpf, submissionId).key);
}

/** The submissions that name the person with a CPF as their holder's spouse, while their forms are kept; `now` in milliseconds. */
export async function spouseByCpf(tenancy: Tenancy, cpf: Cpf, now: number): Promise<NamedSpouse[]> {
  const named = new Map<SubmissionId, NamedSpouse>();
  // The older index key's rows first: one that moves meanwhile is seen at the newer's.
  for (const { pk } of await spouseKeys(tenancy, { conjuge_cpf: cpf }, 0 as SubmissionId)) {
    const rows = await queryPartition(pk);
    for (const item of rows.filter((row) => unexpired(row, now))) {
      const { leadId, sk } = spouseRow.parse(item);
      named.set(sk as SubmissionId, { leadId, submissionId: sk as SubmissionId });
    }
  }
  return [...named.values()];
}
