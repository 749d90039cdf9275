import type { AwsRequest, Body, Image, Upstream } from './request.ts';

/** The names of a key's attributes. */
export interface KeyNames {
  readonly partition: string;
  readonly sort: string | undefined;
}

export interface IndexShape extends KeyNames {
  /** The attributes that it holds beside its keys and the table's; undefined where it holds all. */
  readonly projected: readonly string[] | undefined;
}

export interface TableShape extends KeyNames {
  readonly indexes: ReadonlyMap<string, IndexShape>;
}

/** A row of the table. */
export interface Row {
  /** The same text for the same row. */
  readonly id: string;
  readonly table: string;
  readonly key: Image;
  /** The text of its partition key. */
  readonly partition: string;
}

interface Schema {
  readonly KeySchema: readonly { readonly AttributeName: string; readonly KeyType: string }[];
}
interface IndexSchema extends Schema {
  readonly IndexName: string;
  readonly Projection: { readonly ProjectionType: string; readonly NonKeyAttributes?: readonly string[] };
}

function keyNames({ KeySchema }: Schema): KeyNames {
  const named = (type: string) => KeySchema.find(({ KeyType }) => KeyType === type)?.AttributeName;
  return { partition: named('HASH')!, sort: named('RANGE') };
}

/** The shapes of tables, asked for once. */
export function tablesOf(upstream: Upstream) {
  const shapes = new Map<string, Promise<TableShape>>();

  async function describe(asking: AwsRequest, TableName: string): Promise<TableShape> {
    const { Table } = await upstream.ask(asking, 'DescribeTable', { TableName });
    const table = Table as Schema & { readonly GlobalSecondaryIndexes?: readonly IndexSchema[] };
    const indexes = (table.GlobalSecondaryIndexes ?? []).map((index): [string, IndexShape] => {
      const { ProjectionType, NonKeyAttributes = [] } = index.Projection;
      return [
        index.IndexName,
        { ...keyNames(index), projected: ProjectionType === 'ALL' ? undefined : NonKeyAttributes },
      ];
    });
    return { ...keyNames(table), indexes: new Map(indexes) };
  }

  function shape(asking: AwsRequest, table: string): Promise<TableShape> {
    const known = shapes.get(table) ?? describe(asking, table);
    shapes.set(table, known);
    known.catch(() => shapes.delete(table));
    return known;
  }

  return {
    shape,
    /** The row of an item or a key. */
    row: async (asking: AwsRequest, table: string, item: Image): Promise<Row> =>
      rowOf(await shape(asking, table), table, item),
  };
}
export type Tables = ReturnType<typeof tablesOf>;

export function rowOf({ partition, sort }: KeyNames, table: string, item: Image): Row {
  const key = Object.fromEntries([partition, sort].flatMap((name) => (name ? [[name, item[name]!]] : [])));
  return {
    id: JSON.stringify([table, ...Object.values(key)]),
    table,
    key,
    partition: String(Object.values(item[partition] ?? {})[0]),
  };
}

type Named = { readonly TableName: string; readonly Key?: Image; readonly Item?: Image };
/** An item of a transaction: one of Put, Update, Delete, ConditionCheck. */
type TransactPart = Readonly<Record<string, Named>>;

export const transactParts = (body: Body): readonly TransactPart[] => body['TransactItems'] as readonly TransactPart[];

/** The rows that a request names one by one, in its order; none for queries and scans. */
export function namedRows(tables: Tables, request: AwsRequest): Promise<Row[]> {
  const { action, body } = request;
  const row = ({ TableName, Key, Item }: Named) => tables.row(request, TableName, (Key ?? Item) as Image);
  switch (action) {
    case 'TransactWriteItems':
      return Promise.all(transactParts(body).map((part) => row(Object.values(part)[0]!)));
    case 'BatchGetItem': {
      const asked = Object.entries(body['RequestItems'] as Readonly<Record<string, { readonly Keys: Image[] }>>);
      return Promise.all(asked.flatMap(([table, { Keys }]) => Keys.map((key) => tables.row(request, table, key))));
    }
    case 'GetItem':
    case 'PutItem':
    case 'UpdateItem':
    case 'DeleteItem':
      return Promise.all([row(body as unknown as Named)]);
    default:
      return Promise.resolve([]);
  }
}
