/**
 * Gives reads the past: rows that were written a moment ago are put back to what they were, in the engine's own answer.
 *
 * What is understood: GetItem, BatchGetItem and Query, of the table or an index, by equality on the partition key and an
 * optional condition on a sort key of text or numbers. A read with a filter or a projection of its own is refused with a
 * ValidationException rather than shown wrong; a Scan always shows the present; consumed capacity is the present's.
 */
import { keyCondition, ordered } from './key-condition.ts';
import type { OldRow, RecentWrites } from './recent-writes.ts';
import { type AwsAnswer, type AwsRequest, answerOf, type Body, bodyOf, errorOf, type Image } from './request.ts';
import { type IndexShape, type KeyNames, rowOf, type TableShape, type Tables } from './rows.ts';

/** An answer, and whether it shows the past. */
interface Read {
  readonly answer: AwsAnswer;
  readonly old: boolean;
}

type Forward = (request: AwsRequest) => Promise<AwsAnswer>;

/** Answers a read from a moment ago where it may be one: of an index, or without ConsistentRead. */
export async function readOld(
  request: AwsRequest,
  { tables, recent, forward }: { readonly tables: Tables; readonly recent: RecentWrites; readonly forward: Forward },
): Promise<Read> {
  const { action, body } = request;
  if (action === 'BatchGetItem') return readBatch(request, tables, recent, forward);
  const table = String(body['TableName']);
  const index = body['IndexName'] as string | undefined;
  if (body['ConsistentRead'] === true) return { answer: await forward(request), old: false };

  const shape = await tables.shape(request, table);
  const unseen = index === undefined ? recent.unreplicated() : recent.unindexed();
  const answer = await forward(request);
  if (answer.status !== 200) return { answer, old: false };
  if (action === 'GetItem') {
    const old = recent.old(rowOf(shape, table, body['Key'] as Image).id, unseen);
    if (!old) return { answer, old: false };
    if (isShaped(body)) return { answer: refusal(), old: false };
    const { Item: _, ...rest } = bodyOf(answer);
    return { answer: answerOf('dynamodb', { ...rest, ...(old.image && { Item: old.image }) }), old: true };
  }
  const rows = recent.allOld(table, unseen);
  const changed = rows.length === 0 ? undefined : oldPage(body, bodyOf(answer), shape, index, rows);
  if (!changed) return { answer, old: false };
  return { answer: isShaped(body) ? refusal() : answerOf('dynamodb', changed), old: true };
}

/** Whether a read asks for less than whole rows, which cannot be put back here. */
function isShaped(body: Body): boolean {
  return ['FilterExpression', 'ProjectionExpression', 'AttributesToGet', 'Select'].some(
    (name) => body[name] !== undefined,
  );
}

function refusal(): AwsAnswer {
  const message = 'the wire shows no past with a filter or a projection: read whole rows';
  return errorOf('dynamodb', 'ValidationException', { message });
}

interface BatchTable {
  readonly Keys: readonly Image[];
  readonly ConsistentRead?: boolean;
}

async function readBatch(request: AwsRequest, tables: Tables, recent: RecentWrites, forward: Forward): Promise<Read> {
  const asked = Object.entries(request.body['RequestItems'] as Readonly<Record<string, BatchTable>>);
  const shapes = await Promise.all(asked.map(([table]) => tables.shape(request, table)));
  const unseen = recent.unreplicated();
  const answer = await forward(request);
  if (answer.status !== 200) return { answer, old: false };
  const body = bodyOf(answer);
  const responses = { ...(body['Responses'] as Record<string, readonly Image[]>) };
  let changed = false;
  for (const [position, [table, { Keys, ConsistentRead }]] of asked.entries()) {
    if (ConsistentRead === true) continue;
    const shape = shapes[position]!;
    const old = Keys.flatMap((key) => recent.old(rowOf(shape, table, key).id, unseen) ?? []);
    if (old.length === 0) continue;
    changed = true;
    responses[table] = replaced(responses[table] ?? [], old, shape, table);
  }
  return changed
    ? { answer: answerOf('dynamodb', { ...body, Responses: responses }), old: true }
    : { answer, old: false };
}

/** Rows with some put back: those of `old` leave, and come again as they were. */
function replaced(items: readonly Image[], old: readonly OldRow[], shape: KeyNames, table: string): Image[] {
  const ids = new Set(old.map(({ row }) => row.id));
  const kept = items.filter((item) => !ids.has(rowOf(shape, table, item).id));
  return [...kept, ...old.flatMap(({ image }) => (image ? [image] : []))];
}

/** A query's page with rows put back; undefined where that changes nothing. */
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
  const [after, upTo] = [request['ExclusiveStartKey'], page['LastEvaluatedKey']] as (Image | undefined)[];
  // Only what the engine's page would have held: rows beyond it come with their own page.
  const within = (image: Image) =>
    condition.holds(image) && (!after || order(image, after) > 0) && (!upTo || order(image, upTo) <= 0);
  const table = String(request['TableName']);
  const items = page['Items'] as readonly Image[];
  const fitting = old.map(({ row, image }) => ({ row, image: image && within(image) ? image : undefined }));
  const ids = new Set(items.map((item) => rowOf(shape, table, item).id));
  if (!fitting.some(({ row, image }) => image || ids.has(row.id))) return undefined;

  const projected = fitting.map(({ row, image }) => ({ row, image: image && projection(image, shape, index) }));
  const merged = replaced(items, projected, shape, table).sort(order);
  const limit = Number(request['Limit'] ?? Number.POSITIVE_INFINITY);
  const Items = merged.slice(0, limit);
  const last = merged.length > limit ? keysOf(Items.at(-1)!, shape, index) : upTo;
  const { LastEvaluatedKey: _, ...rest } = page;
  const counts = { Count: Items.length, ScannedCount: Items.length };
  return { ...rest, ...counts, Items, ...(last && { LastEvaluatedKey: last }) };
}

const names = (shape: KeyNames, index: KeyNames | undefined): string[] =>
  [shape.partition, shape.sort, index?.partition, index?.sort].filter((name) => name !== undefined);

const keysOf = (image: Image, shape: KeyNames, index: KeyNames | undefined): Image =>
  Object.fromEntries(names(shape, index).map((name) => [name, image[name]!]));

/** What an index holds of a row. */
function projection(image: Image, shape: TableShape, index: IndexShape | undefined): Image {
  if (!index?.projected) return image;
  const held = new Set([...names(shape, index), ...index.projected]);
  return Object.fromEntries(Object.entries(image).filter(([name]) => held.has(name)));
}
