import { readFileSync } from 'node:fs';
import { inject } from 'vitest';
import { CREDENTIALS } from '#infra/local/aws/dynamodb.ts';
import { blueprintOf } from '#infra/local/blueprint.ts';
import { REGION, readAssembly, Template } from '#infra/local/template.ts';
import type { EventId, LeadId } from '#shared/domain/values/ids.ts';
import type { Environment, Tenancy } from '#shared/domain/values/tenancy.ts';
import { deliveryExhausted, deliveryKey, erasureDue, erasureKey } from '#shared/table/rows/keys.ts';
import type { LocalService } from './local-service.ts';
import { setFields } from './rows.ts';

/**
 * Points this process's table client at the table of a local run. Returns a step that lets time pass for an erasure,
 * because a test cannot wait for it, and one that gives up a delivery.
 */
export function useLocalTable({ serviceFile }: Pick<LocalService, 'serviceFile'>) {
  const { table } = JSON.parse(readFileSync(serviceFile, 'utf8')) as { table: string };
  const template = new Template(readAssembly(inject('assembly')), 'http://127.0.0.1:9');
  Object.assign(process.env, {
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    AWS_ENDPOINT_URL_DYNAMODB: table,
    TABLE_NAME: String(blueprintOf(template).table.TableName),
  });
  return { secondPassIsDue, isGivenUp };
}

/** Gives up a delivery, as its last failed attempt would. */
async function isGivenUp(environment: Environment, eventId: EventId): Promise<void> {
  await setFields(deliveryKey(eventId), {
    state: 'esgotada',
    ...deliveryExhausted(environment, Date.now(), eventId),
  });
}

/** Makes the second pass of an erasure due now. The first pass must have ended. */
async function secondPassIsDue(tenancy: Tenancy, leadId: LeadId): Promise<void> {
  const nextCheckAt = Date.now();
  await setFields(erasureKey(tenancy, leadId), { nextCheckAt, ...erasureDue(tenancy, leadId, nextCheckAt) });
}
