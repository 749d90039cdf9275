import { readOld } from './old-reads.ts';
import { recentWrites } from './recent-writes.ts';
import { type AwsAnswer, type AwsRequest, type Image, imageOf, type Upstream } from './request.ts';
import { batchResponses, namedRows, type Row, tablesOf, writtenRows } from './rows.ts';
import type { AwsLikeSettings } from './settings.ts';
import { singleWriteConflict, transactionsUnderWay } from './transactions.ts';

/**
 * DynamoDB's isolation and delays. TransactGetItems and BatchWriteItem are passed on unchanged: no function uses the
 * first, and only tests use the second, to fill tables.
 */
export function tableLikeAws(
  upstream: Upstream,
  settings: () => AwsLikeSettings,
  random: () => number,
  now: () => number,
  count: (what: string, request: AwsRequest) => void,
) {
  const tables = tablesOf(upstream);
  const transactions = transactionsUnderWay(settings, random);
  const recent = recentWrites(settings, random, now);

  /** Returns no rows if the request is malformed: the engine then refuses the request itself. */
  const rowsOf = (request: AwsRequest): Promise<Row[]> => namedRows(tables, request).catch(() => []);

  async function answer(request: AwsRequest, rows: readonly Row[], pause: () => Promise<void>): Promise<AwsAnswer> {
    if (request.action === 'TransactWriteItems') return transactWrite(request, rows, pause);
    await pause();
    switch (request.action) {
      case 'PutItem':
      case 'UpdateItem':
      case 'DeleteItem':
        if (!rows.some((row) => transactions.holds(row))) return write(request, rows);
        count('conflict', request);
        return singleWriteConflict();
      case 'GetItem':
      case 'BatchGetItem':
      case 'Query': {
        const read = await readOld(request, { tables, recent, forward: upstream.forward });
        if (read.old) count('old', request);
        return read.answer;
      }
      default:
        return upstream.forward(request);
    }
  }

  async function transactWrite(
    request: AwsRequest,
    rows: readonly Row[],
    pause: () => Promise<void>,
  ): Promise<AwsAnswer> {
    const written = writtenRows(request.body, rows);
    const clientToken = request.body['ClientRequestToken'];
    const token = typeof clientToken === 'string' ? clientToken : undefined;
    const outcome = await transactions.run(rows, token, pause, () => write(request, written));
    if (outcome.refused) count(outcome.refused, request);
    return outcome.answer;
  }

  function write(request: AwsRequest, rows: readonly Row[]): Promise<AwsAnswer> {
    // The engine itself refuses a request that names a row twice.
    if (new Set(rows.map(({ id }) => id)).size < rows.length) return upstream.forward(request);
    return recent.record(
      rows,
      () => images(request, rows),
      () => upstream.forward(request),
      ({ status }) => status === 200,
    );
  }

  async function images(request: AwsRequest, rows: readonly Row[]): Promise<(Image | undefined)[]> {
    const [row, ...others] = rows;
    if (row && others.length === 0) {
      const { Item } = await upstream.ask(request, 'GetItem', {
        TableName: row.table,
        Key: row.key,
        ConsistentRead: true,
      });
      return [Item === undefined ? undefined : imageOf(Item)];
    }
    const byTable = Map.groupBy(rows, ({ table }) => table);
    const RequestItems = Object.fromEntries(
      [...byTable].map(([table, own]) => [table, { Keys: own.map(({ key }) => key), ConsistentRead: true }]),
    );
    const responses = batchResponses(await upstream.ask(request, 'BatchGetItem', { RequestItems }));
    const found = new Map<string, Image>();
    for (const [table, items] of Object.entries(responses)) {
      for (const item of items) found.set((await tables.row(request, table, item)).id, item);
    }
    return rows.map(({ id }) => found.get(id));
  }

  return { rowsOf, answer };
}
