import type { AdministrationRoute } from './route.ts';
import { ANALYSIS_ROUTES } from './routes/analyses.ts';
import { AUDIT_ROUTES } from './routes/audit.ts';
import { DEAD_LETTER_ROUTES } from './routes/dead-letters.ts';
import { DELIVERY_ROUTES } from './routes/deliveries.ts';
import { DOCUMENT_ROUTES } from './routes/document.ts';
import { INDEXING_ROUTES } from './routes/indexing.ts';
import { KEY_ROUTES } from './routes/keys.ts';
import { LEAD_ROUTES } from './routes/leads.ts';
import { OPERATOR_ROUTES } from './routes/operator.ts';
import { PARTNER_ROUTES } from './routes/partners.ts';
import { PROBE_ROUTES } from './routes/probe.ts';
import { RATE_ROUTES } from './routes/rates.ts';
import { SEALING_ROUTES } from './routes/sealing.ts';
import { UNIT_ROUTES } from './routes/units.ts';
import { WEBHOOK_ROUTES } from './routes/webhooks.ts';

/** In the order of the document. */
const ROWS = [
  ...PARTNER_ROUTES,
  ...UNIT_ROUTES,
  ...KEY_ROUTES,
  ...RATE_ROUTES,
  ...WEBHOOK_ROUTES,
  ...DELIVERY_ROUTES,
  ...DEAD_LETTER_ROUTES,
  ...LEAD_ROUTES,
  ...ANALYSIS_ROUTES,
  ...OPERATOR_ROUTES,
  ...PROBE_ROUTES,
  ...SEALING_ROUTES,
  ...INDEXING_ROUTES,
  ...AUDIT_ROUTES,
  ...DOCUMENT_ROUTES,
] as const satisfies readonly AdministrationRoute[];

/** Names of the operations. */
export type AdministrationOperation = (typeof ROWS)[number]['operation'];

export const ADMINISTRATION_ROUTES: readonly (AdministrationRoute & { readonly operation: AdministrationOperation })[] =
  ROWS;

/** The row of an operation. */
export function administrationRoute<Name extends AdministrationOperation>(
  operation: Name,
): AdministrationRoute & { readonly operation: Name } {
  // Every name is a row's: the type of names is made from the rows.
  return ADMINISTRATION_ROUTES.find((row) => row.operation === operation) as AdministrationRoute & {
    readonly operation: Name;
  };
}
