import middy, { type MiddyfiedHandler } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type * as z from 'zod';
import type { Route } from '../contract/routes.ts';
import type { Caller } from '../domain/partners/partner.ts';
import type { ApiKeyAuth } from '../domain/partners/ports.ts';
import type { Clock } from '../domain/values/clock.ts';
import { Failure } from '../domain/values/failure.ts';
import type { Answer, Claim, IdempotencyRecord } from '../domain/values/idempotency.ts';
import { beginLog } from '../runtime/log.ts';
import { takeTableUse } from '../runtime/metrics.ts';
import { authenticate } from './authenticate.ts';
import { authorize } from './authorize.ts';
import { claimOf, earlierAnswer } from './once.ts';
import { parseBody, parseIdempotencyKey, parsePathId, parseQuery } from './parse.ts';
import { failureReplyOf, type Reply, replyOf } from './reply.ts';
import { type Call, requestIdOf } from './request.ts';
import { recordRequest } from './telemetry.ts';

/** A call that has passed every check that comes before its fields. */
export interface Request {
  readonly caller: Caller;
  /** The id of the call, as its answer and its log lines have it. */
  readonly requestId: string;
  /** The id in the path; 0 on routes without one. */
  readonly id: number;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  /** What the call's Idempotency-Key claims for these fields; undefined where it sent none. */
  claim(fields: unknown): Claim | undefined;
  /** The answer that an earlier call with this key was given; undefined where its work is to be resumed. Throws 409 and 422. */
  replay(earlier: IdempotencyRecord): Reply | undefined;
}

/** What every endpoint makeDeps beside its own ports. Each is made when the first call arrives, not when the file is imported. */
interface BaseDeps {
  readonly auth: () => ApiKeyAuth;
  readonly clock: () => Clock;
}

type Made<N> = { readonly [Name in keyof N]: N[Name] extends () => infer T ? T : never };

/** An endpoint's own work: the call and its ports in, an answer out. */
export type Work<N> = (request: Request, makeDeps: Made<N>) => Promise<Reply>;

/** How long before the function's own timeout a call is answered 504, in milliseconds: time to write the answer and the log. */
const SHUTDOWN_MARGIN_MS = 250;

/** An answer whose body leaves through its schema. Throws where the body is not what the contract says. */
export function answer<S extends z.ZodType>(status: number, schema: S, body: z.input<S>): Answer {
  return { status, body: JSON.stringify(schema.parse(body)) };
}

/** An answer that is a file, which browsers show in place. `name` in ASCII, without quotation marks. */
export function fileAnswer(file: { readonly type: string; readonly name: string }, content: Uint8Array): Reply {
  return { status: 200, body: Buffer.from(content).toString('base64'), file };
}

function requestOf(route: Route, call: Call, clock: Clock): Request {
  const { steps } = call;
  return {
    caller: steps.caller!,
    requestId: requestIdOf(call),
    id: steps.id ?? 0,
    query: steps.query ?? {},
    body: steps.body ?? {},
    claim: (fields) => claimOf(route, steps.idempotencyKey, fields, clock),
    replay: (earlier) => {
      const given = earlierAnswer(earlier, clock());
      if (given) steps.replayed = true;
      return given && { ...given, replayed: true };
    },
  };
}

/**
 * The one stack of every authenticated endpoint: request id -> key and rate -> scope -> media type, size, JSON ->
 * Idempotency-Key -> path id and query -> the endpoint's work. Each step throws; the first that fails answers.
 */
export function endpoint<N extends BaseDeps>(
  route: Route,
  makeDeps: N,
  work: Work<N>,
): MiddyfiedHandler<APIGatewayProxyEvent, APIGatewayProxyResult> {
  let made: Made<N> | undefined;
  const deps = () => {
    made ??= Object.fromEntries(Object.entries(makeDeps).map(([name, make]) => [name, make()])) as Made<N>;
    return made;
  };

  const begin = (call: Call) => {
    call.steps = { startedAt: Date.now() };
    takeTableUse();
    beginLog({ request_id: requestIdOf(call), operation: route.operation });
  };
  const check = async (call: Call) => {
    await authenticate(call, deps().auth as ApiKeyAuth);
    authorize(call, route);
    if (route.method !== 'GET') parseBody(call);
    if (route.idempotency !== 'none') parseIdempotencyKey(call, route.idempotency);
    if (route.path.includes('{id}')) parsePathId(call);
    parseQuery(call);
  };

  return middy<APIGatewayProxyEvent, APIGatewayProxyResult>({
    timeoutEarlyInMillis: SHUTDOWN_MARGIN_MS,
    timeoutEarlyResponse: () => {
      throw new Failure('tempo_esgotado');
    },
  })
    .use({
      before: ({ event }) => begin(event as Call),
      after: ({ event, response }) => recordRequest(event as Call, route, response?.statusCode ?? 0),
      onError: (request) => {
        const response = failureReplyOf(request.event as Call, request.error);
        request.response = response;
        recordRequest(request.event as Call, route, response.statusCode, request.error);
      },
    })
    .before(({ event }) => check(event as Call))
    .handler(async (event: APIGatewayProxyEvent) => {
      const call = event as Call;
      return replyOf(call, await work(requestOf(route, call, deps().clock as Clock), deps()));
    });
}
