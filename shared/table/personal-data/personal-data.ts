import { isFormExpired, splitForm } from '#shared/domain/analyses/analysis.ts';
import type {
  CorrectionOutcome,
  NamedSpouse,
  PersonalData,
  PersonalRecords,
  PersonCorrection,
  SpouseForm,
} from '#shared/domain/personal-data/ports.ts';
import type { Opportunity } from '#shared/domain/simulations/simulation.ts';
import type { Clock } from '#shared/domain/values/clock.ts';
import type { Cpf } from '#shared/domain/values/cpf.ts';
import type { LeadId } from '#shared/domain/values/ids.ts';
import type { Tenancy } from '#shared/domain/values/tenancy.ts';
import type { Instant } from '#shared/domain/values/time.ts';
import { analysesOfLead } from '../analyses/analysis-row.ts';
import { readableWithdrawals } from '../analyses/consent-withdrawals.ts';
import { readableConsents } from '../analyses/consents.ts';
import { spouseByCpf } from '../analyses/spouses.ts';
import { formOf } from '../analyses/submissions.ts';
import { correctLead } from '../leads/lead-correction.ts';
import { getRow } from '../rows/client.ts';
import { cutoffOf } from '../rows/consent-cutoff.ts';
import { leadByCpf } from '../rows/cpf-row.ts';
import { auditHash } from '../rows/index-keys.ts';
import { leadKey } from '../rows/keys.ts';
import { livingLead, readLead } from '../rows/living-lead.ts';
import { opportunityIdsOf, TableSimulations } from '../simulations/simulations.ts';

/** Finds persons, and returns everything that is stored about a person. */
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

  async ofSpouse(tenancy: Tenancy, named: readonly NamedSpouse[]): Promise<readonly SpouseForm[]> {
    const now = this.#clock();
    const forms = await Promise.all(named.map((spouse) => spouseForm(tenancy, spouse, now)));
    return forms.filter((form) => form !== undefined);
  }

  pseudonym(cpf: Cpf): Promise<string> {
    return auditHash(cpf);
  }

  async of(tenancy: Tenancy, leadId: LeadId): Promise<PersonalData | undefined> {
    const now = this.#clock();
    const [item, opportunities, { analyses }, consents, withdrawals] = await Promise.all([
      getRow(leadKey(tenancy, leadId)),
      this.#opportunities(tenancy, leadId),
      analysesOfLead(tenancy, leadId),
      readableConsents(tenancy, leadId, now),
      readableWithdrawals(tenancy, leadId, now),
    ]);
    if (!item) return undefined;
    const living = livingLead(item);
    const submissions = Map.groupBy(analyses, ({ submissionId }) => submissionId);
    // The forms of an erased person are gone. A row that was put back is not opened.
    const kept = living ? Array.from(submissions).filter(([, own]) => !isFormExpired(own, now)) : [];
    const [lead, forms] = await Promise.all([
      living && readLead(tenancy, living),
      Promise.all(kept.map(([id]) => formOf(tenancy, id, now))),
    ]);
    const consentCutoff = lead && (await cutoffOf(tenancy, lead.cpf, now));
    return {
      lead,
      opportunities,
      analyses,
      forms: forms.filter((form) => form !== undefined),
      consents,
      withdrawals,
      consentCutoff,
    };
  }

  correct(tenancy: Tenancy, leadId: LeadId, correction: PersonCorrection): Promise<CorrectionOutcome> {
    return correctLead(tenancy, leadId, correction, this.#clock);
  }

  async #opportunities(tenancy: Tenancy, leadId: LeadId): Promise<Opportunity[]> {
    const simulations = new TableSimulations(this.#clock);
    const ids = await opportunityIdsOf(tenancy, leadId);
    const found = await Promise.all(ids.map((id) => simulations.get(tenancy, id)));
    return found.filter((opportunity) => opportunity !== undefined);
  }
}

/**
 * Returns the spouse's fields of a submission's form, with the submission's analyses. Undefined if the form is no
 * longer kept.
 */
async function spouseForm(
  tenancy: Tenancy,
  { leadId, submissionId }: NamedSpouse,
  now: Instant,
): Promise<SpouseForm | undefined> {
  const { analyses } = await analysesOfLead(tenancy, leadId);
  const own = analyses.filter((analysis) => analysis.submissionId === submissionId);
  const form = isFormExpired(own, now) ? undefined : await formOf(tenancy, submissionId, now);
  return form && { form: splitForm(form).spouse, analyses: own };
}
