import type { Clock } from '../values/clock.ts';
import { type Instant, type Milliseconds, seconds } from '../values/time.ts';
import { type Analysis, type AnalysisForm, SUBMIT_LEASE, SUBMIT_LIMIT, transition } from './analysis.ts';
import type { Analyses, AnalysisChange, BankSubmission, OperatorApi, SubmissionRefusal } from './ports.ts';
import type { SubmitLease, UnsentWatch } from './unsent-watch.ts';

/** Raw text of an analysis that was never sent because the erasure of its person was requested. */
const WITHDRAWN = 'Cancelado antes do envio: eliminação dos dados do titular';

/** Raw text of an analysis that was never sent because its person withdrew the consent. */
const CONSENT_WITHDRAWN = 'Cancelado antes do envio: consentimento revogado pelo titular';

/** Time limit for one bank. Together with the reads and writes of the table, it stays below the gateway's 29 s. */
const ONE_BANK: Milliseconds = seconds(10);

/**
 * Returns the change that gives a pending analysis another situation. `refusal`: why its bank submission was refused.
 * Undefined if the analysis has ended already.
 */
export function ending(
  analysis: Analysis,
  to: Parameters<typeof transition>[1],
  refusal?: SubmissionRefusal,
): AnalysisChange | undefined {
  const after = transition(analysis, to);
  return after && { before: analysis, after, refusal };
}

/**
 * Returns how the result of a bank submission changes an analysis.
 * - `accepted`: the analysis gets the bank's number and text. The caller must know that it is pending.
 * - `refused`, `withdrawn`, `consent_withdrawn`: the analysis ends. It stays unchanged if it has ended already.
 * - `unknown`: the analysis stays unchanged.
 */
export function afterBankSubmission(analysis: Analysis, result: BankSubmission): AnalysisChange {
  const { queryNumber } = analysis;
  const same = unchanged(analysis);
  switch (result.kind) {
    case 'accepted': {
      const { queryNumber, rawStatus } = result;
      return { before: analysis, after: { ...analysis, queryNumber, rawStatus } };
    }
    case 'refused':
      return (
        ending(analysis, { situation: 'erro', rawStatus: result.rawStatus, queryNumber: '' }, result.reason) ?? same
      );
    case 'withdrawn':
      return ending(analysis, { situation: 'cancelado', rawStatus: WITHDRAWN, queryNumber }) ?? same;
    case 'consent_withdrawn':
      return ending(analysis, { situation: 'cancelado', rawStatus: CONSENT_WITHDRAWN, queryNumber }) ?? same;
    case 'unknown':
      return same;
  }
}

/** Returns a change that changes nothing. */
export const unchanged = (analysis: Analysis): AnalysisChange => ({ before: analysis, after: analysis });

/** Dependencies of a bank submission. */
export interface SubmitDeps {
  readonly operator: OperatorApi;
  readonly clock: Clock;
  /** Aborted when the time limit for the call to the bank is over. */
  readonly signal: AbortSignal;
}

/**
 * Dependencies for sending an analysis that another run claimed: the row of the lease, and what this container has seen
 * unsent.
 */
export interface ResubmitDeps extends SubmitDeps {
  readonly analyses: Pick<Analyses, 'acquireSubmitLease' | 'isToBeErased' | 'isConsentWithdrawn'>;
  readonly unsent: UnsentWatch;
}

const inDoubt: BankSubmission = { kind: 'unknown' };
/** Result for an analysis that the operator has never received and that is too old to be sent. */
const TOO_LATE: BankSubmission = {
  kind: 'refused',
  rawStatus: 'Falha no envio: prazo de 48 horas encerrado',
  reason: 'too_late',
};

/**
 * Sends an analysis that the operator has never received. A second submission would be a second credit query on a
 * person's name, so the caller must make sure of two things: this container has seen the analysis unsent under the
 * lease `stale` for 60 s, and the operator was asked after that, at `asked`.
 *
 * Only the caller that acquires the lease continues. Every other caller gets undefined; or `unknown`, without trying,
 * if the signal is aborted. With the lease:
 * - `consent_withdrawn`: the person withdrew the consent.
 * - `refused` (`too_late`): the analysis is older than 48 hours (shared/contract/README.md#analyses, rule 7).
 * - `withdrawn`: the erasure of the person was requested.
 * - `unknown`: nothing was sent, since the lease might run out before the bank has answered; or the answer cannot be
 *   trusted.
 *
 * If `signal` is aborted already, returns `unknown` without the lease.
 */
export async function submitIfAbsent(
  analysis: Analysis,
  form: AnalysisForm,
  { asked, stale }: { readonly asked: Instant; readonly stale: SubmitLease },
  { operator, analyses, unsent, clock, signal }: ResubmitDeps,
): Promise<BankSubmission | undefined> {
  if (signal.aborted) return inDoubt;
  const taken = await analyses.acquireSubmitLease(analysis, stale);
  if (taken) unsent.see(analysis, taken.lease);
  if (!taken?.isMine) return undefined;
  // Both are checked while we hold the lease: nobody else can be sending the analysis now.
  if (await analyses.isConsentWithdrawn(analysis)) return { kind: 'consent_withdrawn' };
  if (asked - analysis.createdAt > SUBMIT_LIMIT) return TOO_LATE;
  if (await analyses.isToBeErased(analysis)) return { kind: 'withdrawn' };
  const inTime = clock() - asked < SUBMIT_LEASE - ONE_BANK;
  return inTime ? operator.submit(analysis, form, signal) : inDoubt;
}

/**
 * Sends the analyses that this run has just claimed to their banks. Sends none if 50 s have passed since the claim, for
 * example in a frozen container or with a slow table: the poller may send the analysis soon.
 */
export function sendToBanks(
  analyses: readonly Analysis[],
  form: AnalysisForm,
  { operator, clock }: Omit<SubmitDeps, 'signal'>,
): Promise<AnalysisChange[]> {
  return withinLimit(analyses, async (analysis, signal) => {
    const inTime = clock() - analysis.createdAt < SUBMIT_LEASE - ONE_BANK;
    return inTime ? operator.submit(analysis, form, signal) : inDoubt;
  });
}

/**
 * Asks the operator about analyses that an earlier run may have sent. Sends nothing, because the earlier run may still
 * be sending them, and our clock cannot tell when that run is over. If an analysis never arrived, the poller sends it.
 */
export function findAtBanks(
  analyses: readonly Analysis[],
  { operator }: Pick<SubmitDeps, 'operator'>,
): Promise<AnalysisChange[]> {
  return withinLimit(analyses, async (analysis, signal) => {
    const status = await operator.query(analysis, signal);
    if (status.kind !== 'known') return inDoubt;
    return { kind: 'accepted', queryNumber: status.queryNumber, rawStatus: status.rawStatus };
  });
}

/**
 * Calls `work` for all analyses of a submission in parallel, and returns a change for each, in their order. An analysis
 * that has ended, or that its bank has confirmed, stays unchanged.
 */
async function withinLimit(
  analyses: readonly Analysis[],
  work: (analysis: Analysis, signal: AbortSignal) => Promise<BankSubmission>,
): Promise<AnalysisChange[]> {
  // All calls begin now, so that they can share one time limit.
  const signal = AbortSignal.timeout(ONE_BANK);
  return Promise.all(
    analyses.map(async (analysis) => {
      const waits = analysis.situation === 'em_analise' && analysis.queryNumber === '';
      return waits ? afterBankSubmission(analysis, await work(analysis, signal)) : unchanged(analysis);
    }),
  );
}
