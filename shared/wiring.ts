import { accountEventOf } from './contract/event.ts';
import type { OperatorApi } from './domain/analyses/ports.ts';
import type { Clock } from './domain/values/clock.ts';
import type { Cpf } from './domain/values/cpf.ts';
import type { PartnerId } from './domain/values/ids.ts';
import type { Environment } from './domain/values/tenancy.ts';
import { namelessTexts, withoutNames } from './operator/bank-text.ts';
import { httpOperatorApi, operatorAccess, operatorToken } from './operator/operator-api.ts';
import { forcedOutcome, SandboxOperator } from './operator/sandbox-operator.ts';
import { recordOperatorCall } from './operator/telemetry.ts';
import { type Probed, probe } from './outbound/probe.ts';
import { dnsResolve, URL_REFUSALS, vetPublicUrl } from './outbound/vet-public-url.ts';
import { SqsDeadLetters } from './queue/dead-letters.ts';
import { sqsDeliveryQueue } from './queue/deliveries.ts';
import * as env from './runtime/env.ts';
import { cachedSecret, putSecret } from './runtime/secret.ts';
import { userPool } from './runtime/user-pool.ts';
import { TableAnalyses, TableCursors } from './table/analyses/analyses.ts';
import { TableConsents } from './table/analyses/consents.ts';
import { TableApprovals } from './table/audit/approvals.ts';
import { TableAuditTrail } from './table/audit/audit.ts';
import { TableErasureLedger } from './table/leads/erasure-ledger.ts';
import { TableErasures } from './table/leads/lead-erasure.ts';
import { TableRetainedLeads } from './table/leads/lead-retention.ts';
import { TableLeads } from './table/leads/leads.ts';
import { TableApiKeyAuth } from './table/partners/api-key-auth.ts';
import { TableApiKeys } from './table/partners/api-keys.ts';
import { TablePartnerRegister } from './table/partners/partner-register.ts';
import { TablePartners } from './table/partners/partners.ts';
import { TableRefusedCalls } from './table/partners/refused-calls.ts';
import { noteSteps, sandboxChecklistOf } from './table/partners/sandbox-checklist.ts';
import { TableSandboxReset } from './table/partners/sandbox-reset.ts';
import { TablePersonalRecords } from './table/personal-data/personal-data.ts';
import { TableIndexedTable } from './table/sealing/indexed-table.ts';
import { TableSealedTable } from './table/sealing/sealed-table.ts';
import { TableServiceKeys } from './table/sealing/service-keys.ts';
import { TableSimulations } from './table/simulations/simulations.ts';
import { TableDeliveries } from './table/webhooks/deliveries.ts';
import { TableKeptDeliveries } from './table/webhooks/kept-deliveries.ts';
import { TableDeliveryArchive } from './table/webhooks/replays.ts';
import { TableUnitDeliveries } from './table/webhooks/unit-deliveries.ts';
import { TableWebhookEndpoints, TableWebhookSettings } from './table/webhooks/webhook-endpoints.ts';
import { HttpWebhookSender } from './webhook/send.ts';

// What functions ask of an adapter that stands behind no port.
export { readOutcomes } from './operator/operator-api.ts';
export { readStatus } from './operator/statuses.ts';
export { observePoll, recordSubmission } from './operator/telemetry.ts';
export { comparisonPdf } from './pdf/comparison-pdf.ts';
export { simulationPdf } from './pdf/simulation-pdf.ts';
export { publishDue, publishOutbox, readMessage } from './queue/deliveries.ts';
export { confirmIndexKeys } from './table/rows/index-keys.ts';
export { logAttempt, recordAttempt } from './webhook/telemetry.ts';

// Which adapter stands behind each port. A function bundles only what it names here; nothing is made before it is asked for.

export const clock = (): Clock => Date.now;
export const apiKeyAuth = () => new TableApiKeyAuth(clock());
export const refusedCalls = () => new TableRefusedCalls();
export const partners = () => new TablePartners();
export const partnerRegister = () =>
  new TablePartnerRegister({ checklist: (partnerId) => sandboxChecklistOf(partnerId), noteSteps }, accountEventOf);
export const sandboxReset = () => new TableSandboxReset();
export const apiKeys = () => new TableApiKeys(accountEventOf);
export const approvals = () => new TableApprovals(env.approvalsRequired);
export const auditTrail = () => new TableAuditTrail();
/** The ports that the checks of every partner's call need. */
export const admission = { auth: apiKeyAuth, refusals: refusedCalls, clock };
/** The ports that every change of a person needs. */
export const noted = { clock, audit: auditTrail, approvals, people: userPool };
export const webhookEndpoints = () => new TableWebhookEndpoints();
export const leads = () => new TableLeads(clock());
export const erasures = () => new TableErasures(clock());
export const simulations = () => new TableSimulations(clock());
export const analyses = () => new TableAnalyses(clock());
export const consents = () => new TableConsents(clock());
export const deliveries = () => new TableDeliveries();
export const unitDeliveries = () => new TableUnitDeliveries(clock());
export const keptDeliveries = () => new TableKeptDeliveries();
export const cursors = () => new TableCursors();
export const deliveryQueue = () => sqsDeliveryQueue();
export const webhookSettings = () => new TableWebhookSettings(accountEventOf);
export const deliveryArchive = () => new TableDeliveryArchive();
export const deadLetters = () => new SqsDeadLetters();
export const personalRecords = () => new TablePersonalRecords(clock());
export const retainedLeads = () => new TableRetainedLeads();
export const erasureLedger = () => new TableErasureLedger();
export const operatorSettings = () => operatorAccess(env.operator());
export const serviceKeys = () => new TableServiceKeys();
export const sealedTable = () => new TableSealedTable();
export const indexedTable = () => new TableIndexedTable();

/** What is shown of endpoints: nothing of it is sealed, so the keys are neither needed nor fetched ahead. */
export function webhookViews() {
  const endpoints = new TableWebhookEndpoints();
  return { view: (partnerId: PartnerId) => endpoints.view(partnerId) };
}

/** The operator of each environment: sandbox submissions never leave the process. */
export function operators(): (environment: Environment) => OperatorApi {
  const sandbox = new SandboxOperator(clock());
  const production = lazily(() => {
    const { url, tokenSecret } = env.operator();
    const token = operatorToken(tokenSecret);
    const api = httpOperatorApi({ url, token, observe: recordOperatorCall });
    return { token, api: namelessTexts(api, bankTexts()) };
  });
  const operatorOf = (environment: Environment) => (environment === 'sandbox' ? sandbox : production().api);
  return Object.assign(operatorOf, { prime: async () => production().token() });
}

/** Takes the people of an analysis out of what its bank says. */
export const bankTexts = () => withoutNames(analyses());

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
    const secret = cachedSecret(
      () => keySecret,
      (text) => text,
    );
    return { url, secret };
  });
  return async () => {
    const { url, secret } = settings();
    const key = await secret.get();
    return key === undefined ? undefined : probe({ url, key, clock: clock() });
  };
}

/** The outcome that a CPF forces in the sandbox; undefined in production. */
export const sandboxOutcome =
  (): ((environment: Environment, cpf: Cpf, note?: string) => string | undefined) => (environment, cpf, note) =>
    environment === 'sandbox' ? forcedOutcome(cpf, note) : undefined;

export const sender = () =>
  new HttpWebhookSender({ resolve: dnsResolve(), allowLocal: env.localWebhookTargets(), clock: clock() });

/** Why webhooks must not go to a URL, in a sentence; undefined where they may. */
export function addressRefusal(): (url: string) => Promise<string | undefined> {
  const resolve = dnsResolve();
  return async (url) => {
    const vetting = await vetPublicUrl(url, resolve, { allowLocal: env.localWebhookTargets() });
    return vetting.vetted ? undefined : `${URL_REFUSALS[vetting.reason]} (${vetting.reason}: ${vetting.detail})`;
  };
}

/** Makes a key the probe's own: it takes it up within 5 minutes. */
export const probeKeyWriter = (): ((key: string) => Promise<void>) => (key) => putSecret(env.probeKeySecret(), key);
