import { analysisBody, closeAnalysis } from '#shared/administration/analyses.ts';
import { AdministrationFailure, orNotFound } from '#shared/administration/failures.ts';
import { type Analysis, CLOSE_LIMIT, isPending } from '#shared/domain/analyses/analysis.ts';
import { conclude } from '#shared/domain/analyses/book-answer.ts';
import { closing, isClosable } from '#shared/domain/analyses/poll-analysis.ts';
import type { AnalysisId } from '#shared/domain/values/ids.ts';
import { days } from '#shared/domain/values/time.ts';
import { administrationChange } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationChange(closeAnalysis, wiring.noted, {
  analyses: wiring.analyses,
  notifier: wiring.deliveryNotifier,
  observer: wiring.analysisObserver,
}).handler(async ({ params: { analysis_id: id }, body }, { clock, analyses, notifier, observer }) => {
  const { unit_id: unitId, environment } = body;
  const current = () => analyses.get({ unitId, environment }, id);
  const analysis = orNotFound(await current(), `analysis ${id} in unit ${unitId}, ${environment}`);
  const change = closing(analysis);
  if (!change) throw new AdministrationFailure('refused', { text: `Analysis ${id} is final (${analysis.situation}).` });
  if (!isClosable(analysis, clock()))
    throw new AdministrationFailure('refused', {
      text: `Analysis ${id} may still get an answer: an analysis can be closed only if the operator cannot answer for it and it is older than ${CLOSE_LIMIT / days(1)} days.`,
    });
  return {
    about: analysis.partnerId,
    target: { analysis: id, unit: unitId, environment },
    change: async () => {
      if (!(await conclude(change, { analyses, notifier, observer })))
        throw new AdministrationFailure('changed_meanwhile', { text: changeOf(id, await current()) });
      return { analysis: analysisBody(change.after) };
    },
  };
});

function changeOf(id: AnalysisId, now: Analysis | undefined): string {
  if (!now) return `Analysis ${id} was removed meanwhile.`;
  if (!isPending(now.situation)) return `Analysis ${id} has ended meanwhile (${now.situation}): look at it again.`;
  return `The operator has answered about analysis ${id} meanwhile, and it is still pending: look at it again.`;
}
