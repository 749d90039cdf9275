import * as routes from '../../shared/contract/routes.ts';
import { type CallAnswer, type CallOptions, callHandler } from './call.ts';

type Routes = typeof routes;
/** The rows of the routes that take a key. */
type Authenticated = {
  [Name in keyof Routes]: Routes[Name] extends { readonly scope: infer Needed }
    ? Needed extends 'public'
      ? never
      : Name
    : never;
}[keyof Routes];

/** Each operation's handler in this process, by the name of its row in the routes. */
const HANDLERS = {
  createLead: () => import('../../functions/api/leads/create-lead.ts'),
  getLead: () => import('../../functions/api/leads/get-lead.ts'),
  updateLead: () => import('../../functions/api/leads/update-lead.ts'),
  createSimulation: () => import('../../functions/api/simulations/create-simulation.ts'),
  getSimulation: () => import('../../functions/api/simulations/get-simulation.ts'),
  getSimulationInstalments: () => import('../../functions/api/simulations/get-simulation-instalments.ts'),
  getSimulationPdf: () => import('../../functions/api/simulations/get-simulation-pdf.ts'),
  getSimulationComparison: () => import('../../functions/api/simulations/get-simulation-comparison.ts'),
  submitAnalyses: () => import('../../functions/api/analyses/submit-analyses.ts'),
  getAnalysisStatus: () => import('../../functions/api/analyses/get-analysis-status.ts'),
  listLeadAnalyses: () => import('../../functions/api/analyses/list-lead-analyses.ts'),
  listLeadConsents: () => import('../../functions/api/consents/list-lead-consents.ts'),
  getWebhook: () => import('../../functions/api/webhooks/get-webhook.ts'),
  listOwnDeliveries: () => import('../../functions/api/webhooks/list-own-deliveries.ts'),
  resendDelivery: () => import('../../functions/api/webhooks/resend-delivery.ts'),
  listRefusedCalls: () => import('../../functions/api/account/list-refused-calls.ts'),
  getAccount: () => import('../../functions/api/account/get-account.ts'),
} as const satisfies Readonly<Record<Authenticated, unknown>>;

export type Operation = keyof typeof HANDLERS;
export const OPERATIONS = Object.keys(HANDLERS) as Operation[];

/** Calls an authenticated operation in this process as the gateway would. */
export async function api(operation: Operation, options: CallOptions = {}): Promise<CallAnswer> {
  const { handler } = await HANDLERS[operation]();
  return callHandler(handler, routes[operation], options);
}
