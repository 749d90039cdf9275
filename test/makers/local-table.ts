import { readFileSync } from 'node:fs';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { inject } from 'vitest';
import { CREDENTIALS } from '../../infra/local/aws/dynamodb.ts';
import { blueprintOf } from '../../infra/local/blueprint.ts';
import { REGION, readAssembly, Template } from '../../infra/local/template.ts';
import type { EventId, LeadId } from '../../shared/domain/values/ids.ts';
import type { Tenancy } from '../../shared/domain/values/tenancy.ts';
import { deliveryDue, deliveryKey, erasureDue, erasureKey, type RowKey } from '../../shared/table/keys.ts';
import { eventually, type LocalService } from './local-service.ts';

/** Attempts that a delivery has before its last. */
const BEFORE_THE_LAST = 11;
const LONG_AGO = 300_000;

type Row = Readonly<Record<string, unknown>>;

/** The table of a local run, in which a test lets the minutes and days pass that nobody waits for. */
export class LocalTable {
  readonly #client: DynamoDBDocumentClient;
  readonly #name: string;

  constructor({ endpoints }: Pick<LocalService, 'endpoints'>) {
    const { table: endpoint } = JSON.parse(readFileSync(endpoints, 'utf8')) as { table: string };
    this.#client = DynamoDBDocumentClient.from(
      new DynamoDBClient({ endpoint, region: REGION, credentials: CREDENTIALS }),
    );
    const template = new Template(readAssembly(inject('assembly')), 'http://127.0.0.1:9');
    this.#name = String(blueprintOf(template).table.TableName);
  }

  /** The second pass of an erasure whose first has ended is due now. */
  async secondPassIsDue(tenancy: Tenancy, leadId: LeadId): Promise<void> {
    const nextCheckAt = Date.now();
    await this.#update(erasureKey(tenancy, leadId), { nextCheckAt, ...erasureDue(tenancy, leadId, nextCheckAt) });
  }

  /** Of a delivery that has failed once all attempts have failed but the last, and that is overdue. */
  async lastAttemptIsDue(eventId: EventId): Promise<void> {
    const key = deliveryKey(eventId);
    await eventually(`a failed attempt of ${eventId}`, async () =>
      (await this.#row(key))?.['attempts'] ? true : undefined,
    );
    const dueAt = Date.now() - LONG_AGO;
    const attempts = BEFORE_THE_LAST;
    await this.#update(key, { attempts, dueAttempt: attempts + 1, dueAt, ...deliveryDue('sweeper', dueAt, eventId) });
  }

  async #row({ pk, sk }: RowKey): Promise<Row | undefined> {
    return (await this.#client.send(new GetCommand({ TableName: this.#name, Key: { pk, sk } }))).Item;
  }

  async #update({ pk, sk }: RowKey, set: Row): Promise<void> {
    const fields = Object.entries(set);
    await this.#client.send(
      new UpdateCommand({
        TableName: this.#name,
        Key: { pk, sk },
        UpdateExpression: `SET ${fields.map((_, index) => `#f${index} = :f${index}`).join(', ')}`,
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeNames: Object.fromEntries(fields.map(([name], index) => [`#f${index}`, name])),
        ExpressionAttributeValues: Object.fromEntries(fields.map(([, value], index) => [`:f${index}`, value])),
      }),
    );
  }
}
