import type { Analyses, Consents, Cursors, OperatorApi } from './domain/analyses/ports.ts';
import type { Erasures, Leads } from './domain/leads/ports.ts';
import type { ApiKeyAuth, Partners, RefusedCalls } from './domain/partners/ports.ts';
import type { Simulations } from './domain/simulations/ports.ts';
import type { Clock } from './domain/values/clock.ts';
import type { Cpf } from './domain/values/cpf.ts';
import type { Environment } from './domain/values/tenancy.ts';
import type {
  Deliveries,
  DeliveryQueue,
  KeptDeliveries,
  UnitDeliveries,
  WebhookEndpoints,
  WebhookSender,
} from './domain/webhooks/ports.ts';
import { httpOperatorApi } from './operator/operator-api.ts';
import { forcedOutcome, sandboxOperator } from './operator/sandbox-operator.ts';
import { recordOperatorCall } from './operator/telemetry.ts';
import { operatorToken } from './operator/token.ts';
import { dnsResolve } from './outbound/vet-public-url.ts';
import { sqsDeliveryQueue } from './queue/deliveries.ts';
import * as env from './runtime/env.ts';
import { tableAnalyses } from './table/analyses.ts';
import { tableApiKeyAuth } from './table/api-key-auth.ts';
import { tableConsents } from './table/consents.ts';
import { tableCursors } from './table/cursors.ts';
import { tableDeliveries } from './table/deliveries.ts';
import { tableKeptDeliveries } from './table/kept-deliveries.ts';
import { tableErasures } from './table/lead-erasure.ts';
import { tableLeads } from './table/leads.ts';
import { tablePartners } from './table/partners.ts';
import { tableRefusedCalls } from './table/refused-calls.ts';
import { tableSimulations } from './table/simulations.ts';
import { tableUnitDeliveries } from './table/unit-deliveries.ts';
import { tableWebhookEndpoints } from './table/webhook-endpoints.ts';
import { webhookSender } from './webhook/send.ts';

// What functions ask of an adapter that stands behind no port.
export { readStatus } from './operator/statuses.ts';
export { observePoll, recordSubmission } from './operator/telemetry.ts';
export { comparisonPdf } from './pdf/comparison-pdf.ts';
export { simulationPdf } from './pdf/simulation-pdf.ts';
export { readMessage } from './queue/deliveries.ts';
export { publishDue, publishOutbox } from './queue/publish-outbox.ts';
export { logAttempt, recordAttempt } from './webhook/telemetry.ts';

/** Which adapter stands behind each port. A function bundles only what it names here; nothing is made before it is asked for. */
export function clock(): Clock {
  return Date.now;
}

export function apiKeyAuth(): ApiKeyAuth {
  return tableApiKeyAuth(clock());
}

export function refusedCalls(): RefusedCalls {
  return tableRefusedCalls();
}

export function partners(): Partners {
  return tablePartners();
}

export function webhookEndpoints(): WebhookEndpoints {
  return tableWebhookEndpoints();
}

/** What is shown of endpoints: nothing of it is sealed, so the keys are neither needed nor fetched ahead. */
export function webhookViews(): Pick<WebhookEndpoints, 'view'> {
  const { view } = tableWebhookEndpoints();
  return { view };
}

export function leads(): Leads {
  return tableLeads(clock());
}

export function erasures(): Erasures {
  return tableErasures(clock());
}

export function simulations(): Simulations {
  return tableSimulations(clock());
}

export function analyses(): Analyses {
  return tableAnalyses(clock());
}

export function consents(): Consents {
  return tableConsents(clock());
}

export function deliveries(): Deliveries {
  return tableDeliveries();
}

export function unitDeliveries(): UnitDeliveries {
  return tableUnitDeliveries();
}

export function keptDeliveries(): KeptDeliveries {
  return tableKeptDeliveries();
}

export function cursors(): Cursors {
  return tableCursors();
}

export function deliveryQueue(): DeliveryQueue {
  return sqsDeliveryQueue();
}

/** The operator of each environment: sandbox submissions never leave the process. */
export function operators(): (environment: Environment) => OperatorApi {
  const sandbox = sandboxOperator(clock());
  const production = once(() => {
    const { url, tokenSecret } = env.operator();
    const token = operatorToken(tokenSecret);
    return { token, api: httpOperatorApi({ url, token, observe: recordOperatorCall }) };
  });
  const operatorOf = (environment: Environment) => (environment === 'sandbox' ? sandbox : production().api);
  return Object.assign(operatorOf, { prime: async () => production().token() });
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** The outcome that a CPF forces in the sandbox; undefined in production. */
export function sandboxOutcome(): (environment: Environment, cpf: Cpf) => string | undefined {
  return (environment, cpf) => (environment === 'sandbox' ? forcedOutcome(cpf) : undefined);
}

export function sender(): WebhookSender {
  return webhookSender({
    resolve: dnsResolve(),
    allowLocal: env.localWebhookTargets(),
    clock: clock(),
  });
}
