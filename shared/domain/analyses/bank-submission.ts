import type { Clock } from '../values/clock.ts';
import { type Instant, type Milliseconds, seconds } from '../values/time.ts';
import type { Delivery } from '../webhooks/ports.ts';
import { type Analysis, type AnalysisForm, SUBMIT_LEASE, SUBMIT_LIMIT, transition } from './analysis.ts';
import type { Analyses, AnalysisChange, BankSubmission, OperatorApi, SubmissionRefusal } from './ports.ts';
import type { SubmitLease, UnsentWatch } from './unsent-watch.ts';

/**
 * Makes the event that an analysis causes as it becomes final, in the contract's words. `refusal` where the bank
 * submission was refused.
 */
export type EventMaker = (analysis: Analysis, now: Instant, refusal?: SubmissionRefusal) => Delivery;

/** The text of an analysis that was never sent, since its person is to be erased. */
const WITHDRAWN = 'Cancelado antes do envio: eliminação dos dados do titular';

/** Time limit for one bank: below the gateway's 29 s with the table's share. */
const ONE_BANK: Milliseconds = seconds(10);

/** An analysis after its bank submission: confirmed with the bank's number, refused for good, or as it was where no answer can be trusted. */
export function afterBankSubmission(
  analysis: Analysis,
  result: BankSubmission,
  event: EventMaker,
  now: Instant,
): AnalysisChange {
  const ended = (to: Parameters<typeof transition>[1], reason?: SubmissionRefusal): AnalysisChange => {
    const after = transition(analysis, to);
    if (!after) return unchanged(analysis);
    return { before: analysis, after, delivery: event(after, now, reason), refusal: reason };
  };
  switch (result.kind) {
    case 'accepted': {
      const { queryNumber, rawStatus } = result;
      return { before: analysis, after: { ...analysis, queryNumber, rawStatus }, delivery: undefined };
    }
    case 'refused':
      return ended({ situation: 'erro', rawStatus: result.rawStatus, queryNumber: '' }, result.reason);
    case 'withdrawn':
      return ended({ situation: 'cancelado', rawStatus: WITHDRAWN, queryNumber: analysis.queryNumber });
    case 'unknown':
      return unchanged(analysis);
  }
}

/** An analysis that stays as it is. */
export const unchanged = (analysis: Analysis): AnalysisChange => ({
  before: analysis,
  after: analysis,
  delivery: undefined,
});

/** What a bank submission goes through. */
export interface SubmitDeps {
  readonly operator: OperatorApi;
  readonly clock: Clock;
  /** Ends the bank submission; 10 seconds for one bank. */
  readonly signal: AbortSignal;
}

/** What sending takes for one who did not claim the analysis: the row on which all agree who sends, and what he has seen. */
export interface ResubmitDeps extends SubmitDeps {
  readonly analyses: Pick<Analyses, 'acquireSubmitLease' | 'isToBeErased'>;
  readonly unsent: UnsentWatch;
}

const inDoubt: BankSubmission = { kind: 'unknown' };
/** What ends an analysis that was in doubt for too long and has never arrived. */
const TOO_LATE: BankSubmission = {
  kind: 'refused',
  rawStatus: 'Falha no envio: prazo de 48 horas encerrado',
  reason: 'too_late',
};

/**
 * Sends an analysis claimed a moment ago, which nobody else can have sent yet. A run that was held up (a frozen
 * container, a slow table) sends nothing: the poller may have sent it by then.
 */
async function submitFirst(
  analysis: Analysis,
  form: AnalysisForm,
  { operator, clock, signal }: SubmitDeps,
): Promise<BankSubmission> {
  const inTime = clock() - analysis.createdAt < SUBMIT_LEASE - ONE_BANK;
  return inTime ? operator.submit(analysis, form, signal) : inDoubt;
}

/**
 * Sends an analysis that was seen unsent under a lease for 60 s, and of which the operator said at `asked`, after that,
 * that it has never received it. A submission is a credit query on a person's name, and a
 * second one harms them. Only the caller that acquires the lease sends; every other caller gets undefined. Refused
 * after 48 hours (shared/contract/README.md#analyses, rule 7): a query that nobody expects any more is not made. Who
 * ends it takes the lease too, so that nobody is just then sending it. Withdrawn where the person is to be erased.
 */
export async function submitIfAbsent(
  analysis: Analysis,
  form: AnalysisForm,
  { asked, stale }: { readonly asked: Instant; readonly stale: SubmitLease },
  { operator, analyses, unsent, clock, signal }: ResubmitDeps,
): Promise<BankSubmission | undefined> {
  if (signal.aborted) return inDoubt;
  const taken = await analyses.acquireSubmitLease(analysis, stale);
  if (taken) unsent.see(analysis, clock(), taken.lease);
  if (!taken?.isMine) return undefined;
  if (asked - analysis.createdAt > SUBMIT_LIMIT) return TOO_LATE;
  // Under the lease, so that nobody is just then sending it.
  if (await analyses.isToBeErased(analysis)) return { kind: 'withdrawn' };
  const inTime = clock() - asked < SUBMIT_LEASE - ONE_BANK;
  return inTime ? operator.submit(analysis, form, signal) : inDoubt;
}

/**
 * Asks the operator, by our reference, about an analysis that an earlier run may have sent, or may be sending still: whose
 * clock says that its lock is over need not be right. What never arrived the poller sends.
 */
async function findSubmitted(analysis: Analysis, { operator, signal }: SubmitDeps): Promise<BankSubmission> {
  const status = await operator.query(analysis, signal);
  if (status.kind !== 'known') return inDoubt;
  return { kind: 'accepted', queryNumber: status.queryNumber, rawStatus: status.rawStatus };
}

/**
 * Submits all analyses of a submission side by side, each within its time limit, and says what each becomes. Banks that
 * have confirmed are left alone. `resumed`: an earlier run may have sent them, so they are asked for and not sent.
 */
export async function submitToBanks(
  analyses: readonly Analysis[],
  form: AnalysisForm,
  resumed: boolean,
  event: EventMaker,
  deps: Omit<SubmitDeps, 'signal'>,
): Promise<AnalysisChange[]> {
  // All begin now, so that the limit of one is the limit of all.
  const signal = AbortSignal.timeout(ONE_BANK);
  const limited: SubmitDeps = { operator: deps.operator, clock: deps.clock, signal };
  const send = (analysis: Analysis) =>
    resumed ? findSubmitted(analysis, limited) : submitFirst(analysis, form, limited);
  return Promise.all(
    analyses.map(async (analysis): Promise<AnalysisChange> => {
      const waits = analysis.situation === 'em_analise' && analysis.queryNumber === '';
      if (!waits) return unchanged(analysis);
      return afterBankSubmission(analysis, await send(analysis), event, deps.clock());
    }),
  );
}
