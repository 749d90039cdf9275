import * as z from 'zod/mini';
import { applyErasureLedger, erasureBody, subjectBody } from '#shared/administration/leads.ts';
import { applyLedgerPage } from '#shared/domain/leads/erase-person.ts';
import { cursorOf, placeIn } from '#shared/http/administration/cursor.ts';
import { administrationChange } from '#shared/http/administration/endpoint.ts';
import { logError } from '#shared/runtime/log.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationChange(applyErasureLedger, wiring.noted, {
  erasures: wiring.erasures,
  ledger: wiring.erasureLedger,
}).handler(async ({ body: { cursor } }, { clock, erasures, ledger }) => {
  const after = placeIn(z.string(), cursor);
  return {
    about: 'service',
    target: {},
    change: async () => {
      const report = await applyLedgerPage({ erasures, ledger, clock }, after);
      for (const { error, subject } of report.failed)
        logError('erasure_failed', error, { unit: subject.unitId, lead: subject.leadId });
      return {
        entries: report.entries,
        erasures: report.erasures.map(erasureBody),
        failed: report.failed.map(({ subject }) => subjectBody(subject)),
        unreadable: report.unreadable,
        next_cursor: cursorOf(report.next),
      };
    },
    brokeOff: ({ failed, unreadable }) => failed.length + unreadable > 0,
    result: (answer) => ({ entries: answer.entries, leads: answer.erasures.length }),
  };
});
