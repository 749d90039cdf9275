import { randomBytes, randomUUID } from 'node:crypto';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type { Route } from '#shared/contract/routes.ts';

export interface CallOptions {
  readonly key?: string | undefined;
  /** Sent as JSON. A Buffer or a text is sent unchanged. */
  readonly body?: unknown;
  readonly id?: number | string | undefined;
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** The Idempotency-Key. */
  readonly once?: string | undefined;
  /**
   * Time that the function has left when it is called, in milliseconds. @default 28,000, or the value of `setDefaultTimeLeft`
   */
  readonly remaining?: number;
  /** When the gateway received the call, by its clock. @default now */
  readonly receivedAt?: number;
}

export interface CallAnswer {
  readonly status: number;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at answers as a partner's program would.
  readonly body: any;
  /** The body's exact text. */
  readonly text: string;
}

const valueLists = (values: Readonly<Record<string, string | readonly string[]>> = {}) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, [value].flat() as string[]]));

/**
 * Returns the event that the gateway makes of a call. Every body is in base64, because the gateway treats every media
 * type as binary.
 */
export function gatewayEvent(route: Pick<Route, 'method' | 'path'>, options: CallOptions = {}): APIGatewayProxyEvent {
  const { key, body, id, query, headers, once, receivedAt = Date.now() } = options;
  const bytes =
    body === undefined
      ? undefined
      : Buffer.isBuffer(body)
        ? body
        : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const headerLists = valueLists({
    ...(key !== undefined && { 'x-api-key': key }),
    ...(bytes && { 'content-type': 'application/json' }),
    ...(once !== undefined && { 'idempotency-key': once }),
    ...headers,
  });
  return {
    httpMethod: route.method,
    resource: route.path,
    path: route.path.replace('{id}', String(id)),
    headers: Object.fromEntries(Object.entries(headerLists).map(([name, values]) => [name, values.at(-1)])),
    multiValueHeaders: headerLists,
    queryStringParameters: null,
    multiValueQueryStringParameters: query ? valueLists(query) : null,
    pathParameters: id === undefined ? null : { id: String(id) },
    stageVariables: null,
    body: bytes ? bytes.toString('base64') : null,
    isBase64Encoded: bytes !== undefined,
    requestContext: {
      extendedRequestId: randomBytes(11).toString('base64'),
      requestId: 'r',
      requestTimeEpoch: receivedAt,
      stage: 'dev',
    },
  } as unknown as APIGatewayProxyEvent;
}

let defaultTimeLeft = 28_000;

/** Sets the time that calls have left from now on, if they name none themselves. */
export function setDefaultTimeLeft(milliseconds: number): void {
  defaultTimeLeft = milliseconds;
}

/** Returns the part of Lambda's context that handlers read. */
export function lambdaContext(milliseconds = defaultTimeLeft): Context {
  const endsAt = Date.now() + milliseconds;
  return { awsRequestId: randomUUID(), getRemainingTimeInMillis: () => endsAt - Date.now() } as Context;
}

type Handler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

/**
 * Calls a function's handler in this process, as the gateway would. Checks every answer against the OpenAPI document.
 */
export async function callHandler(handler: unknown, route: Route, options: CallOptions = {}): Promise<CallAnswer> {
  const result = await (handler as Handler)(gatewayEvent(route, options), lambdaContext(options.remaining));
  const text = result.isBase64Encoded ? Buffer.from(result.body, 'base64').toString('latin1') : result.body;
  // Imported only here, because loading the OpenAPI document takes longer than most unit tests.
  const { matchesContract } = await import('./answers.ts');
  matchesContract(route.method, route.path, result.statusCode, result.headers as Record<string, string>, text);
  return {
    status: result.statusCode,
    headers: Object.fromEntries(
      Object.entries(result.headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]),
    ),
    body: String(result.headers?.['Content-Type']).startsWith('application/json') ? JSON.parse(text) : undefined,
    text,
  };
}
