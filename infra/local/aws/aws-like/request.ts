import type { IncomingHttpHeaders } from 'node:http';
import { isObject } from '#infra/local/listen.ts';
import type { Service } from './settings.ts';

/** A value as DynamoDB's protocol writes it: `{"S": "text"}`. */
export type Attribute = Readonly<Record<string, unknown>>;
export type Image = Readonly<Record<string, Attribute>>;
export type Body = Readonly<Record<string, unknown>>;

const isImage = (value: unknown): value is Image => isObject(value) && Object.values(value).every(isObject);

export function imageOf(value: unknown): Image {
  if (!isImage(value)) throw new Error(`${JSON.stringify(value)} is not a row`);
  return value;
}

export function imagesOf(value: unknown): readonly Image[] {
  if (!Array.isArray(value)) throw new Error(`${JSON.stringify(value)} is not a list of rows`);
  return value.map(imageOf);
}

export function attributeOf(image: Image, name: string): Attribute {
  const attribute = image[name];
  if (!attribute) throw new Error(`a row has no attribute ${name}`);
  return attribute;
}

export interface AwsRequest {
  readonly service: Service;
  readonly action: string;
  /** For example `DynamoDB_20120810.TransactWriteItems`. */
  readonly target: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Body;
}

/** Undefined if the request is not signed. */
export const callerOf = ({ headers }: AwsRequest) => /Credential=([^/]+)\//.exec(headers.authorization ?? '')?.[1];

export interface AwsAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly content: Uint8Array;
}

const SERVICES: Readonly<Record<string, Service>> = {
  DynamoDB_20120810: 'dynamodb',
  AmazonSQS: 'sqs',
  secretsmanager: 'secretsmanager',
};

export function readRequest(headers: IncomingHttpHeaders, path: string, content: Buffer): AwsRequest {
  const target = String(headers['x-amz-target']);
  const [prefix = '', action = ''] = target.split('.');
  const service = SERVICES[prefix];
  if (!service) throw new Error(`${target} is of no service that is known here`);
  return { service, action, target, path, headers, body: parseBody(content.toString('utf8') || '{}') };
}

function parseBody(text: string): Body {
  const body: unknown = JSON.parse(text);
  if (!isObject(body)) throw new Error('the body is not a JSON object');
  return body;
}

const CONTENT_TYPE: Readonly<Record<Service, string>> = {
  dynamodb: 'application/x-amz-json-1.0',
  sqs: 'application/x-amz-json-1.0',
  secretsmanager: 'application/x-amz-json-1.1',
};

/** The answer has no x-amz-crc32, which the SDK checks only if the header is there. */
export function answerOf(service: Service, body: Body, status = 200): AwsAnswer {
  return { status, headers: { 'content-type': CONTENT_TYPE[service] }, content: Buffer.from(JSON.stringify(body)) };
}

export function errorOf(
  service: Service,
  name: string,
  { status = 400, message = `${name}, made by the wire`, ...more }: Body & { status?: number; message?: string } = {},
): AwsAnswer {
  const type = service === 'dynamodb' ? `com.amazonaws.dynamodb.v20120810#${name}` : name;
  return answerOf(service, { __type: type, message, ...more }, status);
}

export const bodyOf = (answer: AwsAnswer): Body => parseBody(Buffer.from(answer.content).toString('utf8'));

export function upstreamAt(urls: Readonly<Record<Service, string>>) {
  async function forward({ service, target, path, headers, body }: AwsRequest): Promise<AwsAnswer> {
    const sent: Record<string, string> = { 'x-amz-target': target, 'content-type': CONTENT_TYPE[service] };
    // The emulators demand a signature and check none.
    for (const name of ['authorization', 'x-amz-date']) {
      if (headers[name]) sent[name] = String(headers[name]);
    }
    const answer = await fetch(urls[service] + path, { method: 'POST', headers: sent, body: JSON.stringify(body) });
    const kept = ['content-type', 'x-amz-crc32', 'x-amzn-requestid', 'x-amzn-query-error'];
    return {
      status: answer.status,
      headers: Object.fromEntries(
        kept.flatMap((name) => {
          const value = answer.headers.get(name);
          return value === null ? [] : [[name, value]];
        }),
      ),
      content: new Uint8Array(await answer.arrayBuffer()),
    };
  }

  /** Rejects if DynamoDB refuses the request. */
  async function ask(asking: AwsRequest, action: string, body: Body): Promise<Body> {
    const target = `DynamoDB_20120810.${action}`;
    const answer = await forward({ ...asking, service: 'dynamodb', path: '/', action, target, body });
    if (answer.status !== 200) throw new Error(`${action}: ${Buffer.from(answer.content).toString('utf8')}`);
    return bodyOf(answer);
  }

  return { forward, ask };
}
export type Upstream = ReturnType<typeof upstreamAt>;
