import { readOld } from './old-reads.ts';
import { RecentWrites } from './recent-writes.ts';
import type { AwsAnswer, AwsRequest, Image, Upstream } from './request.ts';
import { batchParts, namedRows, type Row, Tables, transactParts } from './rows.ts';
import type { AwsLikeSettings } from './settings.ts';
import { nothingProcessed, singleWriteConflict, Transactions } from './transactions.ts';

/** The table's engine with DynamoDB's isolation and delays. */
export class TableLikeAws {
  readonly #upstream: Upstream;
  readonly #tables: Tables;
  readonly #transactions: Transactions;
  readonly #recent: RecentWrites;
  readonly #count: (what: string, request: AwsRequest) => void;

  constructor(
    upstream: Upstream,
    settings: () => AwsLikeSettings,
    random: () => number,
    now: () => number,
    count: (what: string, request: AwsRequest) => void,
  ) {
    this.#upstream = upstream;
    this.#tables = new Tables(upstream);
    this.#transactions = new Transactions(settings, random);
    this.#recent = new RecentWrites(settings, random, now);
    this.#count = count;
  }

  /** The rows that a request names; none where it is wrong, which the engine says best. */
  rows(request: AwsRequest): Promise<Row[]> {
    return namedRows(this.#tables, request).catch(() => []);
  }

  /** `pause` is awaited before the request is executed. */
  async answer(request: AwsRequest, rows: readonly Row[], pause: () => Promise<void>): Promise<AwsAnswer> {
    if (request.action === 'TransactWriteItems') return this.#transactWrite(request, rows, pause);
    await pause();
    switch (request.action) {
      case 'TransactGetItems': {
        const conflict = this.#transactions.conflict(rows);
        return conflict ? this.#refused(request, conflict) : this.#upstream.forward(request);
      }
      case 'PutItem':
      case 'UpdateItem':
      case 'DeleteItem':
        if (rows.some((row) => this.#transactions.holds(row))) return this.#refused(request, singleWriteConflict());
        return this.#write(request, rows);
      case 'BatchWriteItem':
        return this.#batchWrite(request, rows);
      case 'GetItem':
      case 'BatchGetItem':
      case 'Query': {
        const forward = (read: AwsRequest) => this.#upstream.forward(read);
        const { answer, old } = await readOld(request, { tables: this.#tables, recent: this.#recent, forward });
        if (old) this.#count('old', request);
        return answer;
      }
      default:
        return this.#upstream.forward(request);
    }
  }

  #refused(request: AwsRequest, answer: AwsAnswer): AwsAnswer {
    this.#count('conflict', request);
    return answer;
  }

  async #transactWrite(request: AwsRequest, rows: readonly Row[], pause: () => Promise<void>): Promise<AwsAnswer> {
    const parts = transactParts(request.body);
    const written = rows.filter((_, index) => !('ConditionCheck' in parts[index]!));
    const token = request.body['ClientRequestToken'] as string | undefined;
    const { answer, refused } = await this.#transactions.run(rows, token, pause, () => this.#write(request, written));
    if (refused) this.#count(refused, request);
    return answer;
  }

  /** Writes what no transaction holds; the rest comes back unprocessed. */
  async #batchWrite(request: AwsRequest, rows: readonly Row[]): Promise<AwsAnswer> {
    if (!rows.some((row) => this.#transactions.holds(row))) return this.#write(request, rows);
    this.#count('conflict', request);
    const parts = batchParts(request.body);
    const [free, held] = [false, true].map((wanted) => {
      const items: Record<string, unknown[]> = {};
      for (const [index, { table, part }] of parts.entries()) {
        if (this.#transactions.holds(rows[index]!) === wanted) items[table] = [...(items[table] ?? []), part];
      }
      return items;
    });
    if (Object.keys(free!).length === 0) return nothingProcessed(held);
    const kept = rows.filter((row) => !this.#transactions.holds(row));
    const written = await this.#write({ ...request, body: { ...request.body, RequestItems: free } }, kept);
    return written.status === 200 ? nothingProcessed(held) : written;
  }

  /** Executes a write, with its rows kept as they were before. */
  #write(request: AwsRequest, rows: readonly Row[]): Promise<AwsAnswer> {
    // A row named twice makes the request wrong, which the engine says best.
    if (new Set(rows.map(({ id }) => id)).size < rows.length) return this.#upstream.forward(request);
    return this.#recent.record(
      rows,
      () => this.#images(request, rows),
      () => this.#upstream.forward(request),
      ({ status }) => status === 200,
    );
  }

  async #images(request: AwsRequest, rows: readonly Row[]): Promise<(Image | undefined)[]> {
    if (rows.length === 1) {
      const [{ table, key }] = rows as [Row];
      const { Item } = await this.#upstream.ask(request, 'GetItem', {
        TableName: table,
        Key: key,
        ConsistentRead: true,
      });
      return [Item as Image | undefined];
    }
    const tables = Map.groupBy(rows, ({ table }) => table);
    const RequestItems = Object.fromEntries(
      [...tables].map(([table, own]) => [table, { Keys: own.map(({ key }) => key), ConsistentRead: true }]),
    );
    const { Responses } = await this.#upstream.ask(request, 'BatchGetItem', { RequestItems });
    const found = new Map<string, Image>();
    for (const [table, items] of Object.entries(Responses as Readonly<Record<string, readonly Image[]>>)) {
      for (const item of items) found.set((await this.#tables.row(request, table, item)).id, item);
    }
    return rows.map(({ id }) => found.get(id));
  }
}
