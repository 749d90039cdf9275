/** Throws an error that names a missing variable. A variable is read when it is used: a function needs only its own. */
function readVariable(name: string): string {
  const value = process.env[name];
  if (!value)
    throw new Error(`environment variable ${name} is missing: the template sets it for the functions that need it`);
  return value;
}

const isRecord = <Field extends string, Value>(
  value: unknown,
  fields: readonly Field[],
  isValue: (field: unknown) => field is Value,
): value is Readonly<Record<Field, Value>> =>
  typeof value === 'object' && value !== null && fields.every((field) => isValue(Reflect.get(value, field)));

/** Throws an Error unless the variable is the JSON of an object that has all these fields, each of one type. */
function readJsonVariable<Field extends string, Value>(
  name: string,
  fields: readonly Field[],
  isValue: (field: unknown) => field is Value,
): Readonly<Record<Field, Value>> {
  const value: unknown = JSON.parse(readVariable(name));
  if (!isRecord(value, fields, isValue)) throw new Error(`environment variable ${name} needs ${fields.join(', ')}`);
  return value;
}

const isText = (field: unknown): field is string => typeof field === 'string';
const isNumber = (field: unknown): field is number => typeof field === 'number';

export const tableName = (): string => readVariable('TABLE_NAME');

export const erasureLedgerName = (): string => readVariable('ERASURE_LEDGER_NAME');

/** Secrets Manager id. The keys have the format serviceKeysFormat (table/rows/encryption.ts). */
export const keysSecret = (): string => readVariable('KEYS_SECRET');

/** Secrets Manager id of the retired sealing keys (`retiredKeysFormat`), and for how long copies are kept. */
export function retiredKeys(): { secret: string; copyDays: number } {
  return { secret: readVariable('RETIRED_KEYS_SECRET'), copyDays: Number(readVariable('COPY_DAYS')) };
}

/** Whether this function may read the retired sealing keys, which open rows of a restored table. */
export const hasRetiredKeys = (): boolean => Boolean(process.env['RETIRED_KEYS_SECRET']);

export const hasServiceKeys = (): boolean => Boolean(process.env['KEYS_SECRET']);

export function operator(): { url: string; tokenSecret: string } {
  return { url: readVariable('OPERATOR_URL'), tokenSecret: readVariable('OPERATOR_TOKEN_SECRET') };
}

export function probe(): { url: string; keySecret: string } {
  return { url: readVariable('PROBE_URL'), keySecret: probeKeySecret() };
}

export const probeKeySecret = (): string => readVariable('PROBE_KEY_SECRET');

export const deliveryQueue = (): string => readVariable('DELIVERY_QUEUE_URL');

export const deadLetterQueue = (): string => readVariable('DELIVERY_DLQ_URL');

/** Age in days from which a consent is too old for an analysis in production. See Stage in infra/stages.ts. */
export const consentDays = (): number => Number(readVariable('CONSENT_DAYS'));

/** Age in days after which a published rate leads to no offer in production. See Stage in infra/stages.ts. */
export const rateDays = (): number => Number(readVariable('RATE_DAYS'));

/** Returns the terms after which unused leads end. Undefined if leads never end. See Stage in infra/stages.ts. */
export function leadRetention() {
  if (readVariable('LEAD_RETENTION') === 'null') return undefined;
  return readJsonVariable('LEAD_RETENTION', ['sandboxDays', 'monthsWithoutAnalysis', 'yearsAfterAnalysis'], isNumber);
}

/** False only if the variable is `off`: certain changes then need no second person. See Stage in infra/stages.ts. */
export const approvalsRequired = (): boolean => readVariable('APPROVALS') !== 'off';

export const ticketTopic = () => ({ stage: readVariable('STAGE'), arn: readVariable('TICKET_TOPIC') });

/** See SignIn in infra/constructs/sign-in.ts. */
export const panelFacts = () => ({
  stage: readVariable('STAGE'),
  signIn: readJsonVariable('SIGN_IN', ['issuer', 'login', 'identityUrl'], isText),
});

/** See Stage in infra/stages.ts. */
export function partnerFacts() {
  return {
    supportEmail: readVariable('SUPPORT_EMAIL'),
    supportHours: readVariable('SUPPORT_HOURS'),
    contactUntil: readVariable('CONTACT_UNTIL'),
    officerName: readVariable('DPO_NAME'),
    officerEmail: readVariable('DPO_EMAIL'),
    statusPage: process.env['STATUS_PAGE'],
    consentDays: readVariable('CONSENT_DAYS'),
    rateDays: readVariable('RATE_DAYS'),
    leadRetention: leadRetention(),
    webhookAddresses: (process.env['WEBHOOK_ADDRESSES'] ?? '').split(' ').filter(Boolean),
  };
}

/** Whether webhooks may go to plain http and to loopback. No template sets the variable: only the local run does. */
export const localWebhookTargets = (): boolean => process.env['LOCAL_WEBHOOK_TARGETS'] === 'true';
