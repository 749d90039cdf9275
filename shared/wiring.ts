import type { Analyses, Consents, Cursors, OperatorAccess, OperatorApi } from './domain/analyses/ports.ts';
import type { AuditTrail } from './domain/audit/ports.ts';
import type { ErasureLedger, Erasures, Leads } from './domain/leads/ports.ts';
import type { ApiKeyAuth, ApiKeys, PartnerRegister, Partners, RefusedCalls } from './domain/partners/ports.ts';
import type { PersonalRecords } from './domain/personal-data/ports.ts';
import type { IndexedTable, SealedTable, ServiceKeys } from './domain/sealing/ports.ts';
import type { Simulations } from './domain/simulations/ports.ts';
import type { Clock } from './domain/values/clock.ts';
import type { Cpf } from './domain/values/cpf.ts';
import type { Environment } from './domain/values/tenancy.ts';
import type { DeadLetters } from './domain/webhooks/dead-letters.ts';
import type {
  Deliveries,
  DeliveryArchive,
  DeliveryQueue,
  KeptDeliveries,
  UnitDeliveries,
  WebhookEndpoints,
  WebhookSender,
  WebhookSettings,
} from './domain/webhooks/ports.ts';
import { httpOperatorApi } from './operator/operator-api.ts';
import { forcedOutcome, sandboxOperator } from './operator/sandbox-operator.ts';
import { recordOperatorCall } from './operator/telemetry.ts';
import { operatorAccess, operatorToken } from './operator/token.ts';
import { type Probed, probe } from './outbound/probe.ts';
import { probeKey, putProbeKey } from './outbound/probe-key.ts';
import { dnsResolve, URL_REFUSALS, vetPublicUrl } from './outbound/vet-public-url.ts';
import { sqsDeadLetters } from './queue/dead-letters.ts';
import { sqsDeliveryQueue } from './queue/deliveries.ts';
import * as env from './runtime/env.ts';
import { tableAnalyses } from './table/analyses.ts';
import { tableApiKeyAuth } from './table/api-key-auth.ts';
import { tableApiKeys } from './table/api-keys.ts';
import { tableAuditTrail } from './table/audit.ts';
import { tableConsents } from './table/consents.ts';
import { tableCursors } from './table/cursors.ts';
import { tableDeliveries } from './table/deliveries.ts';
import { tableErasureLedger } from './table/erasure-ledger.ts';
import { tableIndexedTable } from './table/indexed-table.ts';
import { tableKeptDeliveries } from './table/kept-deliveries.ts';
import { tableErasures } from './table/lead-erasure.ts';
import { tableLeads } from './table/leads.ts';
import { tablePartnerRegister } from './table/partner-register.ts';
import { tablePartners } from './table/partners.ts';
import { tablePersonalRecords } from './table/personal-data.ts';
import { tableRefusedCalls } from './table/refused-calls.ts';
import { tableDeliveryArchive } from './table/replays.ts';
import { sandboxChecklistOf } from './table/sandbox-checklist.ts';
import { tableSealedTable } from './table/sealed-table.ts';
import { tableServiceKeys } from './table/service-keys.ts';
import { tableSimulations } from './table/simulations.ts';
import { tableUnitDeliveries } from './table/unit-deliveries.ts';
import { tableWebhookEndpoints, tableWebhookSettings } from './table/webhook-endpoints.ts';
import { webhookSender } from './webhook/send.ts';

// What functions ask of an adapter that stands behind no port.
export { readOutcomes } from './operator/read-outcomes.ts';
export { readStatus } from './operator/statuses.ts';
export { observePoll, recordSubmission } from './operator/telemetry.ts';
export { comparisonPdf } from './pdf/comparison-pdf.ts';
export { simulationPdf } from './pdf/simulation-pdf.ts';
export { readMessage } from './queue/deliveries.ts';
export { publishDue, publishOutbox } from './queue/publish-outbox.ts';
export { newWebhookSecret } from './webhook/sign.ts';
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

export function partnerRegister(): PartnerRegister {
  return tablePartnerRegister((partnerId) => sandboxChecklistOf(partnerId));
}

export function apiKeys(): ApiKeys {
  return tableApiKeys();
}

export function auditTrail(): AuditTrail {
  return tableAuditTrail();
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
  return tableUnitDeliveries(clock());
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
  const production = lazily(() => {
    const { url, tokenSecret } = env.operator();
    const token = operatorToken(tokenSecret);
    return { token, api: httpOperatorApi({ url, token, observe: recordOperatorCall }) };
  });
  const operatorOf = (environment: Environment) => (environment === 'sandbox' ? sandbox : production().api);
  return Object.assign(operatorOf, { prime: async () => production().token() });
}

/** The value of `make`, made when it is first asked for and only then. */
function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** A look at the service from outside; gives undefined while its key is not written. */
export function outsideProbe(): () => Promise<Probed | undefined> {
  const settings = lazily(() => {
    const { url, keySecret } = env.probe();
    return { url, key: probeKey(keySecret) };
  });
  return async () => {
    const { url, key: current } = settings();
    const key = await current();
    return key === undefined ? undefined : probe({ url, key, clock: clock() });
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

export function webhookSettings(): WebhookSettings {
  return tableWebhookSettings();
}

/** Why webhooks must not go to a URL, in a sentence; undefined where they may. */
export function addressRefusal(): (url: string) => Promise<string | undefined> {
  const resolve = dnsResolve();
  return async (url) => {
    const vetting = await vetPublicUrl(url, resolve, { allowLocal: env.localWebhookTargets() });
    return vetting.vetted ? undefined : `${URL_REFUSALS[vetting.reason]} (${vetting.reason}: ${vetting.detail})`;
  };
}

export function deliveryArchive(): DeliveryArchive {
  return tableDeliveryArchive();
}

export function deadLetters(): DeadLetters {
  return sqsDeadLetters();
}

export function personalRecords(): PersonalRecords {
  return tablePersonalRecords();
}

export function erasureLedger(): ErasureLedger {
  return tableErasureLedger();
}

export function operator(): OperatorAccess {
  return operatorAccess(env.operator());
}

export function serviceKeys(): ServiceKeys {
  return tableServiceKeys();
}

export function sealedTable(): SealedTable {
  return tableSealedTable();
}

export function indexedTable(): IndexedTable {
  return tableIndexedTable();
}

/** Makes a key the probe's own: it takes it up within 5 minutes. */
export function probeKeyWriter(): (key: string) => Promise<void> {
  return (key) => putProbeKey(env.probeKeySecret(), key);
}
