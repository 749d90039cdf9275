import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { expect } from 'vitest';
import * as z from 'zod/mini';
import { administrationFunction } from '#infra/functions.ts';
import { administrationError } from '#shared/administration/failures.ts';
import { type AdministrationOperation, operationNamed } from '#shared/administration/operations.ts';
import { type CallAnswer, gatewayEvent, lambdaContext } from './call.ts';
import { underRole } from './under-role.ts';

/** The person who signs the calls of tests, in the form in which the gateway names a signer. */
export const CALLER = 'arn:aws:sts::123456789012:assumed-role/partner-credit-manager/ana.lima';

export interface AdministrationCall {
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, string | number | readonly string[]>>;
  /** Sent as JSON. A Buffer or a text is sent unchanged. */
  readonly body?: unknown;
  /** ARN of the signer. Null if the gateway names no signer. @default CALLER */
  readonly caller?: string | null;
  /** The signer's user pool, in the form in which the gateway names it. */
  readonly provider?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Time that the function has left when it is called, in milliseconds. */
  readonly remaining?: number;
  /** When the gateway received the call, by its clock. @default now */
  readonly receivedAt?: number;
}

/** Returns the event that the gateway makes of a call that IAM has admitted. */
export function administrationEvent(
  operation: AdministrationOperation,
  { params = {}, query = {}, body, caller = CALLER, provider, headers, receivedAt }: AdministrationCall = {},
): APIGatewayProxyEvent {
  const route = operationNamed(operation);
  const pathParameters = Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)]));
  const queryValues = Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name, Array.isArray(value) ? value : String(value)]),
  );
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(pathParameters[name] ?? ''));
  const event = gatewayEvent({ method: 'GET', path: '/' }, { body, query: queryValues, ...(headers && { headers }) });
  return {
    ...event,
    httpMethod: route.method,
    resource: route.path,
    path,
    pathParameters: Object.keys(pathParameters).length > 0 ? pathParameters : null,
    requestContext: {
      ...event.requestContext,
      extendedRequestId: randomBytes(11).toString('base64'),
      requestTimeEpoch: receivedAt ?? event.requestContext.requestTimeEpoch,
      identity: {
        userArn: caller,
        cognitoAuthenticationProvider: provider,
        accountId: caller && (/:(\d{12}):/.exec(caller)?.[1] ?? null),
        sourceIp: '192.0.2.1',
      },
    },
  } as unknown as APIGatewayProxyEvent;
}

type Handler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

/** Calls a handler of the administration in this process, as the gateway would. */
export async function callAdministration(
  handler: unknown,
  operation: AdministrationOperation,
  call: AdministrationCall = {},
): Promise<CallAnswer> {
  const event = administrationEvent(operation, call);
  const result = await (handler as Handler)(event, lambdaContext(call.remaining));
  return {
    status: result.statusCode,
    headers: Object.fromEntries(
      Object.entries(result.headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]),
    ),
    body: JSON.parse(result.body),
    text: result.body,
  };
}

/**
 * Calls an operation's own function in this process. Checks every answer against the operation's schema, which must
 * name each of its fields, and every request to the table against the function's role.
 */
export async function administration(
  operation: AdministrationOperation,
  call: AdministrationCall = {},
): Promise<CallAnswer> {
  const { noun, answer: success, preview } = operationNamed(operation);
  const file = join(import.meta.dirname, '../../functions/administration', noun, `${operation}.ts`);
  const { handler } = await import(/* @vite-ignore */ file);
  const answer = await underRole(administrationFunction(operation), () => callAdministration(handler, operation, call));
  const schema = answer.status !== 200 ? administrationError : answer.body.dry_run ? preview : success;
  // Only show-openapi answers with an open schema, because OpenAPI defines the form of its document.
  const closed = schema && (schema._zod.def.catchall ? schema : z.strictObject(schema.shape));
  expect(closed?.safeParse(answer.body)).toMatchObject({ success: true });
  return answer;
}

/** The reason, which every change must send. Some changes need a confirmation as well. */
export const because = { reason: 'TEST-1' } as const;

/** Returns the bodies of all pages of an operation, in order. */
export async function everyPage(
  operation: AdministrationOperation,
  { query, body, ...call }: AdministrationCall,
): Promise<CallAnswer['body'][]> {
  const bodies = [];
  let cursor: string | undefined;
  do {
    const cursorField: Readonly<Record<string, string>> = cursor === undefined ? {} : { cursor };
    const input =
      body === undefined ? { query: { ...query, ...cursorField } } : { body: { ...(body as object), ...cursorField } };
    const answer = await administration(operation, { ...call, ...input });
    expect(answer.status, answer.text).toBe(200);
    bodies.push(answer.body);
    cursor = answer.body.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return bodies;
}
