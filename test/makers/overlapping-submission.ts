import { eventOf } from '../../shared/contract/event.ts';
import { type Analysis, SUBMIT_LEASE } from '../../shared/domain/analyses/analysis.ts';
import type { PollOutcome } from '../../shared/domain/analyses/book-answer.ts';
import { bookAnswer } from '../../shared/domain/analyses/book-answer.ts';
import { pollAnalysis } from '../../shared/domain/analyses/poll-analysis.ts';
import type { Analyses, OperatorApi } from '../../shared/domain/analyses/ports.ts';
import { type OutcomeRecord, recordOutcomes } from '../../shared/domain/analyses/record-outcomes.ts';
import { beginSubmission, type SubmissionDeps, submitClaimed } from '../../shared/domain/analyses/submission.ts';
import { UnsentWatch } from '../../shared/domain/analyses/unsent-watch.ts';
import { erasePerson, sweepErasures } from '../../shared/domain/leads/erase-person.ts';
import type { Erasure } from '../../shared/domain/leads/erasure.ts';
import type { Lead } from '../../shared/domain/leads/lead.ts';
import type { Erasures } from '../../shared/domain/leads/ports.ts';
import { Failure } from '../../shared/domain/values/failure.ts';
import { type Answer, IDEMPOTENCY_TTL } from '../../shared/domain/values/idempotency.ts';
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

/** A story as its containers share it. */
async function begin() {
  const tenancy = newTenancy();
  return {
    tenancy,
    claim: { ...newClaim(tenancy, START), expiresAt: START + IDEMPOTENCY_TTL.analyses },
    lead: await keepLead(
      tableLeads(() => START),
      tenancy,
    ),
    /** In milliseconds since 1970. */
    now: START,
    /** What the operator has received, one entry a submission. */
    received: [] as Analysis[],
    /** Analyses that were claimed though the erasure had been asked for. */
    claimedLate: [] as Analysis[],
  };
}
type Story = Awaited<ReturnType<typeof begin>>;

/** One person's submission to one bank, with the runs that may meet over it, in a container of which the clock is `ahead`. */
export class OverlappingSubmission {
  readonly story: Story;
  readonly #clock: () => number;
  readonly analyses: Analyses;
  readonly consents: ReturnType<typeof tableConsents>;
  readonly erasures: ReturnType<typeof tableErasures>;

  private constructor(story: Story, ahead: number) {
    this.story = story;
    this.#clock = () => story.now + ahead;
    this.analyses = tableAnalyses(this.#clock);
    this.consents = tableConsents(this.#clock);
    this.erasures = tableErasures(this.#clock);
  }

  static async begin(): Promise<OverlappingSubmission> {
    return new OverlappingSubmission(await begin(), 0);
  }

  /** The same story in a container whose clock is so many milliseconds ahead. */
  skewed(milliseconds: number): OverlappingSubmission {
    return new OverlappingSubmission(this.story, milliseconds);
  }

  /** The operator, which says `text` of what it has received. A call that is held up for longer than it may take is given up unsent. */
  #operator(stepped: Stepped, text: string): OperatorApi {
    const timely = <T>(asked: number, otherwise: T, answer: () => T) =>
      this.story.now - asked >= ONE_CALL ? otherwise : answer();
    const inner = stepped({
      submit: async (analysis: Analysis, asked: number) =>
        timely<Awaited<ReturnType<OperatorApi['submit']>>>(asked, { kind: 'unknown' }, () => {
          this.story.received.push(analysis);
          return { kind: 'accepted', queryNumber: `IT-${analysis.id}`, rawStatus: 'Em análise' };
        }),
      query: async ({ id }: Analysis, asked: number) =>
        timely<Awaited<ReturnType<OperatorApi['query']>>>(asked, { kind: 'unavailable', fault: 'bank' }, () =>
          this.story.received.some((one) => one.id === id)
            ? { kind: 'known', queryNumber: `IT-${id}`, rawStatus: text }
            : { kind: 'absent' },
        ),
    });
    return {
      openFor: () => undefined,
      submit: (analysis) => inner.submit(analysis, this.story.now),
      query: (analysis) => inner.query(analysis, this.story.now),
    };
  }

  /** The analyses' rows, which note what is claimed late: one call is made at a time. */
  #watched(): Analyses {
    return {
      ...this.analyses,
      claim: async (draft, claim) => {
        const asked = await this.erasures.get(this.story.tenancy, this.story.lead.id);
        const claimed = await this.analyses.claim(draft, claim);
        if (asked && typeof claimed === 'object' && 'done' in claimed)
          this.story.claimedLate.push(...claimed.done.analyses);
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
      return makeSubmissionDraft(this.story.tenancy, lead, { banks: ['itau'] });
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
    const begun = await beginSubmission(
      store,
      this.story.tenancy,
      this.story.lead.id,
      this.story.claim,
      draftFor,
      operator,
    );
    if (begun === 'lead_gone') throw new Failure('lead_nao_encontrado');
    const { form } = draftFor(this.story.lead);
    if ('done' in begun) return submitClaimed(deps, this.story.claim, begun.done, form, false);
    const answered = earlierAnswer(begun.earlier, this.story.now);
    if (answered) return answered;
    const resumed = await store.resume(this.story.claim, begun.earlier);
    if (resumed === 'lead_gone') throw new Failure('lead_nao_encontrado');
    return submitClaimed(deps, this.story.claim, resumed.submission, form, true);
  };

  /** What a container of the poller does about the analysis, again a minute later where it is unsent; the bank says `text` of it. */
  readonly poll =
    (text: string, unsent = new UnsentWatch()) =>
    async (stepped: Stepped): Promise<PollOutcome | 'final'> => {
      const analyses = stepped(this.analyses);
      const { tenancy, lead } = this.story;
      const visit = async (again: boolean): Promise<PollOutcome | 'final'> => {
        const [listed] = (await analyses.ofLead(tenancy, lead.id)) ?? [];
        const analysis = listed && (await analyses.get(tenancy, listed.id));
        if (analysis?.situation !== 'em_analise') return 'final';
        if (analysis.queryNumber === '') unsent.see(analysis, this.#clock());
        const found = await pollAnalysis(analysis, {
          operator: this.#operator(stepped, text),
          resubmit: { analyses, unsent, form: () => analyses.form(analysis, analysis.submissionId) },
          read: readStatus,
          event: eventOf,
          clock: this.#clock,
          signal: new AbortController().signal,
        });
        if (again && analysis.queryNumber === '' && found.kind === 'no_news') {
          this.story.now += SUBMIT_LEASE;
          return visit(false);
        }
        if (found.kind === 'unavailable') return 'unavailable';
        return bookAnswer(analysis, found, { analyses, notify: async () => {} }, () => {});
      };
      return visit(true);
    };

  /** What the service does when the operator says `text` of the analysis by itself. */
  readonly push =
    (text: string) =>
    async (stepped: Stepped): Promise<readonly OutcomeRecord[]> => {
      const analyses = stepped(this.analyses);
      const [listed] = (await analyses.ofLead(this.story.tenancy, this.story.lead.id)) ?? [];
      if (!listed) return [];
      const { id, bank } = listed;
      const told = { ...this.story.tenancy, id, bank, queryNumber: `IT-${id}`, rawStatus: text };
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
    const ledger = { add: async () => {}, page: async () => ({ items: [], unreadable: 0, next: undefined }) };
    const subject = { ...this.story.tenancy, partnerId: 3 as PartnerId, leadId: this.story.lead.id };
    return erasePerson(subject, { erasures: stepped(this.erasures), ledger, clock: this.#clock });
  };

  /** What the sweeper does about this person's erasure. */
  readonly sweep = async (stepped: Stepped): Promise<void> => {
    const { tenancy, lead } = this.story;
    const due: Erasures['due'] = async (before) => {
      const erasure = await this.erasures.get(tenancy, lead.id);
      // As the index says it, which holds the erasures of all stories before.
      return { items: (erasure?.nextCheckAt ?? before) < before ? [erasure!] : [], next: undefined };
    };
    const deps = { erasures: stepped({ ...this.erasures, due }), clock: this.#clock, inTime: () => true };
    const { failed } = await sweepErasures(deps);
    if (failed[0]) throw failed[0].error;
  };
}
