import { analysisBody, pollAnalysis } from '#shared/administration/analyses.ts';
import { AdministrationFailure, orNotFound } from '#shared/administration/failures.ts';
import { isPending } from '#shared/domain/analyses/analysis.ts';
import { pollNow } from '#shared/domain/analyses/book-answer.ts';
import { type Milliseconds, seconds } from '#shared/domain/values/time.ts';
import { administrationChange } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

const TIME_LIMIT: Milliseconds = seconds(10);

export const handler = administrationChange(pollAnalysis, wiring.noted, {
  analyses: wiring.analyses,
  operatorOf: wiring.operators,
  notifier: wiring.deliveryNotifier,
  observer: wiring.analysisObserver,
}).handler(async ({ params: { analysis_id: id }, body }, ports) => {
  const { clock, analyses, operatorOf, notifier, observer } = ports;
  const { unit_id: unitId, environment } = body;
  const current = async () =>
    orNotFound(await analyses.get({ unitId, environment }, id), `analysis ${id} in unit ${unitId}, ${environment}`);
  const found = await current();
  if (!isPending(found.situation))
    throw new AdministrationFailure('refused', { text: `Analysis ${id} is final (${found.situation}).` });
  return {
    about: found.partnerId,
    target: { analysis: id, unit: unitId, environment },
    change: async () => {
      const outcome = await pollNow(found, {
        analyses,
        operator: operatorOf(environment),
        notifier,
        clock,
        observer,
        signal: AbortSignal.timeout(TIME_LIMIT),
      });
      if (outcome === 'failed' || outcome === 'unanswerable') throw new AdministrationFailure('operator_failed');
      // The analysis is read again, because the poller may have been faster.
      return { outcome, analysis: analysisBody(await current()) };
    },
    result: ({ outcome }) => ({ outcome }),
  };
});
