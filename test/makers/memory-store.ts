import { type Analysis, type AnalysisForm, isPending, SUBMIT_LEASE } from '../../shared/domain/analyses/analysis.ts';
import { pollPartition } from '../../shared/domain/analyses/poll-schedule.ts';
import type { Analyses, AnalysisChange, SubmissionDraft } from '../../shared/domain/analyses/ports.ts';
import type { Erasure } from '../../shared/domain/leads/erasure.ts';
import { type Lead, missingFrom } from '../../shared/domain/leads/lead.ts';
import type { Erasures, Leads } from '../../shared/domain/leads/ports.ts';
import type { Clock } from '../../shared/domain/values/clock.ts';
import {
  type Answer,
  type Claim,
  type IdempotencyRecord,
  stillRunning,
} from '../../shared/domain/values/idempotency.ts';
import { type AnalysisId, drawId, type LeadId, type SubmissionId } from '../../shared/domain/values/ids.ts';
import type { Tenancy } from '../../shared/domain/values/tenancy.ts';
import type { Delivery } from '../../shared/domain/webhooks/ports.ts';

interface KeptLead {
  lead: Lead;
  erasing: boolean;
}

interface KeptRecord {
  readonly content: string;
  readonly expiresAt: number;
  readonly submitted?: { readonly analysisIds: readonly AnalysisId[]; readonly submissionId: SubmissionId };
  answer: Answer | undefined;
  lockedUntil: number;
}

/** A pending analysis with the moment until which a run may send it. */
interface KeptAnalysis {
  analysis: Analysis;
  submitLeaseUntil: number;
}

const at = ({ unitId, environment }: Tenancy, id: number) => `${unitId} ${environment} ${id}`;
const recordAt = ({ tenancy, operation, key }: Claim) => `${at(tenancy, 0)} ${operation} ${key}`;

/**
 * Leads, submissions, erasures and events in memory, by the conditions of the table's adapters: one call of a port sees
 * and changes all that it is about at once, as a transaction does.
 */
export class MemoryStore {
  readonly #clock: Clock;
  readonly #leads = new Map<string, KeptLead>();
  readonly #analyses = new Map<string, KeptAnalysis>();
  readonly #forms = new Map<string, AnalysisForm>();
  readonly #records = new Map<string, KeptRecord>();
  readonly #events = new Map<string, Delivery>();
  readonly #erasures = new Map<string, Erasure>();
  #consents = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  readonly deliveries = { get: async (eventId: string) => this.#events.get(eventId) };

  readonly leads: Leads = {
    createOrReuse: async (tenancy, draft, answer, claim) => {
      const earlier = claim && this.#earlier(claim);
      if (earlier) return { earlier };
      const known = [...this.#leads.entries()].find(
        ([key, { lead, erasing }]) => lead.cpf === draft.cpf && !erasing && key === at(tenancy, lead.id),
      )?.[1];
      const now = this.#clock();
      const found = known?.lead;
      let id = found?.id ?? drawId<LeadId>(now);
      while (!found && this.#leads.has(at(tenancy, id))) id = drawId<LeadId>(now);
      const done = answer(id, found);
      if (claim) this.#keepRecord(claim, { answer: done, lockedUntil: 0 });
      if (!known) {
        const lead = { ...draft, id, version: 1, createdAt: now, updatedAt: now };
        this.#leads.set(at(tenancy, id), { lead, erasing: false });
        return { done };
      }
      const missing = missingFrom(known.lead, draft);
      if (Object.keys(missing).length > 0)
        known.lead = { ...known.lead, ...missing, version: known.lead.version + 1, updatedAt: now };
      return { done };
    },
    find: async (tenancy, id) => {
      const lead = this.#living(tenancy, id)?.lead;
      return lead && { open: async () => lead };
    },
    get: async (tenancy, id) => this.#living(tenancy, id)?.lead,
    change: async (tenancy, id, change) => {
      const kept = this.#living(tenancy, id);
      if (!kept) return undefined;
      const { write, result } = change(kept.lead);
      if (write) kept.lead = { ...write, version: kept.lead.version + 1, updatedAt: this.#clock() };
      return result;
    },
  };

  readonly analyses: Analyses = {
    prepare: async (tenancy, leadId, claim) => {
      const kept = this.#leads.get(at(tenancy, leadId));
      if (kept?.erasing) return { lead: undefined, earlier: undefined };
      return { lead: kept?.lead, earlier: this.#earlier(claim) };
    },

    claim: async (draft, claim) => this.#claim(draft, claim),

    resume: async (claim, earlier) => {
      const record = this.#records.get(recordAt(claim))!;
      const now = this.#clock();
      if (record.answer || record.lockedUntil !== earlier.lockedUntil) throw stillRunning(record.lockedUntil, now);
      record.lockedUntil = now + SUBMIT_LEASE;
      const { submissionId, analysisIds } = record.submitted!;
      const form = this.#forms.get(at(claim.tenancy, submissionId));
      if (!form) return 'lead_gone';
      const analyses = analysisIds.map((id) => this.#analyses.get(at(claim.tenancy, id))!.analysis);
      return { submission: { id: submissionId, analyses }, form };
    },

    complete: async (claim, changes, answer) => {
      const record = this.#records.get(recordAt(claim))!;
      if (record.answer) return { earlier: record.answer };
      if (!this.#write(changes.filter(({ before, after }) => before !== after))) return 'moved_on';
      record.answer = answer;
      return 'written';
    },

    acquireSubmitLease: async (analysis, asked) => {
      const kept = this.#pending(analysis);
      if (kept?.analysis.queryNumber !== '' || kept.submitLeaseUntil > asked) return false;
      kept.submitLeaseUntil = this.#clock() + SUBMIT_LEASE;
      return true;
    },

    isToBeErased: async (analysis) => this.#erasures.has(at(analysis, analysis.leadId)),

    find: async (tenancy, id) => {
      const analysis = this.#analyses.get(at(tenancy, id))?.analysis;
      return analysis && { open: async () => analysis };
    },
    get: async (tenancy, id) => this.#analyses.get(at(tenancy, id))?.analysis,
    form: async (tenancy, submissionId) => this.#forms.get(at(tenancy, submissionId)),

    ofLead: async (tenancy, leadId) =>
      this.#living(tenancy, leadId) &&
      this.#analysesOf(tenancy, leadId)
        .map(({ id, bank, situation }) => ({ id, bank, situation }))
        .sort((a, b) => b.id - a.id),

    pending: async (partition, { from, to }) => {
      const isIn = (analysis: Analysis) =>
        isPending(analysis.situation) && JSON.stringify(pollPartition(analysis)) === JSON.stringify(partition);
      const items = [...this.#analyses.values()]
        .map(({ analysis }) => analysis)
        .filter((analysis) => isIn(analysis) && analysis.createdAt >= from && analysis.createdAt < to)
        .sort((a, b) => a.createdAt - b.createdAt);
      return { items, next: undefined };
    },

    conclude: async (change) => this.#write([change]),

    note: async (analysis, queryNumber, rawStatus) => {
      const kept = this.#pending(analysis);
      if (!kept) return false;
      const { unanswerableSince: _, ...rest } = kept.analysis;
      kept.analysis = { ...rest, queryNumber, rawStatus };
      return true;
    },

    markUnanswerable: async (analysis, since) => {
      const kept = this.#pending(analysis);
      if (!kept) return;
      const { unanswerableSince: before, ...rest } = kept.analysis;
      kept.analysis = since === undefined ? rest : { ...rest, unanswerableSince: before ?? since };
    },
  };

  readonly erasures: Erasures = {
    get: async (tenancy, leadId) => this.#erasures.get(at(tenancy, leadId)),
    exists: async (subject) => this.#leads.has(at(subject, subject.leadId)),
    begin: async (erasure) => {
      const key = at(erasure, erasure.leadId);
      if (!this.#erasures.has(key)) this.#erasures.set(key, erasure);
      return this.#erasures.get(key)!;
    },
    mark: async (erasure, nextCheckAt) => {
      const of = this.#analysesOf(erasure, erasure.leadId);
      const pending = of.filter(({ situation }) => isPending(situation)).length;
      const state = pending > 0 ? erasure.state : 'apagando';
      return this.#advance(erasure, { state, pending, nextCheckAt }, (kept) => {
        if (pending > 0) return;
        kept.erasing = true;
        kept.lead = { ...kept.lead, version: kept.lead.version + 1 };
      });
    },
    erase: async (erasure) => {
      const analyses = this.#analysesOf(erasure, erasure.leadId);
      const keys = [...new Set(analyses.map(({ submissionId }) => at(erasure, submissionId)))];
      const forms = keys.filter((key) => this.#forms.delete(key)).length;
      return { opportunities: 0, forms, analyses: analyses.length, consents: this.#consents };
    },
    close: async (erasure, pass, nextCheckAt) =>
      this.#advance(erasure, { state: 'apagado', passes: [...erasure.passes, pass], nextCheckAt }),
    finish: async (erasure, pass) =>
      this.#advance(erasure, { passes: [...erasure.passes, pass], nextCheckAt: undefined }),
    due: async () => ({ items: [], next: undefined }),
  };

  /** How many consents there are of the one lead that a story is about. */
  readonly consents = async () => this.#consents;

  /** The events of one analysis. */
  readonly events = async (_: Tenancy, analysisId: AnalysisId) =>
    [...this.#events.values()].filter((event) => event.analysisId === analysisId);

  #living(tenancy: Tenancy, id: LeadId): KeptLead | undefined {
    const kept = this.#leads.get(at(tenancy, id));
    return kept?.erasing ? undefined : kept;
  }

  #analysesOf(tenancy: Tenancy, leadId: LeadId): Analysis[] {
    return [...this.#analyses.values()]
      .map(({ analysis }) => analysis)
      .filter((one) => one.leadId === leadId && at(one, 0) === at(tenancy, 0));
  }

  #pending(analysis: Analysis): KeptAnalysis | undefined {
    const kept = this.#analyses.get(at(analysis, analysis.id));
    return kept && isPending(kept.analysis.situation) ? kept : undefined;
  }

  #earlier(claim: Claim): IdempotencyRecord | undefined {
    const record = this.#records.get(recordAt(claim));
    if (!record || this.#clock() >= record.expiresAt) return undefined;
    const { content, answer, lockedUntil } = record;
    return { sameContent: content === claim.content, answer, lockedUntil, resume: undefined };
  }

  #claim(
    { caller, lead, leadToWrite, banks, form, forced, requestId }: SubmissionDraft,
    claim: Claim,
  ): Awaited<ReturnType<Analyses['claim']>> {
    const now = this.#clock();
    const earlier = this.#earlier(claim);
    if (earlier) return { earlier };
    if (this.#erasures.has(at(caller, lead.id))) return 'lead_gone';
    const kept = this.#living(caller, lead.id);
    if (kept?.lead.version !== lead.version) return 'lead_changed';
    if (leadToWrite) kept.lead = leadToWrite;
    const drawn = new Set<AnalysisId>();
    while (drawn.size < banks.length) {
      const id = drawId<AnalysisId>(now);
      if (!this.#analyses.has(at(caller, id))) drawn.add(id);
    }
    const ids = [...drawn];
    const submissionId = Number(ids[0]) as SubmissionId;
    const { unitId, environment, partnerId } = caller;
    const analyses = ids.map((id, index) => ({
      ...{ id, unitId, environment, partnerId, leadId: lead.id, bank: banks[index]!, submissionId },
      ...{ situation: 'em_analise' as const, queryNumber: '', rawStatus: 'EM PROCESSAMENTO', sequence: 0 },
      ...{ createdAt: now, forced, requestId },
    }));
    for (const analysis of analyses) this.#analyses.set(at(caller, analysis.id), { analysis, submitLeaseUntil: 0 });
    this.#forms.set(at(caller, submissionId), form);
    this.#consents += 1;
    const submitted = { analysisIds: ids, submissionId };
    this.#keepRecord(claim, { submitted, answer: undefined, lockedUntil: now + SUBMIT_LEASE });
    return { done: { id: submissionId, analyses } };
  }

  #keepRecord(claim: Claim, state: Pick<KeptRecord, 'submitted' | 'answer' | 'lockedUntil'>): void {
    const { content, expiresAt } = claim;
    this.#records.set(recordAt(claim), { content, expiresAt, ...state });
  }

  /** All of them or none. False where one is no longer as it was read. */
  #write(changes: readonly AnalysisChange[]): boolean {
    const rows = changes.map(({ before }) => this.#analyses.get(at(before, before.id)));
    const stands = changes.every(({ before }, index) => {
      const current = rows[index]?.analysis;
      return current?.situation === before.situation && current.sequence === before.sequence;
    });
    if (!stands) return false;
    for (const [index, { after, delivery }] of changes.entries()) {
      const { unanswerableSince: _, ...rest } = after;
      const ended = isPending(after.situation) ? undefined : delivery;
      rows[index]!.analysis = { ...rest, ...(ended && { concludedAt: ended.createdAt }) };
      if (delivery) this.#events.set(delivery.eventId, delivery);
    }
    return true;
  }

  #advance(before: Erasure, changes: Partial<Erasure>, also: (kept: KeptLead) => void = () => {}): Erasure {
    const key = at(before, before.leadId);
    const current = this.#erasures.get(key)!;
    if (current.revision !== before.revision) return current;
    const after = { ...before, ...changes, revision: before.revision + 1 };
    this.#erasures.set(key, after);
    also(this.#leads.get(key)!);
    return after;
  }
}
