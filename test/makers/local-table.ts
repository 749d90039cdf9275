import { readFileSync } from 'node:fs';
import { inject } from 'vitest';
import { CREDENTIALS } from '#infra/local/aws/dynamodb.ts';
import { blueprintOf } from '#infra/local/blueprint.ts';
import { REGION, readAssembly, Template } from '#infra/local/template.ts';
import type { LeadId } from '#shared/domain/values/ids.ts';
import type { Tenancy } from '#shared/domain/values/tenancy.ts';
import { erasureDue, erasureKey } from '#shared/table/rows/keys.ts';
import type { LocalService } from './local-service.ts';
import { setFields } from './rows.ts';

/** Points the table's client of this process at a local run, and lets the minutes and days pass that nobody waits for. */
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
  return { secondPassIsDue };
}

/** The second pass of an erasure whose first has ended is due now. */
async function secondPassIsDue(tenancy: Tenancy, leadId: LeadId): Promise<void> {
  const nextCheckAt = Date.now();
  await setFields(erasureKey(tenancy, leadId), { nextCheckAt, ...erasureDue(tenancy, leadId, nextCheckAt) });
}
