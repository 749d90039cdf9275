import { readOld } from './old-reads.ts';
import { recentWrites } from './recent-writes.ts';
import type { AwsAnswer, AwsRequest, Image, Upstream } from './request.ts';
import { namedRows, type Row, tablesOf, transactParts } from './rows.ts';
import type { AwsLikeSettings } from './settings.ts';
import { singleWriteConflict, transactionsUnderWay } from './transactions.ts';

/**
 * The table's engine with DynamoDB's isolation and delays. TransactGetItems and BatchWriteItem go through as they are: no
 * function asks for either, and tests fill tables by the second.
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

  /** The rows that a request names; none where it is wrong, which the engine says best. */
  const rowsOf = (request: AwsRequest): Promise<Row[]> => namedRows(tables, request).catch(() => []);

  /** `pause` is awaited before the request is executed. */
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
    const parts = transactParts(request.body);
    const written = rows.filter((_, index) => !('ConditionCheck' in parts[index]!));
    const token = request.body['ClientRequestToken'] as string | undefined;
    const outcome = await transactions.run(rows, token, pause, () => write(request, written));
    if (outcome.refused) count(outcome.refused, request);
    return outcome.answer;
  }

  /** Executes a write, with its rows kept as they were before. */
  function write(request: AwsRequest, rows: readonly Row[]): Promise<AwsAnswer> {
    // A row named twice makes the request wrong, which the engine says best.
    if (new Set(rows.map(({ id }) => id)).size < rows.length) return upstream.forward(request);
    return recent.record(
      rows,
      () => images(request, rows),
      () => upstream.forward(request),
      ({ status }) => status === 200,
    );
  }

  async function images(request: AwsRequest, rows: readonly Row[]): Promise<(Image | undefined)[]> {
    if (rows.length === 1) {
      const [{ table, key }] = rows as [Row];
      const { Item } = await upstream.ask(request, 'GetItem', {
        TableName: table,
        Key: key,
        ConsistentRead: true,
      });
      return [Item as Image | undefined];
    }
    const byTable = Map.groupBy(rows, ({ table }) => table);
    const RequestItems = Object.fromEntries(
      [...byTable].map(([table, own]) => [table, { Keys: own.map(({ key }) => key), ConsistentRead: true }]),
    );
    const { Responses } = await upstream.ask(request, 'BatchGetItem', { RequestItems });
    const found = new Map<string, Image>();
    for (const [table, items] of Object.entries(Responses as Readonly<Record<string, readonly Image[]>>)) {
      for (const item of items) found.set((await tables.row(request, table, item)).id, item);
    }
    return rows.map(({ id }) => found.get(id));
  }

  return { rowsOf, answer };
}
