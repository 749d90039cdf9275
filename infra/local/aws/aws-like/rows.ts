import * as z from 'zod/mini';
import { isObject } from '#infra/local/listen.ts';
import {
  type Attribute,
  type AwsRequest,
  attributeOf,
  type Body,
  type Image,
  imageOf,
  imagesOf,
  type Upstream,
} from './request.ts';

export interface KeyNames {
  readonly partition: string;
  readonly sort: string | undefined;
}

export interface IndexShape extends KeyNames {
  /** Attributes in the index in addition to its keys and the table's. Undefined if it has all attributes. */
  readonly projected: readonly string[] | undefined;
}

export interface TableShape extends KeyNames {
  readonly indexes: ReadonlyMap<string, IndexShape>;
}

export interface Row {
  readonly id: string;
  readonly table: string;
  readonly key: Image;
  readonly partition: string;
}

const keySchemaFormat = z.array(z.object({ AttributeName: z.string(), KeyType: z.string() }));

const tableFormat = z.object({
  KeySchema: keySchemaFormat,
  GlobalSecondaryIndexes: z.nullish(
    z.array(
      z.object({
        IndexName: z.string(),
        KeySchema: keySchemaFormat,
        Projection: z.object({ ProjectionType: z.string(), NonKeyAttributes: z.nullish(z.array(z.string())) }),
      }),
    ),
  ),
});

function keyNames(schema: z.infer<typeof keySchemaFormat>): KeyNames {
  const named = (type: string) => schema.find(({ KeyType }) => KeyType === type)?.AttributeName;
  const partition = named('HASH');
  if (partition === undefined) throw new Error('a table or an index has no partition key');
  return { partition, sort: named('RANGE') };
}

/** Asks the engine once about each table. */
export function tablesOf(upstream: Upstream) {
  const shapes = new Map<string, Promise<TableShape>>();

  async function describe(asking: AwsRequest, TableName: string): Promise<TableShape> {
    const { Table } = await upstream.ask(asking, 'DescribeTable', { TableName });
    const table = tableFormat.parse(Table);
    const indexes = new Map<string, IndexShape>();
    for (const { IndexName, KeySchema, Projection } of table.GlobalSecondaryIndexes ?? []) {
      const projected = Projection.ProjectionType === 'ALL' ? undefined : (Projection.NonKeyAttributes ?? []);
      indexes.set(IndexName, { ...keyNames(KeySchema), projected });
    }
    return { ...keyNames(table.KeySchema), indexes };
  }

  function shape(asking: AwsRequest, table: string): Promise<TableShape> {
    const known = shapes.get(table) ?? describe(asking, table);
    shapes.set(table, known);
    known.catch(() => shapes.delete(table));
    return known;
  }

  return {
    shape,
    row: async (asking: AwsRequest, table: string, item: Image): Promise<Row> =>
      rowOf(await shape(asking, table), table, item),
  };
}
export type Tables = ReturnType<typeof tablesOf>;

/** If a projection has cut off the key, the id belongs to no row. */
export function rowId({ partition, sort }: KeyNames, table: string, item: Image): string {
  return JSON.stringify(sort === undefined ? [table, item[partition]] : [table, item[partition], item[sort]]);
}

export function rowOf(names: KeyNames, table: string, item: Image): Row {
  const { partition, sort } = names;
  const key: Record<string, Attribute> = { [partition]: attributeOf(item, partition) };
  if (sort !== undefined) key[sort] = attributeOf(item, sort);
  return {
    id: rowId(names, table, item),
    table,
    key,
    partition: String(Object.values(attributeOf(item, partition))[0]),
  };
}

function transactParts({ TransactItems }: Body): readonly unknown[] {
  return Array.isArray(TransactItems) ? TransactItems : [];
}

export function writtenRows(body: Body, rows: readonly Row[]): readonly Row[] {
  const parts = transactParts(body);
  return rows.filter((_, index) => {
    const part = parts[index];
    return !(isObject(part) && 'ConditionCheck' in part);
  });
}

interface BatchTable {
  readonly table: string;
  readonly keys: readonly Image[];
  readonly consistent: boolean;
  readonly read: Body;
}

export function batchTables({ RequestItems }: Body): readonly BatchTable[] {
  if (!isObject(RequestItems)) throw new Error('RequestItems is not an object');
  return Object.entries(RequestItems).map(([table, request]) => {
    if (!isObject(request)) throw new Error(`RequestItems has no keys for ${table}`);
    return { table, keys: imagesOf(request['Keys']), consistent: request['ConsistentRead'] === true, read: request };
  });
}

export function batchResponses({ Responses }: Body): Record<string, readonly Image[]> {
  if (!isObject(Responses)) return {};
  return Object.fromEntries(Object.entries(Responses).map(([table, items]) => [table, imagesOf(items)]));
}

/** Queries and scans name no row. Rejects if the request is malformed. */
export async function namedRows(tables: Tables, request: AwsRequest): Promise<Row[]> {
  const { action, body } = request;
  const row = async (named: unknown): Promise<Row> => {
    if (!isObject(named)) throw new Error(`${action} names no row`);
    return tables.row(request, String(named['TableName']), imageOf(named['Key'] ?? named['Item']));
  };
  switch (action) {
    case 'TransactWriteItems':
      return Promise.all(transactParts(body).map((part) => row(isObject(part) ? Object.values(part)[0] : part)));
    case 'BatchGetItem':
      return Promise.all(
        batchTables(body).flatMap(({ table, keys }) => keys.map((key) => tables.row(request, table, key))),
      );
    case 'GetItem':
    case 'PutItem':
    case 'UpdateItem':
    case 'DeleteItem':
      return [await row(body)];
    default:
      return [];
  }
}
