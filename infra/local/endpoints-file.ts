import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** What the manager's command line takes over of the functions' environment. */
const MANAGER_NEEDS = [
  'AWS_REGION',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_ENDPOINT_URL_DYNAMODB',
  'AWS_ENDPOINT_URL_SQS',
  'AWS_ENDPOINT_URL_SECRETS_MANAGER',
  'TABLE_NAME',
  'ERASURE_LEDGER_NAME',
  'KEYS_SECRET',
  'DELIVERY_QUEUE_URL',
  'DELIVERY_DLQ_URL',
  'OPERATOR_URL',
  'OPERATOR_TOKEN_SECRET',
  'PROBE_KEY_SECRET',
  'LOCAL_WEBHOOK_TARGETS',
] as const;

/** Writes where the manager's command line finds a run, out of what a function that may touch everything has. */
export function writeEndpoints(
  file: string,
  environment: Readonly<Record<string, string | undefined>>,
  administration: object = {},
): void {
  const needed = Object.fromEntries(MANAGER_NEEDS.map((name) => [name, environment[name]]));
  writePrivate(file, { ...needed, administration });
}

/** Writes a JSON file for this user alone, whole or not at all. */
export function writePrivate(file: string, value: unknown): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.new`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
