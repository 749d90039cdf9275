import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Milliseconds, seconds } from '#shared/domain/values/time.ts';
import type { ApiPlan, Blueprint } from '../blueprint.ts';
import { type LocalServer, readBody, serve } from '../listen.ts';
import { ACCOUNT, REGION } from '../template.ts';
import { type Containers, FunctionError } from './containers.ts';
import {
  answerOf,
  type CallContext,
  type Caller,
  callContext,
  gatewayAnswer,
  type HttpAnswer,
  pathOf,
  proxyEvent,
  queryOf,
} from './gateway-event.ts';
import { type Match, Router } from './gateway-router.ts';
import { allowed } from './iam.ts';
import type { SignedCall, SignIn } from './sign-in.ts';

// Quotas of API Gateway and Lambda; sizes in bytes.
const LARGEST_BODY = 10 * 1024 * 1024;
const LARGEST_EVENT = 6 * 1024 * 1024;
const LARGEST_HEADERS = 10_240;
const INTEGRATION_TIMEOUT = seconds(29);
// API Gateway keeps idle connections longer than the clients that reuse them.
const KEEP_ALIVE = seconds(350);

/** A finished call, for the access log. It has no query and no address. */
export interface Access {
  readonly method: string;
  readonly path: string;
  readonly resource: string | undefined;
  readonly status: number;
  readonly milliseconds: Milliseconds;
  readonly requestId: string;
  readonly line: string;
}

interface LoggedAnswer {
  readonly answer: HttpAnswer;
  /** Response type, if the gateway makes the answer itself. */
  readonly own?: string;
  readonly integration?: { readonly status: number; readonly milliseconds: Milliseconds };
}

/** Answers calls that do not belong to the API, by their path. Returns false for calls of the API. */
export type OtherPages = (request: IncomingMessage, response: ServerResponse) => boolean;

interface GatewayOptions {
  readonly log: (access: Access) => void;
  readonly otherPages?: OtherPages;
  readonly authorize?: Authorize;
  readonly integrationTimeout?: Milliseconds | undefined;
}

/** Throws a StartError if the port is in use. */
export async function startGateway(
  api: ApiPlan,
  containers: Pick<Containers, 'invoke'>,
  port: number,
  {
    log,
    otherPages = () => false,
    authorize = () => 'MISSING_AUTHENTICATION_TOKEN',
    integrationTimeout = INTEGRATION_TIMEOUT,
  }: GatewayOptions,
): Promise<LocalServer> {
  const router = new Router(api.methods);

  async function answerCall(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const context = callContext(api.stage, request.rawHeaders, Date.now());
    const method = request.method ?? 'GET';
    const path = pathOf(request.url ?? '/');
    const match = router.match(method, path);
    const logged = await answer(request, match, context);
    reply(response, logged.answer, context);
    const milliseconds = Date.now() - context.receivedAt;
    const known = match && !match.resource.includes('+}');
    log({
      method,
      // An unknown path may contain anything that a caller has mistyped into it.
      path: known ? path : '(no route)',
      resource: known ? match.resource : undefined,
      status: logged.answer.status,
      milliseconds,
      requestId: context.extendedRequestId,
      line: accessLine(api.accessLog, {
        extendedRequestId: context.extendedRequestId,
        requestTime: new Date(context.receivedAt).toUTCString(),
        httpMethod: method,
        resourcePath: match?.resource,
        status: logged.answer.status,
        responseLength: logged.answer.body.length,
        responseLatency: milliseconds,
        integrationStatus: logged.integration?.status,
        integrationLatency: logged.integration?.milliseconds,
        'error.responseType': logged.own,
        'identity.sourceIp': request.socket.remoteAddress,
      }),
    });
  }

  async function answer(
    request: IncomingMessage,
    match: Match | undefined,
    context: CallContext,
  ): Promise<LoggedAnswer> {
    const target = request.url ?? '/';
    // A caller that has gone gets no answer anyway.
    const body = await readBody(request, LARGEST_BODY).catch(() => Buffer.alloc(0));
    if (!match) return answerItself('MISSING_AUTHENTICATION_TOKEN', context);
    const query = queryOf(target);
    if (!query) return answerItself('BAD_REQUEST_PARAMETERS', context);
    if (!body) return answerItself('REQUEST_TOO_LARGE', context);
    const method = request.method ?? 'GET';
    const { headers } = request;
    const caller = match.signed ? await authorize({ method, target, headers, body }) : undefined;
    if (typeof caller === 'string') return answerItself(caller, context);
    const call = {
      method,
      target,
      rawHeaders: request.rawHeaders,
      body,
      sourceIp: request.socket.remoteAddress ?? '127.0.0.1',
    };
    const event = proxyEvent(call, match, query, { ...context, caller });
    if (Buffer.byteLength(event.body ?? '') + LARGEST_HEADERS > LARGEST_EVENT)
      return answerItself('REQUEST_TOO_LARGE', context);
    return integrate(match.function, event, context);
  }

  async function integrate(name: string, event: unknown, context: CallContext): Promise<LoggedAnswer> {
    const { promise: late, resolve } = Promise.withResolvers<'late'>();
    const timer = setTimeout(() => resolve('late'), integrationTimeout);
    const began = Date.now();
    try {
      // The function's run continues after the gateway has stopped waiting, as on Lambda.
      const result = await Promise.race([containers.invoke(name, event), late]);
      if (result === 'late') return answerItself('INTEGRATION_TIMEOUT', context);
      const answer = answerOf(result);
      const integration = { status: answer?.status ?? 502, milliseconds: Date.now() - began };
      return answer ? { answer, integration } : { ...answerItself('DEFAULT_5XX', context), integration };
    } catch (error) {
      const missing = error instanceof FunctionError && error.type === 'Missing';
      return answerItself(missing ? 'INTEGRATION_FAILURE' : 'DEFAULT_5XX', context);
    } finally {
      clearTimeout(timer);
    }
  }

  function answerItself(type: string, context: CallContext): LoggedAnswer {
    const { answers } = api;
    const fallback = type.startsWith('INTEGRATION') || type === 'DEFAULT_5XX' ? 'DEFAULT_5XX' : 'DEFAULT_4XX';
    const plan = answers[type] ?? answers[fallback];
    const response = plan ?? { status: 500, headers: {}, body: '{"message":"Internal server error"}' };
    return { answer: gatewayAnswer(response, context), own: type };
  }

  return serve(
    (request, response) => {
      if (!otherPages(request, response)) void answerCall(request, response);
    },
    { port, server: { maxHeaderSize: LARGEST_HEADERS, keepAliveTimeout: KEEP_ALIVE } },
  );
}

function reply(response: ServerResponse, answer: HttpAnswer, context: CallContext): void {
  const headers: string[] = [
    'x-amzn-RequestId',
    context.requestId,
    'x-amz-apigw-id',
    context.extendedRequestId,
    ...answer.headers.flat(),
    'Content-Length',
    String(answer.body.length),
  ];
  response.writeHead(answer.status, headers);
  response.end(answer.body);
}

/** API Gateway writes a dash for fields that do not apply to a call. */
const accessLine = (format: string, values: Readonly<Record<string, string | number | undefined>>): string =>
  format.replace(/\$context\.(\w+(?:\.\w+)*)/g, (_, name: string) => String(values[name] ?? '-'));

type Authorize = (call: SignedCall) => Promise<Caller | string> | Caller | string;

/** Bearer tokens in place of AWS signatures. `~maria` after a token names the person who calls. */
interface DutyTokens {
  readonly tokens: Readonly<Record<string, string>>;
  readonly authorize: Authorize;
}

/**
 * The managed policy of a duty decides what its token opens. `signIn` checks calls signed with the sign-in's
 * credentials.
 */
export function dutyTokens(
  { id, name, stage }: ApiPlan,
  duties: Blueprint['duties'],
  signIn?: Pick<SignIn, 'signer'>,
): DutyTokens {
  const tokens: Record<string, string> = {};
  const grants = new Map<string, { readonly duty: string; readonly statements: Blueprint['duties'][string] }>();
  for (const [duty, statements] of Object.entries(duties)) {
    const token = randomBytes(24).toString('base64url');
    tokens[duty] = token;
    grants.set(token, { duty, statements });
  }
  return {
    tokens,
    authorize: (call) => {
      const { authorization = '' } = call.headers;
      const resource = `arn:aws:execute-api:${REGION}:${ACCOUNT}:${id}/${stage}/${call.method}${pathOf(call.target)}`;
      if (signIn && authorization.startsWith('AWS4-')) return signIn.signer(call, resource);
      const [, token = '', person = 'local'] = /^Bearer ([\w-]+)(?:~([\w.@-]+))?$/.exec(authorization) ?? [];
      const grant = grants.get(token);
      if (grant === undefined) return 'MISSING_AUTHENTICATION_TOKEN';
      if (!allowed(grant.statements, { action: 'execute-api:Invoke', resource })) return 'ACCESS_DENIED';
      return { account: ACCOUNT, arn: `arn:aws:sts::${ACCOUNT}:assumed-role/${name}-${grant.duty}/${person}` };
    },
  };
}
