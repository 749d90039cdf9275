import { recordOutcomes as exchange, outcomeBody } from '#shared/administration/analyses.ts';
import { eventOf } from '#shared/contract/event.ts';
import { recordOutcomes } from '#shared/domain/analyses/record-outcomes.ts';
import { administrationReport } from '#shared/http/administration/endpoint.ts';
import { logError } from '#shared/runtime/log.ts';
import * as wiring from '#shared/wiring.ts';

/** The operator tells of outcomes by itself. */
export const handler = administrationReport(exchange, {
  clock: wiring.clock,
  analyses: wiring.analyses,
  queue: wiring.deliveryQueue,
  withoutNames: wiring.bankTexts,
}).handler(async ({ body }, { clock, analyses, queue, withoutNames }) => {
  const records = await recordOutcomes(wiring.readOutcomes(body.submissions), {
    analyses,
    read: wiring.readStatus,
    withoutNames,
    event: eventOf,
    notify: (booked) => wiring.publishOutbox(queue, booked, clock()),
    clock,
    observer: wiring.observePoll(clock),
    failed: (error) => logError('outcome_not_recorded', error),
  });
  return { results: records.map(outcomeBody) };
});
