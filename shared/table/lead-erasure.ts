import * as z from 'zod';
import { type Analysis, type AnalysisForm, isPending } from '../domain/analyses/analysis.ts';
import type { Consent } from '../domain/analyses/consent.ts';
import type { Lead } from '../domain/leads/lead.ts';
import type { Opportunity } from '../domain/simulations/simulation.ts';
import type { Cpf } from '../domain/values/cpf.ts';
import type { LeadId, OpportunityId } from '../domain/values/ids.ts';
import type { Tenancy } from '../domain/values/tenancy.ts';
import { SafeError } from '../runtime/log.ts';
import { tableAnalyses } from './analyses.ts';
import { getRow, queryAllRows, transact } from './client.ts';
import { tableConsents } from './consents.ts';
import { indexHash } from './encryption.ts';
import { formKey, leadKey, opportunityKey, opportunityListPartition, type RowKey } from './keys.ts';
import { cpfRowKey, leadRow, readLead } from './leads.ts';
import { tableSimulations } from './simulations.ts';

/** Everything that the service keeps of a person in one unit and environment. */
export interface PersonalData {
  readonly lead: Lead;
  readonly opportunities: readonly Opportunity[];
  readonly analyses: readonly Analysis[];
  /** What went to the banks, by submission; those of an erased person are gone. */
  readonly forms: readonly AnalysisForm[];
  readonly consents: readonly Consent[];
}

/** What became of a person's rows. */
export interface Erasure {
  /** `erased`: the lead is gone. `pseudonymised`: it stays without personal data, since its analyses and consents name it. */
  readonly lead: 'erased' | 'pseudonymised';
  readonly opportunities: number;
  readonly forms: number;
  /** Credit queries that were made, and the evidence that they were allowed: kept. */
  readonly analysesKept: number;
  readonly consentsKept: number;
}

/** Parts of one transaction: deletions come in lots of this many. */
const LOT = 25;
/** What stands in the place of name and CPF: valid on the wire, and nobody's. */
const NOBODY = { name: 'Titular removido', cpf: '00000000000' as Cpf };

const cpfRow = z.object({ leadId: z.custom<LeadId>((value) => typeof value === 'number') });

/** The lead with a CPF; undefined where there is none, or it was erased. */
export async function leadByCpf(tenancy: Tenancy, cpf: Cpf): Promise<LeadId | undefined> {
  const item = await getRow(await cpfRowKey(tenancy, cpf));
  return item && cpfRow.parse(item).leadId;
}

/** A CPF as the audit writes it: finds the entries of a person who names the CPF, and tells it to no one. */
export function cpfPseudonym(tenancy: Tenancy, cpf: Cpf): Promise<string> {
  return indexHash('cpf', tenancy, cpf);
}

/** What the service keeps of a lead; undefined where there is no such lead. */
export async function personalData(tenancy: Tenancy, leadId: LeadId): Promise<PersonalData | undefined> {
  const item = await getRow(leadKey(tenancy, leadId));
  if (!item) return undefined;
  const [opportunities, analyses, consents] = await Promise.all([
    opportunitiesOf(tenancy, leadId),
    analysesOf(tenancy, leadId),
    tableConsents().ofLead(tenancy, leadId),
  ]);
  const forms = await Promise.all(
    submissionsOf(analyses).map((submissionId) => tableAnalyses(Date.now).form(tenancy, submissionId)),
  );
  return {
    lead: await readLead(tenancy, item),
    opportunities,
    analyses,
    forms: forms.filter((form) => form !== undefined),
    consents: consents ?? [],
  };
}

/**
 * Erases a person from one unit and environment: simulations, forms and the way from the CPF to the lead are deleted,
 * and the lead too where nothing refers to it. Where analyses and consents do, which are kept as evidence of credit
 * queries (LGPD, art. 16 I), the lead stays under its number without personal data. Answers kept for replays hold a
 * person's data too; they expire by themselves. Asked again after a failure, it goes on where it stopped. `now` in
 * milliseconds. Throws a SafeError while an analysis is pending: the bank may still need its form.
 */
export async function eraseLead(tenancy: Tenancy, leadId: LeadId, cpf: Cpf, now: number): Promise<Erasure> {
  const analyses = await analysesOf(tenancy, leadId);
  const pending = analyses.filter(({ situation }) => isPending(situation));
  if (pending.length > 0) {
    throw new SafeError(
      `the person has ${pending.length} pending analyses: erase once they are final (see analyses list)`,
    );
  }
  const consents = (await tableConsents().ofLead(tenancy, leadId)) ?? [];
  const forms = submissionsOf(analyses).map((submissionId) => formKey(tenancy, submissionId));
  await deleteRows(forms);
  const before = await deleteOpportunities(tenancy, leadId);
  const kept = analyses.length + consents.length > 0;
  await closeLead(tenancy, leadId, cpf, kept, now);
  // A simulation that was being made meanwhile has found the lead still there.
  const after = await deleteOpportunities(tenancy, leadId);
  return {
    lead: kept ? 'pseudonymised' : 'erased',
    opportunities: before + after,
    forms: forms.length,
    analysesKept: analyses.length,
    consentsKept: consents.length,
  };
}

/** The last step, since without the CPF's row the person is not found again. */
async function closeLead(tenancy: Tenancy, id: LeadId, cpf: Cpf, kept: boolean, now: number): Promise<void> {
  const key = leadKey(tenancy, id);
  const item = await getRow(key);
  if (!item) throw new SafeError('the lead is gone: someone else is erasing it');
  const { version, createdAt } = await readLead(tenancy, item);
  const nobody: Lead = { ...NOBODY, id, version: version + 1, createdAt, updatedAt: now };
  const unchanged = { ConditionExpression: 'version = :seen', ExpressionAttributeValues: { ':seen': version } };
  const outcome = await transact([
    { Delete: { Key: await cpfRowKey(tenancy, cpf) } },
    kept
      ? { Put: { Item: { ...(await leadRow(tenancy, nobody)), erasedAt: now }, ...unchanged } }
      : { Delete: { Key: key, ...unchanged } },
  ]);
  if (outcome !== 'written') throw new SafeError('the lead was changed meanwhile: run the command again');
}

async function analysesOf(tenancy: Tenancy, leadId: LeadId): Promise<Analysis[]> {
  const analyses = tableAnalyses(Date.now);
  const listed = (await analyses.ofLead(tenancy, leadId)) ?? [];
  const found = await Promise.all(listed.map(({ id }) => analyses.get(tenancy, id)));
  return found.filter((analysis) => analysis !== undefined);
}

function submissionsOf(analyses: readonly Analysis[]) {
  return [...new Set(analyses.map(({ submissionId }) => submissionId))];
}

async function opportunityIds(tenancy: Tenancy, leadId: LeadId): Promise<OpportunityId[]> {
  const items = await queryAllRows({
    IndexName: 'byList',
    KeyConditionExpression: 'listPk = :pk',
    ExpressionAttributeValues: { ':pk': opportunityListPartition(tenancy, leadId) },
  });
  return items.map(({ id }) => Number(id) as OpportunityId);
}

async function opportunitiesOf(tenancy: Tenancy, leadId: LeadId): Promise<Opportunity[]> {
  const simulations = tableSimulations(Date.now);
  const ids = await opportunityIds(tenancy, leadId);
  const found = await Promise.all(ids.map((id) => simulations.get(tenancy, id)));
  return found.filter((opportunity) => opportunity !== undefined);
}

async function deleteOpportunities(tenancy: Tenancy, leadId: LeadId): Promise<number> {
  const ids = await opportunityIds(tenancy, leadId);
  await deleteRows(ids.map((id) => opportunityKey(tenancy, id)));
  return ids.length;
}

async function deleteRows(keys: readonly RowKey[]): Promise<void> {
  for (let start = 0; start < keys.length; start += LOT) {
    await transact(keys.slice(start, start + LOT).map((Key) => ({ Delete: { Key } })));
  }
}
