import type { Lead } from '../leads/ports.ts';
import type { Clock } from '../values/clock.ts';
import { Failure } from '../values/failure.ts';
import type { Answer, Claim, ClaimedKey, IdempotencyRecord, IdempotentResult } from '../values/idempotency.ts';
import type { LeadId } from '../values/ids.ts';
import type { Instant } from '../values/time.ts';
import type { DeliveryNotifier } from '../webhooks/ports.ts';
import type { Analysis } from './analysis.ts';
import { findAtBanks, sendToBanks, unchanged } from './bank-submission.ts';
import type { Analyses, AnalysisChange, OperatorApi, SubmissionDraft } from './ports.ts';

/** Another attempt follows if the poller changed an analysis meanwhile. */
const TRIES = 8;

export interface SubmissionPorts {
  readonly analyses: Pick<Analyses, 'prepare' | 'claim' | 'resume' | 'complete' | 'get'>;
  readonly operator: OperatorApi;
  readonly clock: Clock;
  readonly answerFor: (changes: readonly AnalysisChange[]) => Answer;
  readonly leadGone: () => Failure;
  readonly consentWithdrawn: (cutoff: Instant) => Failure;
  readonly notifier: DeliveryNotifier;
  /** `resumed`: an earlier run may have sent the analyses. `written`: the changes that this run has stored. */
  readonly observer: {
    submitted(resumed: boolean, changes: readonly AnalysisChange[], written: readonly AnalysisChange[]): void;
  };
}

/** `draft` checks the lead after each read, and throws a Failure if the lead does not fit. */
export function submissionOf(leadId: LeadId, draft: (lead: Lead) => SubmissionDraft, ports: SubmissionPorts) {
  const { analyses, operator, leadGone, consentWithdrawn } = ports;
  return {
    /**
     * While the operator's circuit is open, returns the record of an earlier call, and otherwise throws
     * `servico_indisponivel` before anything is stored. Also throws this failure if no time is left for another read of
     * the lead.
     */
    async begin(claim: Claim): Promise<IdempotentResult<Answer>> {
      for (;;) {
        const { lead, earlier, key } = await analyses.prepare(leadId, claim);
        if (earlier) return { earlier };
        if (!lead) throw leadGone();
        const drafted = draft(lead);
        const retryAfter = operator.openFor();
        if (retryAfter !== undefined) throw new Failure('servico_indisponivel', { retryAfter });
        const claimed = await analyses.claim(drafted, key);
        if (claimed === 'lead_changed') continue;
        if (claimed === 'lead_gone') throw leadGone();
        if ('cutoff' in claimed) throw consentWithdrawn(claimed.cutoff);
        if ('earlier' in claimed) return claimed;
        const changes = await sendToBanks(claimed.done, drafted.form, ports);
        return { done: await complete(key, changes, false, ports) };
      }
    },
    async resume(earlier: IdempotencyRecord): Promise<Answer> {
      const resumed = await analyses.resume(earlier);
      if (resumed === 'lead_gone') throw leadGone();
      const changes = await findAtBanks(resumed.analyses, ports);
      return complete(resumed.key, changes, true, ports);
    },
  };
}

/**
 * If another write (such as the poller's) changed an analysis meanwhile, the analyses are read again. The answer is
 * made from the new rows and the changes that can still be written. If another run has answered the key, returns that
 * answer. Throws `servico_indisponivel` after eight attempts.
 */
async function complete(
  key: ClaimedKey,
  changes: readonly AnalysisChange[],
  resumed: boolean,
  { analyses, answerFor, notifier, observer }: SubmissionPorts,
): Promise<Answer> {
  let pendingChanges = changes;
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    const answer = answerFor(pendingChanges);
    const outcome = await analyses.complete(key, pendingChanges, answer);
    if (outcome === 'moved_on') {
      pendingChanges = await Promise.all(
        pendingChanges.map(async (change) => stillValid(change, await analyses.get(change.before, change.before.id))),
      );
      continue;
    }
    if ('earlier' in outcome) {
      observer.submitted(resumed, changes, []);
      return outcome.earlier;
    }
    await notifier.booked(outcome.events);
    observer.submitted(resumed, changes, pendingChanges);
    return answer;
  }
  throw new Failure('servico_indisponivel');
}

function stillValid(change: AnalysisChange, current: Analysis | undefined): AnalysisChange {
  const { before, after } = change;
  if (!current) return change;
  const isAsRead = current.situation === before.situation && current.sequence === before.sequence;
  return isAsRead && before !== after ? change : unchanged(current);
}
