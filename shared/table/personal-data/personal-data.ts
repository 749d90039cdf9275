import * as z from 'zod/mini';
import { isFormExpired, splitForm } from '#shared/domain/analyses/analysis.ts';
import type { NamedSpouse, PersonalData, PersonalRecords, SpouseForm } from '#shared/domain/personal-data/ports.ts';
import type { Opportunity } from '#shared/domain/simulations/simulation.ts';
import type { Clock } from '#shared/domain/values/clock.ts';
import type { Cpf } from '#shared/domain/values/cpf.ts';
import type { LeadId } from '#shared/domain/values/ids.ts';
import type { Tenancy } from '#shared/domain/values/tenancy.ts';
import { analysesOfLead } from '../analyses/analysis-row.ts';
import { readableConsents } from '../analyses/consents.ts';
import { spouseByCpf } from '../analyses/spouses.ts';
import { formOf } from '../analyses/submissions.ts';
import { correctLead } from '../leads/lead-correction.ts';
import { livingLead, readLead } from '../leads/leads.ts';
import { getRow, type Item } from '../rows/client.ts';
import { cpfKeysOldestFirst, indexHash } from '../rows/index-keys.ts';
import { leadKey } from '../rows/keys.ts';
import { numberOf } from '../rows/row-format.ts';
import { opportunityIdsOf, tableSimulations } from '../simulations/simulations.ts';

const cpfRow = z.object({ leadId: numberOf<LeadId>() });

/** The lead with a CPF; undefined where there is none, or its person was erased. */
export async function leadByCpf(tenancy: Tenancy, cpf: Cpf): Promise<LeadId | undefined> {
  let item: Item | undefined;
  // One after the other: a row that moves meanwhile is seen at the newer's, which counts: the older's may be of an erased person.
  for (const key of await cpfKeysOldestFirst(tenancy, cpf)) item = (await getRow(key)) ?? item;
  return item && cpfRow.parse(item).leadId;
}

/** A CPF as the audit writes it: finds the entries of a person who names the CPF, and tells it to no one. */
const cpfPseudonym = (tenancy: Tenancy, cpf: Cpf): Promise<string> => indexHash('cpf', tenancy, cpf);

/** What the service keeps of a lead; undefined where there never was such a lead. */
export async function personalData(tenancy: Tenancy, leadId: LeadId, clock: Clock): Promise<PersonalData | undefined> {
  const [item, opportunities, { analyses }, consents] = await Promise.all([
    getRow(leadKey(tenancy, leadId)),
    opportunitiesOf(tenancy, leadId, clock),
    analysesOfLead(tenancy, leadId),
    readableConsents(tenancy, leadId),
  ]);
  if (!item) return undefined;
  const living = livingLead(item);
  const now = clock();
  const submissions = Map.groupBy(analyses, ({ submissionId }) => submissionId);
  const kept = [...submissions].filter(([, own]) => !isFormExpired(own, now));
  const [lead, ...forms] = await Promise.all([
    living && readLead(tenancy, living),
    ...kept.map(([id]) => formOf(tenancy, id, now)),
  ]);
  return { lead, opportunities, analyses, forms: forms.filter((form) => form !== undefined), consents };
}

/** What the service keeps of a spouse whom submissions name. */
async function spouseData(tenancy: Tenancy, named: readonly NamedSpouse[], now: number): Promise<SpouseForm[]> {
  const forms = named.map(async ({ leadId, submissionId }) => {
    const { analyses } = await analysesOfLead(tenancy, leadId);
    const own = analyses.filter((one) => one.submissionId === submissionId);
    const form = isFormExpired(own, now) ? undefined : await formOf(tenancy, submissionId, now);
    return form ? [{ form: splitForm(form).spouse, analyses: own }] : [];
  });
  return (await Promise.all(forms)).flat();
}

async function opportunitiesOf(tenancy: Tenancy, leadId: LeadId, clock: Clock): Promise<Opportunity[]> {
  const simulations = tableSimulations(clock);
  const ids = await opportunityIdsOf(tenancy, leadId);
  const found = await Promise.all(ids.map((id) => simulations.get(tenancy, id)));
  return found.filter((opportunity) => opportunity !== undefined);
}

export function tablePersonalRecords(clock: Clock): PersonalRecords {
  return {
    leadByCpf,
    spouseByCpf: (tenancy, cpf) => spouseByCpf(tenancy, cpf, clock()),
    ofSpouse: (tenancy, named) => spouseData(tenancy, named, clock()),
    pseudonym: cpfPseudonym,
    of: (tenancy, leadId) => personalData(tenancy, leadId, clock),
    correct: (tenancy, leadId, correction) => correctLead(tenancy, leadId, correction, clock),
  };
}
