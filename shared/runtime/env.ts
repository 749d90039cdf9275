/** The environment variables of each capability, read on first use; a missing one is an error that names it. */
function variable(name: string): string {
  const value = process.env[name];
  if (!value)
    throw new Error(`environment variable ${name} is missing: the template sets it for the functions that need it`);
  return value;
}

/** Whether a value is an object with these fields, all of one kind. */
const isRecord = <Field extends string, Value>(
  value: unknown,
  fields: readonly Field[],
  isValue: (field: unknown) => field is Value,
): value is Readonly<Record<Field, Value>> =>
  typeof value === 'object' && value !== null && fields.every((field) => isValue(Reflect.get(value, field)));

/** A variable's JSON: an object with these fields, all of one kind. Throws an Error for anything else. */
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

/** Physical name of the table that says who was erased. */
export const erasureLedgerName = (): string => variable('ERASURE_LEDGER_NAME');

/** Secrets Manager id of the service's own keys; their format is serviceKeysFormat (table/rows/encryption.ts). */
export const keysSecret = (): string => variable('KEYS_SECRET');

/** Secrets Manager id of the retired sealing keys (retiredKeysFormat), and the days that a copy of the table lives. */
export function retiredKeys(): { secret: string; copyDays: number } {
  return { secret: variable('RETIRED_KEYS_SECRET'), copyDays: Number(variable('COPY_DAYS')) };
}

/** Whether the template lets this function open what a restored copy of the table has brought back. */
export const hasRetiredKeys = (): boolean => Boolean(process.env['RETIRED_KEYS_SECRET']);

/** Whether the template gives this function the service's own keys. */
export const hasServiceKeys = (): boolean => Boolean(process.env['KEYS_SECRET']);

/** Base URL of the operator, and the Secrets Manager id of its bearer token. */
export function operator(): { url: string; tokenSecret: string } {
  return { url: variable('OPERATOR_URL'), tokenSecret: variable('OPERATOR_TOKEN_SECRET') };
}

/** Base URL of the service as partners have it, and the Secrets Manager id of the key by which the probe calls it. */
export function probe(): { url: string; keySecret: string } {
  return { url: variable('PROBE_URL'), keySecret: probeKeySecret() };
}

/** Secrets Manager id of the probe's key. */
export const probeKeySecret = (): string => variable('PROBE_KEY_SECRET');

/** URL of the queue that clocks webhook deliveries. */
export const deliveryQueue = (): string => variable('DELIVERY_QUEUE_URL');

/** URL of the dead-letter queue that takes deliveries whose last attempt failed. */
export const deadLetterQueue = (): string => variable('DELIVERY_DLQ_URL');

/** Days from which on a consent of production is too old for an analysis; see Stage in infra/stages.ts. */
export const consentDays = (): number => Number(variable('CONSENT_DAYS'));

/** Days after which a published rate makes no offer of production; see Stage in infra/stages.ts. */
export const rateDays = (): number => Number(variable('RATE_DAYS'));

/** After how long leads end, undefined where none does; see Stage in infra/stages.ts. */
export function leadRetention() {
  if (variable('LEAD_RETENTION') === 'null') return undefined;
  return jsonVariable('LEAD_RETENTION', ['sandboxDays', 'monthsWithoutAnalysis', 'yearsAfterAnalysis'], isNumber);
}

/** Whether another person has to approve what one may not do alone; see Stage in infra/stages.ts. `off` alone says no. */
export const approvalsRequired = (): boolean => variable('APPROVALS') !== 'off';

/** What the panel's page is told of its stage, and of where its people sign in; see SignIn in infra/constructs/sign-in.ts. */
export const panelFacts = () => ({
  stage: variable('STAGE'),
  signIn: jsonVariable('SIGN_IN', ['issuer', 'login', 'identityUrl'], isText),
});

/** What the documentation tells partners of this deployment; see Stage in infra/stages.ts. */
export function partnerFacts() {
  return {
    supportEmail: variable('SUPPORT_EMAIL'),
    supportHours: variable('SUPPORT_HOURS'),
    contactUntil: variable('CONTACT_UNTIL'),
    statusPage: process.env['STATUS_PAGE'],
    consentDays: variable('CONSENT_DAYS'),
    rateDays: variable('RATE_DAYS'),
    leadRetention: leadRetention(),
    webhookAddresses: (process.env['WEBHOOK_ADDRESSES'] ?? '').split(' ').filter(Boolean),
  };
}

/** True only in the local run: webhooks may then go to plain http and to loopback addresses. No template sets it. */
export const localWebhookTargets = (): boolean => process.env['LOCAL_WEBHOOK_TARGETS'] === 'true';
