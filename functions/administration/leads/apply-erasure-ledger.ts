import * as z from 'zod/mini';
import { applyErasureLedger, erasureBody } from '../../../shared/administration/leads.ts';
import { applyLedgerPage } from '../../../shared/domain/leads/erase-person.ts';
import { administrationChange } from '../../../shared/http/administration-endpoint.ts';
import { cursorOf, placeIn } from '../../../shared/http/cursor.ts';
import * as wiring from '../../../shared/wiring.ts';

export const handler = administrationChange(
  'apply-erasure-ledger',
  applyErasureLedger,
  { clock: wiring.clock, audit: wiring.auditTrail, erasures: wiring.erasures, ledger: wiring.erasureLedger },
  async ({ body: { cursor } }, { clock, erasures, ledger }) => {
    const after = placeIn(z.string(), cursor);
    return {
      about: 'service',
      target: {},
      change: async () => {
        const report = await applyLedgerPage({ erasures, ledger, clock }, after);
        return {
          entries: report.entries,
          erasures: report.erasures.map(erasureBody),
          next_cursor: cursorOf(report.next),
        };
      },
      result: (answer) => ({ entries: answer.entries, leads: answer.erasures.length }),
    };
  },
);
