/**
 * Returns an environment variable. Throws an error that names the variable if it is missing. A variable is read only
 * when it is used, so a function needs no variables but its own.
 */
function variable(name: string): string {
  const value = process.env[name];
  if (!value)
    throw new Error(`environment variable ${name} is missing: the template sets it for the functions that need it`);
  return value;
}

/** Whether a value is an object that has all these fields, each of one type. */
const isRecord = <Field extends string, Value>(
  value: unknown,
  fields: readonly Field[],
  isValue: (field: unknown) => field is Value,
): value is Readonly<Record<Field, Value>> =>
  typeof value === 'object' && value !== null && fields.every((field) => isValue(Reflect.get(value, field)));

/**
 * Returns the JSON of a variable: an object that has all these fields, each of one type. Throws an Error for anything
 * else.
 */
function jsonVariable<Field extends string, Value>(
  name: string,
  fields: readonly Field[],
  isValue: (field: unknown) => field is Value,
): Readonly<Record<Field, Value>> {
  const value: unknown = JSON.parse(variable(name));
  if (!isRecord(value, fields, isValue)) throw new Error(`environment variable ${name} needs ${fields.join(', ')}`);
  return value;
}

const isText = (field: unknown): field is string => typeof field === 'string';
const isNumber = (field: unknown): field is number => typeof field === 'number';

/** Physical name of the one table. */
export const tableName = (): string => variable('TABLE_NAME');

/** Physical name of the ledger of erasures, the table that records who was erased. */
export const erasureLedgerName = (): string => variable('ERASURE_LEDGER_NAME');

/** Secrets Manager id of the service's own keys; their format is serviceKeysFormat (table/rows/encryption.ts). */
export const keysSecret = (): string => variable('KEYS_SECRET');

/** Secrets Manager id of the keys from which API keys with a token are derived (table/rows/derivation-keys.ts). */
export const derivationKeysSecret = (): string => variable('DERIVATION_KEYS_SECRET');

/**
 * Secrets Manager id of the retired sealing keys (`retiredKeysFormat`), and the days for which copies of the table are
 * kept.
 */
export function retiredKeys(): { secret: string; copyDays: number } {
  return { secret: variable('RETIRED_KEYS_SECRET'), copyDays: Number(variable('COPY_DAYS')) };
}

/**
 * Whether the template lets this function read the retired sealing keys, with which rows of a restored table are
 * opened.
 */
export const hasRetiredKeys = (): boolean => Boolean(process.env['RETIRED_KEYS_SECRET']);

/** Whether the template gives this function the service's own keys. */
export const hasServiceKeys = (): boolean => Boolean(process.env['KEYS_SECRET']);

/** Base URL of the operator, and the Secrets Manager id of its bearer token. */
export function operator(): { url: string; tokenSecret: string } {
  return { url: variable('OPERATOR_URL'), tokenSecret: variable('OPERATOR_TOKEN_SECRET') };
}

/** Base URL of the service as partners use it, and the Secrets Manager id of the key with which the probe calls it. */
export function probe(): { url: string; keySecret: string } {
  return { url: variable('PROBE_URL'), keySecret: probeKeySecret() };
}

/** Secrets Manager id of the probe's key. */
export const probeKeySecret = (): string => variable('PROBE_KEY_SECRET');

/** URL of the queue whose messages say when a webhook attempt is due. */
export const deliveryQueue = (): string => variable('DELIVERY_QUEUE_URL');

/** URL of the dead-letter queue, to which deliveries go after their last attempt failed. */
export const deadLetterQueue = (): string => variable('DELIVERY_DLQ_URL');

/** Age in days from which a consent is too old for an analysis in production. See Stage in infra/stages.ts. */
export const consentDays = (): number => Number(variable('CONSENT_DAYS'));

/** Age in days after which a published rate leads to no offer in production. See Stage in infra/stages.ts. */
export const rateDays = (): number => Number(variable('RATE_DAYS'));

/** Returns the terms after which unused leads end. Undefined if leads never end. See Stage in infra/stages.ts. */
export function leadRetention() {
  if (variable('LEAD_RETENTION') === 'null') return undefined;
  return jsonVariable('LEAD_RETENTION', ['sandboxDays', 'monthsWithoutAnalysis', 'yearsAfterAnalysis'], isNumber);
}

/**
 * Whether changes that one person may not make alone need the approval of another person. False only if the variable is
 * `off`. See Stage in infra/stages.ts.
 */
export const approvalsRequired = (): boolean => variable('APPROVALS') !== 'off';

/** ARN of the topic of tickets, and the name of the stage. */
export const ticketTopic = () => ({ stage: variable('STAGE'), arn: variable('TICKET_TOPIC') });

/**
 * Returns the facts that the panel's page needs: its stage, and the place at which its users sign in. See SignIn in
 * infra/constructs/sign-in.ts.
 */
export const panelFacts = () => ({
  stage: variable('STAGE'),
  signIn: jsonVariable('SIGN_IN', ['issuer', 'login', 'identityUrl'], isText),
});

/** Returns the facts about this deployment that the documentation tells partners. See Stage in infra/stages.ts. */
export function partnerFacts() {
  return {
    supportEmail: variable('SUPPORT_EMAIL'),
    supportHours: variable('SUPPORT_HOURS'),
    contactUntil: variable('CONTACT_UNTIL'),
    officerName: variable('DPO_NAME'),
    officerEmail: variable('DPO_EMAIL'),
    statusPage: process.env['STATUS_PAGE'],
    consentDays: variable('CONSENT_DAYS'),
    rateDays: variable('RATE_DAYS'),
    leadRetention: leadRetention(),
    webhookAddresses: (process.env['WEBHOOK_ADDRESSES'] ?? '').split(' ').filter(Boolean),
  };
}

/**
 * Whether webhooks may go to plain http and to loopback addresses. True only in the local run: no template sets the
 * variable.
 */
export const localWebhookTargets = (): boolean => process.env['LOCAL_WEBHOOK_TARGETS'] === 'true';
