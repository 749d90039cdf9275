import middy, { type MiddyfiedHandler } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { Failure } from '../domain/values/failure.ts';
import { isPrimable, primeAll, withDeadline } from '../runtime/deadline.ts';
import { beginLog } from '../runtime/log.ts';
import { takeTableUse } from '../runtime/metrics.ts';
import { type Call, requestIdOf } from './request.ts';

/** What Lambda calls; and what the entry of its bundle awaits before the first call, since importing a file does nothing. */
export type Handler = MiddyfiedHandler<APIGatewayProxyEvent, APIGatewayProxyResult> & {
  /** Readies the function's ports, a second at most; never fails. */
  prime(): Promise<void>;
};

/** The ports of a function. Made while its container is primed, else by the first call; never by importing the file. */
export type Made<D> = { readonly [Name in keyof D]: D[Name] extends () => infer T ? T : never };

/** How long before the function's own timeout a call is answered 504, in milliseconds: time to write the answer and the log. */
const SHUTDOWN_MARGIN_MS = 250;
/** How long before it the peers are given up, in milliseconds: what they leave undone still answers by its own code. */
const DEADLINE_MARGIN_MS = 500;

interface Steps<D> {
  /** Checks and work; throws for every answer that is not 2xx. */
  readonly run: (call: Call, deps: Made<D>) => Promise<APIGatewayProxyResult>;
  /** The answer to what `run` has thrown. */
  readonly failed: (call: Call, error: unknown) => APIGatewayProxyResult;
  /** What is to be done for a call that has failed before it is answered; never throws. `left` in milliseconds. */
  readonly refused?: (call: Call, deps: Made<D>, error: unknown, left: number) => Promise<void>;
  /** Logs and measures a call that has been answered; `error` is why it failed, where it did. */
  readonly record: (call: Call, status: number, error?: unknown) => void;
}

/** The one stack around every operation that a gateway calls: ports made late, log and answer to errors, one deadline. */
export function stack<D extends object>(
  operation: string,
  makeDeps: D,
  { run, failed, refused, record }: Steps<D>,
): Handler {
  let made: Made<D> | undefined;
  const depsOnce = () => {
    made ??= Object.fromEntries(Object.entries(makeDeps).map(([name, make]) => [name, make()])) as Made<D>;
    return made;
  };

  const prime = () =>
    primeAll(() =>
      Object.values(depsOnce())
        .filter(isPrimable)
        .map((port) => port.prime()),
    );

  const handler = middy<APIGatewayProxyEvent, APIGatewayProxyResult>({
    timeoutEarlyInMillis: SHUTDOWN_MARGIN_MS,
    timeoutEarlyResponse: () => {
      throw new Failure('tempo_esgotado');
    },
  })
    .use({
      before: ({ event }) => {
        const call = event as Call;
        call.steps = { startedAt: Date.now() };
        takeTableUse();
        beginLog({ request_id: requestIdOf(call), operation });
      },
      after: ({ event, response }) => record(event as Call, response!.statusCode),
      onError: async (request) => {
        const call = request.event as Call;
        const response = failed(call, request.error);
        request.response = response;
        const left = request.context.getRemainingTimeInMillis() - DEADLINE_MARGIN_MS;
        await refused?.(call, depsOnce(), request.error, left);
        record(call, response.statusCode, request.error);
      },
    })
    .handler((event: APIGatewayProxyEvent, context: Context) =>
      // The checks run here and not as a `before`: the early answer covers the handler alone.
      withDeadline(context.getRemainingTimeInMillis() - DEADLINE_MARGIN_MS, () => run(event as Call, depsOnce())),
    );
  return Object.assign(handler, { prime });
}
