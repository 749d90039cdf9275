import { accountEventOf, eventOf } from './contract/event.ts';
import type { OperatorApi } from './domain/analyses/ports.ts';
import type { OutcomeReader } from './domain/analyses/record-outcomes.ts';
import type { ComparisonPdf, SimulationPdf } from './domain/simulations/ports.ts';
import type { Clock } from './domain/values/clock.ts';
import type { Cpf } from './domain/values/cpf.ts';
import type { Environment } from './domain/values/tenancy.ts';
import { FormNameRemover, NamelessOperator } from './operator/bank-text.ts';
import { HttpOperatorApi, operatorToken, readOutcomes, SecretOperatorAccess } from './operator/operator-api.ts';
import { forcedOutcome, SandboxOperator } from './operator/sandbox-operator.ts';
import { AnalysisTelemetry, PollTelemetry, recordOperatorCall, SubmissionTelemetry } from './operator/telemetry.ts';
import { ServiceProbe } from './outbound/probe.ts';
import { dnsResolve, PublicAddressCheck } from './outbound/vet-public-url.ts';
import { comparisonPdf as drawComparison } from './pdf/comparison-pdf.ts';
import { simulationPdf as drawSimulation } from './pdf/simulation-pdf.ts';
import { SqsDeadLetters } from './queue/dead-letters.ts';
import { SqsDeliveryQueue } from './queue/deliveries.ts';
import { QueueNotifier } from './queue/notifier.ts';
import * as env from './runtime/env.ts';
import { putSecret } from './runtime/secret.ts';
import { ticketTopicAccess } from './runtime/ticket-topic.ts';
import { userPool } from './runtime/user-pool.ts';
import { TableAnalyses, TableCursors } from './table/analyses/analyses.ts';
import { TableConsentWithdrawals } from './table/analyses/consent-withdrawals.ts';
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
import { TableKeyedTable } from './table/sealing/keyed-table.ts';
import { TableServiceKeys } from './table/sealing/service-keys.ts';
import { TableBankRates } from './table/simulations/bank-rates.ts';
import { TableSimulations } from './table/simulations/simulations.ts';
import { TableDeliveries } from './table/webhooks/deliveries.ts';
import { TableDeliveryArchive } from './table/webhooks/replays.ts';
import { TableSuspendedDeliveries } from './table/webhooks/suspended-deliveries.ts';
import { TableTroubledEndpoints } from './table/webhooks/troubled-endpoints.ts';
import { TableUnitDeliveries } from './table/webhooks/unit-deliveries.ts';
import {
  TableWebhookEndpoints,
  TableWebhookSettings,
  TableWebhookTests,
  TableWebhookViews,
} from './table/webhooks/webhook-endpoints.ts';
import { HttpWebhookSender } from './webhook/send.ts';
import { AttemptTelemetry } from './webhook/telemetry.ts';

// Makes the adapter of each port. A function bundles only the adapters that it names. No adapter is made before the
// function asks for it.

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
/** The ports that every audited operation needs. */
export const noted = { clock, audit: auditTrail, approvals, people: userPool, tickets: ticketTopicAccess };
export const webhookEndpoints = () => new TableWebhookEndpoints();
export const webhookViews = () => new TableWebhookViews();
export const webhookTests = () => new TableWebhookTests();
export const leads = () => new TableLeads(clock());
export const erasures = () => new TableErasures(clock());
export const bankRates = () => new TableBankRates();
export const simulations = () => new TableSimulations(clock());
export const simulationPdf = (): SimulationPdf => drawSimulation;
export const comparisonPdf = (): ComparisonPdf => drawComparison;
export const analyses = () => new TableAnalyses(clock(), eventOf);
export const consents = () => new TableConsents(clock());
export const consentWithdrawals = () => new TableConsentWithdrawals(clock());
export const deliveries = () => new TableDeliveries();
export const unitDeliveries = () => new TableUnitDeliveries(clock());
export const suspendedDeliveries = () => new TableSuspendedDeliveries();
export const troubledEndpoints = () => new TableTroubledEndpoints();
export const cursors = () => new TableCursors();
export const deliveryQueue = () => new SqsDeliveryQueue();
export const deliveryNotifier = () => new QueueNotifier(deliveryQueue(), clock());
export const webhookSettings = () => new TableWebhookSettings(accountEventOf);
export const deliveryArchive = () => new TableDeliveryArchive();
export const deadLetters = () => new SqsDeadLetters();
export const personalRecords = () => new TablePersonalRecords(clock());
export const retainedLeads = () => new TableRetainedLeads();
export const erasureLedger = () => new TableErasureLedger();
export const operatorAccess = () => new SecretOperatorAccess(env.operator());
export const serviceKeys = () => new TableServiceKeys();
export const keyedTable = () => new TableKeyedTable();

function productionOperator() {
  const { url, tokenSecret } = env.operator();
  const token = operatorToken(tokenSecret);
  const api = new HttpOperatorApi({ url, token, observe: recordOperatorCall });
  return { token, api: new NamelessOperator(api, nameRemover()) };
}

/** Sandbox submissions never leave the process and need no settings. */
export function operators(): (environment: Environment) => OperatorApi {
  const sandbox = new SandboxOperator(clock());
  let made: ReturnType<typeof productionOperator> | undefined;
  const production = () => {
    made ??= productionOperator();
    return made;
  };
  const operatorOf = (environment: Environment) => (environment === 'sandbox' ? sandbox : production().api);
  return Object.assign(operatorOf, { prime: async () => production().token() });
}

export const nameRemover = () => new FormNameRemover(analyses());
export const outcomeReader = (): OutcomeReader => readOutcomes;
export const analysisObserver = () => new AnalysisTelemetry(clock());
export const pollObserver = () => new PollTelemetry(clock());
export const submissionObserver = () => new SubmissionTelemetry(clock());

export const serviceProbe = () => new ServiceProbe({ ...env.probe(), clock: clock() });

/** Returns the outcome that a test CPF or the lead's note forces in the sandbox. Undefined in production. */
export const sandboxOutcome =
  (): ((environment: Environment, cpf: Cpf, note?: string) => string | undefined) => (environment, cpf, note) =>
    environment === 'sandbox' ? forcedOutcome(cpf, note) : undefined;

export const sender = () =>
  new HttpWebhookSender({ resolve: dnsResolve(), allowLocal: env.localWebhookTargets(), clock: clock() });
export const addressCheck = () => new PublicAddressCheck(dnsResolve(), { allowLocal: env.localWebhookTargets() });
export const attemptObserver = () => new AttemptTelemetry();

/** Writes the API key of the probe. The probe uses it within 5 minutes. */
export const probeKeyWriter = (): ((key: string) => Promise<void>) => (key) => putSecret(env.probeKeySecret(), key);
