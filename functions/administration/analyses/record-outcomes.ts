import { recordOutcomes as exchange, outcomeBody } from '#shared/administration/analyses.ts';
import { recordOutcomes } from '#shared/domain/analyses/record-outcomes.ts';
import { administrationReport } from '#shared/http/administration/endpoint.ts';
import { logError } from '#shared/runtime/log.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationReport(exchange, {
  analyses: wiring.analyses,
  readOutcomes: wiring.outcomeReader,
  names: wiring.nameRemover,
  notifier: wiring.deliveryNotifier,
  observer: wiring.analysisObserver,
}).handler(async ({ body }, { analyses, readOutcomes, names, notifier, observer }) => {
  const records = await recordOutcomes(readOutcomes(body.submissions), {
    analyses,
    names,
    notifier,
    observer,
    failed: (error) => logError('outcome_not_recorded', error),
  });
  return { results: records.map(outcomeBody) };
});
