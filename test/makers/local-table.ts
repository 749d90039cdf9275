import { readFileSync } from 'node:fs';
import { inject } from 'vitest';
import { CREDENTIALS } from '../../infra/local/aws/dynamodb.ts';
import { blueprintOf } from '../../infra/local/blueprint.ts';
import { REGION, readAssembly, Template } from '../../infra/local/template.ts';
import type { EventId, LeadId } from '../../shared/domain/values/ids.ts';
import type { Tenancy } from '../../shared/domain/values/tenancy.ts';
import { getRow } from '../../shared/table/client.ts';
import { deliveryDue, deliveryKey, erasureDue, erasureKey } from '../../shared/table/keys.ts';
import { eventually, type LocalService } from './local-service.ts';
import { setFields } from './rows.ts';

/** Attempts that a delivery has before its last. */
const BEFORE_THE_LAST = 11;
const LONG_AGO = 300_000;

/** Points the table's client of this process at a local run, and lets the minutes and days pass that nobody waits for. */
export function useLocalTable({ endpoints }: Pick<LocalService, 'endpoints'>) {
  const { table } = JSON.parse(readFileSync(endpoints, 'utf8')) as { table: string };
  const template = new Template(readAssembly(inject('assembly')), 'http://127.0.0.1:9');
  Object.assign(process.env, {
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    AWS_ENDPOINT_URL_DYNAMODB: table,
    TABLE_NAME: String(blueprintOf(template).table.TableName),
  });
  return { secondPassIsDue, lastAttemptIsDue };
}

/** The second pass of an erasure whose first has ended is due now. */
async function secondPassIsDue(tenancy: Tenancy, leadId: LeadId): Promise<void> {
  const nextCheckAt = Date.now();
  await setFields(erasureKey(tenancy, leadId), { nextCheckAt, ...erasureDue(tenancy, leadId, nextCheckAt) });
}

/** Of a delivery that has failed once all attempts have failed but the last, and that is overdue. */
async function lastAttemptIsDue(eventId: EventId): Promise<void> {
  const key = deliveryKey(eventId);
  await eventually(`a failed attempt of ${eventId}`, async () =>
    (await getRow(key))?.['attempts'] ? true : undefined,
  );
  const dueAt = Date.now() - LONG_AGO;
  const attempts = BEFORE_THE_LAST;
  await setFields(key, { attempts, dueAttempt: attempts + 1, dueAt, ...deliveryDue('sweeper', dueAt, eventId) });
}
