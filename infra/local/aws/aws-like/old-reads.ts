/**
 * Makes reads show the past: rows that were written a moment ago are put back to their former state in the engine's
 * answer.
 *
 * Supports GetItem, BatchGetItem and Query by equality on the partition key and an optional condition on a sort key of
 * text or numbers. A read with a projection, or with an expression of another form, would show something wrong, and is
 * refused with a ValidationException. A Scan always shows the present, and so does consumed capacity.
 */
import { filterOf, unfiltered } from './filter.ts';
import { keyCondition, ordered } from './key-condition.ts';
import type { OldRow, RecentWrites } from './recent-writes.ts';
import {
  type AwsAnswer,
  type AwsRequest,
  answerOf,
  attributeOf,
  type Body,
  bodyOf,
  errorOf,
  type Image,
  imageOf,
  imagesOf,
} from './request.ts';
import {
  batchResponses,
  batchTables,
  type IndexShape,
  type KeyNames,
  rowId,
  rowOf,
  type TableShape,
  type Tables,
} from './rows.ts';

interface Read {
  readonly answer: AwsAnswer;
  readonly old: boolean;
}

type Forward = (request: AwsRequest) => Promise<AwsAnswer>;

/** Shows the past for reads of an index, and for reads without ConsistentRead. */
export async function readOld(
  request: AwsRequest,
  { tables, recent, forward }: { readonly tables: Tables; readonly recent: RecentWrites; readonly forward: Forward },
): Promise<Read> {
  const { action, body } = request;
  if (action === 'BatchGetItem') return readBatch(request, tables, recent, forward);
  const table = String(body['TableName']);
  const index = body['IndexName'] === undefined ? undefined : String(body['IndexName']);
  if (body['ConsistentRead'] === true) return { answer: await forward(request), old: false };

  const shape = await tables.shape(request, table);
  const unseen = index === undefined ? recent.unreplicated() : recent.unindexed();
  const answer = await forward(request);
  if (answer.status !== 200) return { answer, old: false };
  if (action === 'GetItem') {
    const old = recent.old(rowOf(shape, table, imageOf(body['Key'])).id, unseen);
    if (!old) return { answer, old: false };
    if (isShaped(body)) return { answer: refusal(), old: false };
    const { Item: _, ...rest } = bodyOf(answer);
    return { answer: answerOf('dynamodb', { ...rest, Item: old.image }), old: true };
  }
  const isFiltered = body['FilterExpression'] !== undefined || body['Select'] === COUNT;
  const isAskedAgain = isFiltered && recent.allOld(table, unseen).length > 0;
  const whole = isAskedAgain ? await forward({ ...request, body: unfiltered(body) }) : answer;
  if (whole.status !== 200) return { answer: whole, old: false };
  const rows = recent.allOld(table, unseen);
  if (rows.length === 0) return { answer, old: false };
  try {
    const changed = oldPage(body, bodyOf(whole), shape, index, rows);
    if (!changed) return { answer, old: false };
    return { answer: isShaped(body) ? refusal() : answerOf('dynamodb', applyFilter(body, changed)), old: true };
  } catch (error) {
    return { answer: invalid(`the wire cannot read this query: ${error}`), old: false };
  }
}

const COUNT = 'COUNT';

function applyFilter(request: Body, page: Body): Body {
  const items = imagesOf(page['Items']).filter(filterOf(request));
  return { ...page, Count: items.length, Items: request['Select'] === COUNT ? undefined : items };
}

/** Whether a read asks only for parts of rows. Such rows cannot be put back here. */
function isShaped({ ProjectionExpression, AttributesToGet, Select = COUNT }: Body): boolean {
  return ProjectionExpression !== undefined || AttributesToGet !== undefined || Select !== COUNT;
}

const refusal = (): AwsAnswer => invalid('the wire shows no past with a projection: read whole rows');

const invalid = (message: string): AwsAnswer => errorOf('dynamodb', 'ValidationException', { message });

async function readBatch(request: AwsRequest, tables: Tables, recent: RecentWrites, forward: Forward): Promise<Read> {
  const requested = await Promise.all(
    batchTables(request.body).map(async ({ table, keys, consistent, read }) => {
      const shape = await tables.shape(request, table);
      return { table, keys, consistent, isPart: isShaped(read), shape };
    }),
  );
  const unseen = recent.unreplicated();
  const answer = await forward(request);
  if (answer.status !== 200) return { answer, old: false };
  const body = bodyOf(answer);
  const responses = batchResponses(body);
  let changed = false;
  for (const { table, keys, consistent, isPart, shape } of requested) {
    if (consistent) continue;
    const old = keys.flatMap((key) => recent.old(rowOf(shape, table, key).id, unseen) ?? []);
    if (old.length === 0) continue;
    if (isPart) return { answer: refusal(), old: false };
    changed = true;
    responses[table] = replaceRows(responses[table] ?? [], old, shape, table);
  }
  return changed
    ? { answer: answerOf('dynamodb', { ...body, Responses: responses }), old: true }
    : { answer, old: false };
}

function replaceRows(items: readonly Image[], old: readonly OldRow[], shape: KeyNames, table: string): Image[] {
  const ids = new Set(old.map(({ row }) => row.id));
  const kept = items.filter((item) => !ids.has(rowId(shape, table, item)));
  return [...kept, ...old.flatMap(({ image }) => (image ? [image] : []))];
}

/** Undefined if no row is put back. */
function oldPage(
  request: Body,
  page: Body,
  shape: TableShape,
  indexName: string | undefined,
  old: readonly OldRow[],
): Body | undefined {
  const index = indexName === undefined ? undefined : shape.indexes.get(indexName);
  const condition = keyCondition(request, index ?? shape);
  const order = ordered(condition, shape, request['ScanIndexForward'] === false);
  const after = keyOrNone(request['ExclusiveStartKey']);
  const upTo = keyOrNone(page['LastEvaluatedKey']);
  // Rows beyond this page of the engine belong to another page.
  const within = (image: Image) =>
    condition.holds(image) && (!after || order(image, after) > 0) && (!upTo || order(image, upTo) <= 0);
  const table = String(request['TableName']);
  const items = imagesOf(page['Items']);
  const fitting = old.map(({ row, image }) => ({ row, image: image && within(image) ? image : undefined }));
  const ids = new Set(items.map((item) => rowId(shape, table, item)));
  if (!fitting.some(({ row, image }) => image || ids.has(row.id))) return undefined;

  const projected = fitting.map(({ row, image }) => ({ row, image: image && projectRow(image, shape, index) }));
  const merged = replaceRows(items, projected, shape, table).sort(order);
  const limit = Number(request['Limit'] ?? Number.POSITIVE_INFINITY);
  const Items = merged.slice(0, limit);
  // AWS ends a page that has reached its limit with a key, even if no row follows.
  const lastShown = merged.length >= limit ? Items.at(-1) : undefined;
  return {
    ...page,
    Count: Items.length,
    ScannedCount: Items.length,
    Items,
    LastEvaluatedKey: lastShown ? keysOf(lastShown, shape, index) : upTo,
  };
}

const keyOrNone = (value: unknown): Image | undefined => (value ? imageOf(value) : undefined);

const keyNamesOf = (shape: KeyNames, index: KeyNames | undefined): string[] =>
  [shape.partition, shape.sort, index?.partition, index?.sort].filter((name) => name !== undefined);

const keysOf = (image: Image, shape: KeyNames, index: KeyNames | undefined): Image =>
  Object.fromEntries(keyNamesOf(shape, index).map((name) => [name, attributeOf(image, name)]));

function projectRow(image: Image, shape: TableShape, index: IndexShape | undefined): Image {
  if (!index?.projected) return image;
  const inIndex = new Set(keyNamesOf(shape, index).concat(index.projected));
  return Object.fromEntries(Object.entries(image).filter(([name]) => inIndex.has(name)));
}
