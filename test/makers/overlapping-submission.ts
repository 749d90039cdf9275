import { eventOf } from '../../shared/contract/event.ts';
import type { Analysis } from '../../shared/domain/analyses/analysis.ts';
import { type PollOutcome, pollNow } from '../../shared/domain/analyses/poll-now.ts';
import type { Analyses, OperatorApi } from '../../shared/domain/analyses/ports.ts';
import { type OutcomeRecord, recordOutcomes } from '../../shared/domain/analyses/record-outcomes.ts';
import { beginSubmission, type SubmissionDeps, submitClaimed } from '../../shared/domain/analyses/submission.ts';
import { erasePerson } from '../../shared/domain/leads/erase-person.ts';
import type { Erasure } from '../../shared/domain/leads/erasure.ts';
import type { Lead } from '../../shared/domain/leads/lead.ts';
import { Failure } from '../../shared/domain/values/failure.ts';
import type { Answer } from '../../shared/domain/values/idempotency.ts';
import type { PartnerId } from '../../shared/domain/values/ids.ts';
import { earlierAnswer } from '../../shared/http/once.ts';
import { readStatus } from '../../shared/operator/statuses.ts';
import { tableAnalyses } from '../../shared/table/analyses.ts';
import { tableConsents } from '../../shared/table/consents.ts';
import { tableErasures } from '../../shared/table/lead-erasure.ts';
import { tableLeads } from '../../shared/table/leads.ts';
import type { Stepped } from './interleaved.ts';
import { keepLead } from './lead.ts';
import { makeSubmissionDraft, newClaim } from './submission.ts';
import { newTenancy } from './tenancy.ts';

const START = 1_780_000_000_000;
/** Milliseconds after which a call to the operator is given up. */
const ONE_CALL = 10_000;

/** One person's submission to one bank, with the runs that may meet over it; the clock is the story's. */
export class OverlappingSubmission {
  /** What the operator has received, one entry a submission. */
  readonly received: Analysis[] = [];
  /** Analyses that were claimed though the erasure had been asked for. */
  readonly claimedLate: Analysis[] = [];
  readonly tenancy = newTenancy();
  readonly claim = newClaim(this.tenancy, START);
  /** The story's time, in milliseconds since 1970. */
  now = START;
  readonly #clock = () => this.now;
  readonly analyses = tableAnalyses(this.#clock);
  readonly consents = tableConsents(this.#clock);
  readonly #erasures = tableErasures(this.#clock);
  lead!: Lead;

  static async begin(): Promise<OverlappingSubmission> {
    const story = new OverlappingSubmission();
    story.lead = await keepLead(tableLeads(story.#clock), story.tenancy);
    return story;
  }

  /** The operator, which says `text` of what it has received. A call that is held up for longer than it may take is given up unsent. */
  #operator(stepped: Stepped, text: string): OperatorApi {
    const timely = <T>(asked: number, otherwise: T, answer: () => T) =>
      this.now - asked >= ONE_CALL ? otherwise : answer();
    const inner = stepped({
      submit: async (analysis: Analysis, asked: number) =>
        timely<Awaited<ReturnType<OperatorApi['submit']>>>(asked, { kind: 'unknown' }, () => {
          this.received.push(analysis);
          return { kind: 'accepted', queryNumber: `IT-${analysis.id}`, rawStatus: 'Em análise' };
        }),
      query: async ({ id }: Analysis, asked: number) =>
        timely<Awaited<ReturnType<OperatorApi['query']>>>(asked, { kind: 'unavailable', fault: 'bank' }, () =>
          this.received.some((one) => one.id === id)
            ? { kind: 'known', queryNumber: `IT-${id}`, rawStatus: text }
            : { kind: 'absent' },
        ),
    });
    return {
      openFor: () => undefined,
      submit: (analysis) => inner.submit(analysis, this.now),
      query: (analysis) => inner.query(analysis, this.now),
    };
  }

  /** The analyses' rows, which note what is claimed late: one call is made at a time. */
  #watched(): Analyses {
    return {
      ...this.analyses,
      claim: async (draft, claim) => {
        const asked = await this.#erasures.get(this.tenancy, this.lead.id);
        const claimed = await this.analyses.claim(draft, claim);
        if (asked && typeof claimed === 'object' && 'done' in claimed) this.claimedLate.push(...claimed.done.analyses);
        return claimed;
      },
    };
  }

  /** What the call that submits does, and its retry with the same key. */
  readonly submit = async (stepped: Stepped): Promise<Answer> => {
    const store = stepped(this.#watched());
    const operator = this.#operator(stepped, 'Em análise');
    const draftFor = (lead: Lead | undefined) => {
      if (!lead) throw new Failure('lead_nao_encontrado');
      return makeSubmissionDraft(this.tenancy, lead, { banks: ['itau'] });
    };
    const told = (all: readonly Analysis[]) =>
      all.map(({ id, situation, queryNumber }) => [id, situation, queryNumber]);
    const deps: SubmissionDeps = {
      operator,
      analyses: store,
      clock: this.#clock,
      event: eventOf,
      answerFor: (all) => ({ status: 202, body: JSON.stringify(told(all)) }),
      notify: async () => {},
      submitted() {},
    };
    const begun = await beginSubmission(store, this.tenancy, this.lead.id, this.claim, draftFor, operator);
    if (begun === 'lead_gone') throw new Failure('lead_nao_encontrado');
    const { form } = draftFor(this.lead);
    if ('done' in begun) return submitClaimed(deps, this.claim, begun.done, form, false);
    const answered = earlierAnswer(begun.earlier, this.now);
    if (answered) return answered;
    const resumed = await store.resume(this.claim, begun.earlier);
    if (resumed === 'lead_gone') throw new Failure('lead_nao_encontrado');
    return submitClaimed(deps, this.claim, resumed.submission, form, true);
  };

  /** What the poller does with the analysis as it is when the run begins; the bank says `text` of it. */
  readonly poll =
    (text: string) =>
    async (stepped: Stepped): Promise<PollOutcome | 'final'> => {
      const analyses = stepped(this.analyses);
      const [listed] = (await analyses.ofLead(this.tenancy, this.lead.id)) ?? [];
      const analysis = listed && (await analyses.get(this.tenancy, listed.id));
      if (analysis?.situation !== 'em_analise') return 'final';
      return pollNow(analysis, {
        operator: this.#operator(stepped, text),
        analyses,
        read: readStatus,
        event: eventOf,
        clock: this.#clock,
        notify: async () => {},
        signal: new AbortController().signal,
      });
    };

  /** What the service does when the operator says `text` of the analysis by itself. */
  readonly push =
    (text: string) =>
    async (stepped: Stepped): Promise<readonly OutcomeRecord[]> => {
      const analyses = stepped(this.analyses);
      const [listed] = (await analyses.ofLead(this.tenancy, this.lead.id)) ?? [];
      if (!listed) return [];
      const { id, bank } = listed;
      const told = { ...this.tenancy, id, bank, queryNumber: `IT-${id}`, rawStatus: text };
      return recordOutcomes([told], {
        analyses,
        read: readStatus,
        withoutNames: async (_, said) => said,
        event: eventOf,
        clock: this.#clock,
        notify: async () => {},
        observer: { asked() {}, concluded() {} },
        failed: (error) => {
          throw error;
        },
      });
    };

  /** What the administration does to erase the person. */
  readonly erase = (stepped: Stepped): Promise<Erasure | undefined> => {
    const ledger = { add: async () => {}, page: async () => ({ items: [], next: undefined }) };
    const subject = { ...this.tenancy, partnerId: 3 as PartnerId, leadId: this.lead.id };
    return erasePerson(subject, { erasures: stepped(this.#erasures), ledger, clock: this.#clock });
  };
}
