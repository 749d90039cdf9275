import type { Delivery } from '../webhooks/ports.ts';
import { type Analysis, type AnalysisForm, SUBMIT_LEASE, SUBMIT_LIMIT, transition } from './analysis.ts';
import type {
  Analyses,
  AnalysisChange,
  BankSubmission,
  OperatorApi,
  OperatorStatus,
  SubmissionRefusal,
} from './ports.ts';

/**
 * Makes the event that an analysis causes as it becomes final, in the contract's words. `now` in milliseconds;
 * `refusal` where the bank submission was refused.
 */
export type EventMaker = (analysis: Analysis, now: number, refusal?: SubmissionRefusal) => Delivery;

/** The text of an analysis that was never sent, since its person is to be erased. */
const WITHDRAWN = 'Cancelado antes do envio: eliminação dos dados do titular';

/** Milliseconds that one bank may take: below the gateway's 29 s with the table's share. */
const ONE_BANK = 10_000;

/** An analysis after its bank submission: confirmed with the bank's number, refused for good, or as it was where no answer can be trusted. */
export function afterBankSubmission(
  analysis: Analysis,
  result: BankSubmission,
  event: EventMaker,
  now: number,
): AnalysisChange {
  switch (result.kind) {
    case 'accepted': {
      const { queryNumber, rawStatus } = result;
      return { before: analysis, after: { ...analysis, queryNumber, rawStatus }, delivery: undefined };
    }
    case 'refused': {
      const after = transition(analysis, { situation: 'erro', rawStatus: result.rawStatus, queryNumber: '' });
      return after
        ? { before: analysis, after, delivery: event(after, now, result.reason) }
        : { before: analysis, after: analysis, delivery: undefined };
    }
    case 'withdrawn': {
      const after = transition(analysis, { ...analysis, situation: 'cancelado', rawStatus: WITHDRAWN });
      return after
        ? { before: analysis, after, delivery: event(after, now) }
        : { before: analysis, after: analysis, delivery: undefined };
    }
    case 'unknown':
      return { before: analysis, after: analysis, delivery: undefined };
  }
}

/** What a bank submission goes through: the operator, and the row on which those who may send an analysis agree who does. */
export interface SubmitDeps {
  readonly operator: OperatorApi;
  readonly analyses: Pick<Analyses, 'acquireSubmitLease' | 'isToBeErased'>;
  readonly clock: () => number;
  /** Ends the bank submission; 10 seconds for one bank. */
  readonly signal: AbortSignal;
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
 * Sends an analysis of which the operator said at `asked` (milliseconds) that it has never received it. A submission is a
 * credit query on a person's name, and a second one harms them: of all who were told so, one alone sends, and the others
 * get undefined. Refused after 48 hours (contract.md, Analyses): a query that nobody expects any more is not made. Who ends it
 * takes the lease too, so that nobody is just then sending it. Withdrawn where the person is to be erased.
 */
export async function submitIfAbsent(
  analysis: Analysis,
  form: AnalysisForm,
  asked: number,
  { operator, analyses, clock, signal }: SubmitDeps,
): Promise<BankSubmission | undefined> {
  if (signal.aborted) return inDoubt;
  if (!(await analyses.acquireSubmitLease(analysis, asked))) return undefined;
  if (asked - analysis.createdAt > SUBMIT_LIMIT) return TOO_LATE;
  // Under the lease, so that nobody is just then sending it.
  if (await analyses.isToBeErased(analysis)) return { kind: 'withdrawn' };
  const inTime = clock() - asked < SUBMIT_LEASE - ONE_BANK;
  return inTime ? operator.submit(analysis, form, signal) : inDoubt;
}

/** Submits an analysis that an earlier run may have sent: the operator is asked by our reference before anything is sent. */
async function submitAgain(analysis: Analysis, form: AnalysisForm, deps: SubmitDeps): Promise<BankSubmission> {
  const asked = deps.clock();
  const status: OperatorStatus = await deps.operator.query(analysis, deps.signal);
  if (status.kind === 'absent') return (await submitIfAbsent(analysis, form, asked, deps)) ?? inDoubt;
  if (status.kind === 'unavailable') return inDoubt;
  return { kind: 'accepted', queryNumber: status.queryNumber, rawStatus: status.rawStatus };
}

/**
 * Submits all analyses of a submission side by side, each within its time limit, and says what each becomes. Banks that
 * have confirmed are left alone. `resumed`: an earlier run may have sent them.
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
  const send = resumed ? submitAgain : submitFirst;
  return Promise.all(
    analyses.map(async (analysis): Promise<AnalysisChange> => {
      const waits = analysis.situation === 'em_analise' && analysis.queryNumber === '';
      if (!waits) return { before: analysis, after: analysis, delivery: undefined };
      return afterBankSubmission(analysis, await send(analysis, form, { ...deps, signal }), event, deps.clock());
    }),
  );
}
