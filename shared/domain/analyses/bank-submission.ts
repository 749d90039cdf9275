import type { Clock } from '../values/clock.ts';
import { type Instant, type Milliseconds, seconds } from '../values/time.ts';
import { type Analysis, type AnalysisForm, SUBMIT_LEASE, SUBMIT_LIMIT, transition } from './analysis.ts';
import type { Analyses, AnalysisChange, BankSubmission, OperatorApi, SubmissionRefusal } from './ports.ts';
import type { SubmitLease, UnsentWatch } from './unsent-watch.ts';

const WITHDRAWN = 'Cancelado antes do envio: eliminação dos dados do titular';

const CONSENT_WITHDRAWN = 'Cancelado antes do envio: consentimento revogado pelo titular';

/** Together with the reads and writes of the table, this stays below the gateway's 29 s. */
const ONE_BANK: Milliseconds = seconds(10);

/** Undefined if the analysis has ended already. */
export function ending(
  analysis: Analysis,
  to: Parameters<typeof transition>[1],
  refusal?: SubmissionRefusal,
): AnalysisChange | undefined {
  const after = transition(analysis, to);
  return after && { before: analysis, after, refusal };
}

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

export const unchanged = (analysis: Analysis): AnalysisChange => ({ before: analysis, after: analysis });

export interface SubmitDeps {
  readonly operator: OperatorApi;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface ResubmitDeps extends SubmitDeps {
  readonly analyses: Pick<Analyses, 'acquireSubmitLease' | 'isToBeErased' | 'isConsentWithdrawn'>;
  readonly unsent: UnsentWatch;
}

const inDoubt: BankSubmission = { kind: 'unknown' };
const TOO_LATE: BankSubmission = {
  kind: 'refused',
  rawStatus: 'Falha no envio: prazo de 48 horas encerrado',
  reason: 'too_late',
};

/**
 * Sends an analysis that the operator has never received. A second submission would be a second credit query on a
 * person's name. So this container must have seen the analysis unsent under the lease `stale` for 60 s, and asked the
 * operator after that, at `asked`.
 *
 * Undefined if another caller has the lease, or if the analysis has ended or is confirmed. `unknown` also if nothing
 * was sent because the lease might run out before the bank has answered.
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
  // These checks run while we hold the lease, so nobody else can be sending the analysis now.
  if (await analyses.isConsentWithdrawn(analysis)) return { kind: 'consent_withdrawn' };
  if (asked - analysis.createdAt > SUBMIT_LIMIT) return TOO_LATE;
  if (await analyses.isToBeErased(analysis)) return { kind: 'withdrawn' };
  const inTime = clock() - asked < SUBMIT_LEASE - ONE_BANK;
  return inTime ? operator.submit(analysis, form, signal) : inDoubt;
}

/** Sends nothing if 50 s have passed since the claim: the poller may send the analysis soon. */
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
 * Sends nothing: the run that claimed the analyses may still be sending them, and our clock cannot tell when that run
 * is over.
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

/** An analysis that has ended, or that its bank has confirmed, stays unchanged. */
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
