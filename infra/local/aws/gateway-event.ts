import { randomBytes, randomUUID } from 'node:crypto';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { Instant } from '#shared/domain/values/time.ts';
import type { AnswerPlan } from '../blueprint.ts';
import { ACCOUNT } from '../template.ts';
import type { Match } from './gateway-router.ts';

export interface CallContext {
  /** Made by the gateway. A caller cannot choose it. */
  readonly extendedRequestId: string;
  /** The caller's `x-amzn-requestid`, if sent. */
  readonly requestId: string;
  readonly receivedAt: Instant;
  readonly stage: string;
  /** Who signed the call. Undefined if no signature is needed. */
  readonly caller?: Caller | undefined;
}

export interface Caller {
  readonly account: string;
  readonly arn: string;
  /** Pool and subject of a person who signed in at a user pool: `<pool>,<pool>:CognitoSignIn:<subject>`. */
  readonly provider?: string;
}

export interface RawCall {
  readonly method: string;
  readonly target: string;
  /** Names and values alternate, as node:http returns them. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  readonly sourceIp: string;
}

export function callContext(stage: string, rawHeaders: readonly string[], now: Instant): CallContext {
  const index = rawHeaders.findIndex((name, at) => at % 2 === 0 && name.toLowerCase() === 'x-amzn-requestid');
  return {
    extendedRequestId: randomBytes(11).toString('base64'),
    requestId: (index >= 0 && rawHeaders[index + 1]) || randomUUID(),
    receivedAt: now,
    stage,
  };
}

export function pathOf(target: string): string {
  const path = target.replace(/^https?:\/\/[^/?#]*/i, '').replace(/\?.*/s, '');
  return path.startsWith('/') ? path : `/${path}`;
}

const BROKEN_ENCODING = /%(?![0-9a-f]{2})/i;

/** Undefined if the percent-encoding of path or query is broken. */
export function queryOf(target: string): Record<string, string[]> | undefined {
  if (BROKEN_ENCODING.test(target)) return undefined;
  const at = target.indexOf('?');
  if (at < 0) return {};
  const query = target.slice(at + 1);
  return groupByName([...new URLSearchParams(query)]);
}

function pairsOf(rawHeaders: readonly string[]): [name: string, value: string][] {
  return rawHeaders.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? '']] : [],
  );
}

/** The result has no prototype, because a caller may use the name `__proto__`. */
function groupByName(pairs: readonly (readonly [string, string])[]): Record<string, string[]> {
  const values: Record<string, string[]> = Object.create(null);
  for (const [name, value] of pairs) {
    values[name] ??= [];
    values[name].push(value);
  }
  return values;
}

// These headers concern one connection only, so the gateway does not pass them on.
const HOP_BY_HOP = new Set(
  'connection content-length expect keep-alive proxy-authenticate proxy-authorization te trailer transfer-encoding upgrade'.split(
    ' ',
  ),
);

/**
 * Returns the event of a REST API with Lambda proxy integration (payload version 1.0). Header names keep the caller's
 * spelling; path and path parameters keep their percent-encoding. The body is base64, because the API's binary media
 * types are all types.
 */
export function proxyEvent(
  call: RawCall,
  match: Match,
  query: Readonly<Record<string, string[]>>,
  context: CallContext,
): APIGatewayProxyEvent {
  const headers = groupByName(pairsOf(call.rawHeaders).filter(([name]) => !HOP_BY_HOP.has(name.toLowerCase())));
  headers['X-Forwarded-For'] = [call.sourceIp];
  headers['X-Forwarded-Proto'] = ['https'];
  headers['X-Forwarded-Port'] = ['443'];
  const path = pathOf(call.target);
  const userAgent = Object.entries(headers)
    .find(([name]) => name.toLowerCase() === 'user-agent')?.[1]
    .at(-1);
  const names = Object.keys(query);
  return {
    resource: match.resource,
    path,
    httpMethod: call.method,
    headers: lastOf(headers),
    multiValueHeaders: headers,
    queryStringParameters: names.length > 0 ? lastOf(query) : null,
    multiValueQueryStringParameters: names.length > 0 ? { ...query } : null,
    pathParameters: match.parameters,
    stageVariables: null,
    body: call.body.length > 0 ? call.body.toString('base64') : null,
    isBase64Encoded: call.body.length > 0,
    requestContext: {
      accountId: ACCOUNT,
      apiId: 'local',
      authorizer: null,
      domainName: 'localhost',
      extendedRequestId: context.extendedRequestId,
      httpMethod: call.method,
      identity: {
        accessKey: null,
        accountId: context.caller?.account ?? null,
        apiKey: null,
        apiKeyId: null,
        caller: null,
        clientCert: null,
        cognitoAuthenticationProvider: context.caller?.provider ?? null,
        cognitoAuthenticationType: null,
        cognitoIdentityId: null,
        cognitoIdentityPoolId: null,
        principalOrgId: null,
        sourceIp: call.sourceIp,
        user: null,
        userAgent: userAgent ?? null,
        userArn: context.caller?.arn ?? null,
      },
      path,
      protocol: 'HTTP/1.1',
      requestId: context.requestId,
      requestTime: new Date(context.receivedAt).toUTCString(),
      requestTimeEpoch: context.receivedAt,
      resourceId: match.resource,
      resourcePath: match.resource,
      stage: context.stage,
    },
  };
}

function lastOf(values: Readonly<Record<string, string[]>>): Record<string, string> {
  const pairs = Object.entries(values).flatMap(([name, all]) => all.map((value) => [name, value] as const));
  return Object.fromEntries(pairs);
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
}

// API Gateway reserves these headers: a function's value arrives under another name.
const REMAPPED = new Set(
  'connection content-length date expect host max-forwards proxy-authenticate server te trailer transfer-encoding upgrade user-agent www-authenticate'.split(
    ' ',
  ),
);

interface ProxyResult {
  readonly statusCode?: unknown;
  readonly headers?: unknown;
  readonly body?: unknown;
  readonly isBase64Encoded?: unknown;
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** Undefined if API Gateway would call the answer malformed. Our functions do not use `multiValueHeaders`. */
export function answerOf(result: unknown): HttpAnswer | undefined {
  if (typeof result !== 'object' || result === null) return undefined;
  const { statusCode, headers, body, isBase64Encoded }: ProxyResult = result;
  const status = Number(statusCode);
  if (!Number.isInteger(status) || status < 200 || status > 599) return undefined;
  if (body !== undefined && body !== null && typeof body !== 'string') return undefined;
  const pairs: [string, string][] = [];
  const add = (name: string, value: string): void => {
    pairs.push([REMAPPED.has(name.toLowerCase()) ? `x-amzn-remapped-${name.toLowerCase()}` : name, value]);
  };
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (!isScalar(value)) return undefined;
    add(name, String(value));
  }
  if (!pairs.some(([name]) => name.toLowerCase() === 'content-type')) pairs.push(['Content-Type', 'application/json']);
  return { status, headers: pairs, body: Buffer.from(body ?? '', isBase64Encoded === true ? 'base64' : 'utf8') };
}

export function gatewayAnswer(plan: AnswerPlan, context: CallContext): HttpAnswer {
  const values: Readonly<Record<string, string>> = {
    extendedRequestId: context.extendedRequestId,
    requestId: context.requestId,
    stage: context.stage,
  };
  const headers = Object.entries(plan.headers).map(([name, value]): [string, string] => [
    name,
    value.startsWith("'") ? value.slice(1, -1) : (values[value.replace(/^context\./, '')] ?? ''),
  ]);
  return {
    status: plan.status,
    headers: [['Content-Type', 'application/json'], ...headers],
    body: Buffer.from(plan.body.replace(/\$context\.(\w+)/g, (_, name: string) => values[name] ?? '')),
  };
}
