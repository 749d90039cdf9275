import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen } from '../../infra/local/listen.ts';
import { ACCOUNT, REGION } from '../../infra/local/template.ts';

/** What IAM would be asked for one action that a request to AWS takes. */
export interface Access {
  /** The access key id that signed the request. */
  readonly caller: string;
  /** `dynamodb:GetItem` */
  readonly action: string;
  /** ARN. */
  readonly resource: string;
  /** Partition keys of the rows that are touched; empty for other services and for queries of an index. */
  readonly leadingKeys: readonly string[];
  /** Attributes that an update names, its key's among them. */
  readonly attributes?: readonly string[];
}

/** Which requests fail. */
export interface BreakOrder {
  readonly caller: string;
  /** `TransactWriteItems` */
  readonly request: string;
  /** How many of them go through before. @default 0 */
  readonly after?: number;
  /** AWS's name of the error; `InternalServerError` comes as 500, others as 400. @default InternalServerError */
  readonly error?: string;
}

/** Stands between AWS's clients and its emulators, and notes who asks for what. */
export interface Wire {
  readonly url: string;
  /** Everything that was asked for so far. */
  readonly accesses: readonly Access[];
  /** From now on some requests fail; undefined ends it. */
  break(order: BreakOrder | undefined): void;
  close(): Promise<void>;
}

type Body = Readonly<Record<string, unknown>>;

const DYNAMODB = 'DynamoDB_20120810';
const SERVICES = { [DYNAMODB]: 'dynamodb', AmazonSQS: 'sqs', secretsmanager: 'secretsmanager' } as const;
type Target = keyof typeof SERVICES;

/** The actions of a transaction's parts: it has none of its own. */
const PARTS: Readonly<Record<string, string>> = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
  Get: 'GetItem',
};

interface Part {
  readonly TableName: string;
  readonly IndexName?: string;
  readonly Key?: Readonly<Record<string, { readonly S: string }>>;
  readonly Item?: Readonly<Record<string, { readonly S: string }>>;
  readonly KeyConditionExpression?: string;
  readonly ExpressionAttributeValues?: Readonly<Record<string, { readonly S: string }>>;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly UpdateExpression?: string;
  readonly ConditionExpression?: string;
}

const arn = (service: string, resource: string) => `arn:aws:${service}:${REGION}:${ACCOUNT}:${resource}`;

/** Words of expressions that name no attribute. */
const WORDS =
  /^(SET|REMOVE|ADD|DELETE|AND|OR|NOT|IN|BETWEEN|attribute_\w+|begins_with|contains|size|if_not_exists|list_append)$/;

function attributesOf({ Key = {}, UpdateExpression, ConditionExpression = '', ExpressionAttributeNames = {} }: Part) {
  if (UpdateExpression === undefined) return [];
  const words = `${UpdateExpression} ${ConditionExpression}`.match(/(?<![.:\w])#?[A-Za-z_]\w*/g) ?? [];
  const named = words.filter((word) => !WORDS.test(word)).map((word) => ExpressionAttributeNames[word] ?? word);
  return [...Object.keys(Key), ...new Set(named)];
}

function onTable(action: string, part: Part): Omit<Access, 'caller'> {
  const { TableName, IndexName, Key, Item, KeyConditionExpression, ExpressionAttributeValues } = part;
  const asked = /\bpk = (:\w+)/.exec(IndexName ? '' : (KeyConditionExpression ?? ''))?.[1];
  const row = Key?.['pk'] ?? Item?.['pk'] ?? (asked ? ExpressionAttributeValues?.[asked] : undefined);
  return {
    action: `dynamodb:${action}`,
    resource: arn('dynamodb', `table/${TableName}${IndexName ? `/index/${IndexName}` : ''}`),
    leadingKeys: row ? [row.S] : [],
    attributes: attributesOf(part),
  };
}

function dynamoDbAccesses(request: string, body: Body): Omit<Access, 'caller'>[] {
  if (request.startsWith('Transact')) {
    const items = body['TransactItems'] as readonly Readonly<Record<string, Part>>[];
    return items.flatMap((item) => Object.entries(item).map(([kind, part]) => onTable(PARTS[kind]!, part)));
  }
  if (request.startsWith('Batch')) {
    const tables = Object.entries(body['RequestItems'] as Record<string, { Keys: Part['Key'][] }>);
    return tables.map(([TableName, { Keys }]) => ({
      ...onTable(request, { TableName }),
      leadingKeys: Keys.map((key) => key!['pk']!.S),
    }));
  }
  return [onTable(request, body as unknown as Part)];
}

function accessesOf(target: Target, request: string, body: Body): Omit<Access, 'caller'>[] {
  switch (target) {
    case DYNAMODB:
      return dynamoDbAccesses(request, body);
    case 'AmazonSQS': {
      const name = String(body['QueueUrl']).split('/').at(-1)!;
      // A batch is the same action as its single messages.
      return [{ action: `sqs:${request.replace(/Batch$/, '')}`, resource: arn('sqs', name), leadingKeys: [] }];
    }
    case 'secretsmanager':
      return [{ action: `secretsmanager:${request}`, resource: String(body['SecretId']), leadingKeys: [] }];
  }
}

/** Starts the wire in front of the emulators' addresses. */
export async function startWire(
  upstream: Readonly<Record<'dynamodb' | 'sqs' | 'secretsmanager', string>>,
): Promise<Wire> {
  const accesses: Access[] = [];
  let broken: (BreakOrder & { left: number }) | undefined;

  /** The error that a request is to fail with. */
  function failure(caller: string, request: string): string | undefined {
    if (broken?.caller !== caller || broken.request !== request) return undefined;
    broken.left -= 1;
    return broken.left < 0 ? (broken.error ?? 'InternalServerError') : undefined;
  }

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const [target, request] = String(incoming.headers['x-amz-target']).split('.') as [Target, string];
    const caller = /Credential=([^/]+)\//.exec(incoming.headers.authorization ?? '')?.[1] ?? 'nobody';
    const asked = accessesOf(target, request, JSON.parse(body.toString('utf8')) as Body);
    accesses.push(...asked.map((access) => ({ caller, ...access })));
    const error = failure(caller, request);
    if (error) {
      outgoing.writeHead(error === 'InternalServerError' ? 500 : 400, { 'content-type': 'application/x-amz-json-1.0' });
      outgoing.end(JSON.stringify({ __type: error, message: 'made by the test' }));
      return;
    }
    const { host: _, connection: __, 'content-length': ___, 'transfer-encoding': ____, ...headers } = incoming.headers;
    const answer = await fetch(upstream[SERVICES[target]] + (incoming.url ?? '/'), {
      method: 'POST',
      headers: headers as Record<string, string>,
      body,
    });
    const content = Buffer.from(await answer.arrayBuffer());
    outgoing.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    outgoing.end(content);
  }

  const server = createServer((incoming, outgoing) => {
    serve(incoming, outgoing).catch(() => outgoing.destroy());
  });
  await listen(server, 0);
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    accesses,
    break: (order) => {
      broken = order && { ...order, left: order.after ?? 0 };
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
