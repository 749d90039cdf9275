import { type Analysis, type AnalysisForm, isFormExpired, splitForm } from '#shared/domain/analyses/analysis.ts';
import {
  type CorrectionOutcome,
  FIRST_PAGE,
  type NamedSpouse,
  type PersonalData,
  type PersonalPage,
  type PersonalRecords,
  type PersonCorrection,
  type SpouseForm,
} from '#shared/domain/personal-data/ports.ts';
import type { Opportunity } from '#shared/domain/simulations/simulation.ts';
import type { Clock } from '#shared/domain/values/clock.ts';
import type { Cpf } from '#shared/domain/values/cpf.ts';
import { idOf, type LeadId, type OpportunityId, type SubmissionId } from '#shared/domain/values/ids.ts';
import type { Tenancy } from '#shared/domain/values/tenancy.ts';
import type { Instant } from '#shared/domain/values/time.ts';
import { analysesInRows } from '../analyses/analysis-row.ts';
import { readableWithdrawals } from '../analyses/consent-withdrawals.ts';
import { readableConsents } from '../analyses/consents.ts';
import { spouseByCpf } from '../analyses/spouses.ts';
import { formOf } from '../analyses/submissions.ts';
import { correctLead } from '../leads/lead-correction.ts';
import { getRow, getRows, type NewestPage, newestRows, PAGE } from '../rows/client.ts';
import { cutoffOf } from '../rows/consent-cutoff.ts';
import { leadByCpf } from '../rows/cpf-row.ts';
import { auditHash } from '../rows/index-keys.ts';
import { analysisListKey, leadKey, leadOpportunityKey, numberIn } from '../rows/keys.ts';
import { livingLead, readLead } from '../rows/living-lead.ts';
import { TableSimulations } from '../simulations/simulations.ts';

export class TablePersonalRecords implements PersonalRecords {
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  leadByCpf(tenancy: Tenancy, cpf: Cpf): Promise<LeadId | undefined> {
    return leadByCpf(tenancy, cpf);
  }

  spouseByCpf(tenancy: Tenancy, cpf: Cpf): Promise<readonly NamedSpouse[]> {
    return spouseByCpf(tenancy, cpf, this.#clock());
  }

  async ofSpouse(
    tenancy: Tenancy,
    named: readonly NamedSpouse[],
    { submission: before = idOf<SubmissionId>(0) } = FIRST_PAGE,
  ): Promise<PersonalPage<readonly SpouseForm[]>> {
    const now = this.#clock();
    const rest = named
      .filter(({ submissionId }) => submissionId < before)
      .sort((a, b) => b.submissionId - a.submissionId);
    const onPage = rest.slice(0, PAGE);
    const rows = await getRows(onPage.map((spouse) => analysisListKey({ ...tenancy, ...spouse })));
    const listed = rows.filter((row) => row !== undefined);
    const forms = await keptForms(tenancy, await analysesInRows(tenancy, listed), now);
    const page = forms.map(({ form, analyses }) => ({ form: splitForm(form).spouse, analyses }));
    const last = rest.length > PAGE ? onPage.at(-1) : undefined;
    return { page, next: last && { submission: last.submissionId } };
  }

  pseudonym(cpf: Cpf): Promise<string> {
    return auditHash(cpf);
  }

  async of(tenancy: Tenancy, leadId: LeadId, place = FIRST_PAGE): Promise<PersonalPage<PersonalData> | undefined> {
    const now = this.#clock();
    const [item, opportunities, analyses, consents, withdrawals] = await Promise.all([
      getRow(leadKey(tenancy, leadId)),
      this.#opportunities(tenancy, leadId, place.opportunity),
      analysesPage(tenancy, leadId, place.submission),
      readableConsents(tenancy, leadId, place.consent, now),
      readableWithdrawals(tenancy, leadId, place.withdrawal, now),
    ]);
    if (!item) return undefined;
    const living = livingLead(item);
    const [lead, forms] = await Promise.all([
      living && readLead(tenancy, living),
      // The forms of an erased person are gone. A form that was put back is not decrypted.
      living ? keptForms(tenancy, analyses.items, now) : [],
    ]);
    const consentCutoff = lead && (await cutoffOf(tenancy, lead.cpf, now));
    const next = {
      opportunity: opportunities.next,
      submission: analyses.next,
      consent: consents.next,
      withdrawal: withdrawals.next,
    };
    const hasNext = Object.values(next).some((before) => before !== undefined);
    return {
      page: {
        lead,
        opportunities: opportunities.items,
        analyses: analyses.items,
        forms: forms.map(({ form }) => form),
        consents: consents.items,
        withdrawals: withdrawals.items,
        consentCutoff,
      },
      next: hasNext ? next : undefined,
    };
  }

  correct(tenancy: Tenancy, leadId: LeadId, correction: PersonCorrection): Promise<CorrectionOutcome> {
    return correctLead(tenancy, leadId, correction, this.#clock);
  }

  async #opportunities(
    tenancy: Tenancy,
    leadId: LeadId,
    before: OpportunityId | undefined,
  ): Promise<NewestPage<Opportunity, OpportunityId>> {
    const simulations = new TableSimulations(this.#clock);
    const keyOf = (id: OpportunityId) => leadOpportunityKey(tenancy, leadId, id);
    const { items: rows, next } = await newestRows(keyOf, before);
    const ids = rows.map(({ sk }) => idOf<OpportunityId>(numberIn(sk)));
    const found = await Promise.all(ids.map((id) => simulations.get(tenancy, id)));
    return { items: found.filter((opportunity) => opportunity !== undefined), next };
  }
}

async function analysesPage(
  tenancy: Tenancy,
  leadId: LeadId,
  before: SubmissionId | undefined,
): Promise<NewestPage<Analysis, SubmissionId>> {
  const keyOf = (submissionId: SubmissionId) => analysisListKey({ ...tenancy, leadId, submissionId });
  const { items: rows, next } = await newestRows(keyOf, before);
  return { items: await analysesInRows(tenancy, rows), next };
}

async function keptForms(
  tenancy: Tenancy,
  analyses: readonly Analysis[],
  now: Instant,
): Promise<{ readonly form: AnalysisForm; readonly analyses: readonly Analysis[] }[]> {
  const submissions = Array.from(Map.groupBy(analyses, ({ submissionId }) => submissionId));
  const kept = submissions.filter(([, own]) => !isFormExpired(own, now));
  const forms = await Promise.all(
    kept.map(async ([id, own]) => {
      const form = await formOf(tenancy, id, now);
      return form && { form, analyses: own };
    }),
  );
  return forms.filter((form) => form !== undefined);
}
