import type { APIGatewayProxyResult, Context } from 'aws-lambda';
import { expect, it, vi } from 'vitest';
import { Failure } from '#shared/domain/values/failure.ts';
import { type Call, requestIdOf } from '#shared/http/request.ts';
import { stack } from '#shared/http/stack.ts';
import { deadlineSignal } from '#shared/runtime/deadline.ts';
import { logInfo } from '#shared/runtime/log.ts';
import { noteTableUse, takeTableUse } from '#shared/runtime/metrics.ts';
import { gatewayEvent } from '#test/makers/call.ts';
import { linesOf } from '#test/makers/partner-call.ts';

const EVENT = { method: 'GET', path: '/v1/me' } as const;
const OKAY: APIGatewayProxyResult = { statusCode: 200, body: 'done' };

const steps = { run: async () => OKAY, failed: () => ({ ...OKAY, statusCode: 500 }), record: () => {} };
const context = (left: number) => ({ getRemainingTimeInMillis: () => left }) as unknown as Context;

/** A stack that notes what happens in it, and its call with a fixed time left. */
function world(run: (call: Call, deps: { readonly port: string }) => Promise<APIGatewayProxyResult>) {
  const seen: unknown[] = [];
  const deps = {
    port: () => {
      seen.push('port made');
      return 'the port';
    },
  };
  const handler = stack('an-operation', deps, {
    run: (call, made) => {
      seen.push('run');
      return run(call, made);
    },
    failed: (_, error) => {
      seen.push(['failed', error]);
      return { statusCode: error instanceof Failure && error.code === 'tempo_esgotado' ? 504 : 500, body: 'failed' };
    },
    refused: async (_, { port }, error, left) => void seen.push(['refused', port, error, left]),
    record: (_, status, error) => void seen.push(['record', status, error]),
  });
  const event = gatewayEvent(EVENT);
  return { seen, call: (left = 10_000) => handler(event, context(left)), event };
}

it('a call that throws is answered, then noted as refused, then recorded with its error', async () => {
  const error = new TypeError('x');
  const { seen, call } = world(() => Promise.reject(error));
  expect(await call()).toEqual({ statusCode: 500, body: 'failed' });
  expect(seen).toEqual([
    'port made',
    'run',
    ['failed', error],
    // 500 ms before its end the peers are given up.
    ['refused', 'the port', error, 9_500],
    ['record', 500, error],
  ]);
});

it('a call begins its own line of the log and its own use of the table', async () => {
  const { call, event } = world(async ({ steps }) => {
    logInfo('poll_completed', { begun: steps.startedAt > 0 });
    return OKAY;
  });
  noteTableUse(5);
  const lines = await linesOf(() => call());
  expect(lines).toMatchObject([{ request_id: requestIdOf(event), operation: 'an-operation', begun: true }]);
  expect(takeTableUse()).toEqual({ calls: 0, units: 0 });
});

it('the deadline of a call ends what its peers are asked, and the call answers by what came of it', async () => {
  const error = new Failure('servico_indisponivel');
  const { seen, call } = world(
    () => new Promise((_, reject) => deadlineSignal()!.addEventListener('abort', () => reject(error))),
  );
  await call(501);
  expect(seen).toContainEqual(['record', 500, error]);
});

it('the deadline of a call is kept by a call that waits for what heeds no deadline: 504', async () => {
  const { seen, call } = world(() => new Promise(() => {}));
  expect((await call(251)).statusCode).toBe(504);
  const timedOut = expect.objectContaining({ code: 'tempo_esgotado' });
  expect(seen.at(-1)).toEqual(['record', 504, timedOut]);
});

it('priming: readies each port that can be, and the calls have these ports', async () => {
  const order: string[] = [];
  const keys = vi.fn(() => ({ prime: async () => void order.push('keys') }));
  const deps = { keys, clock: () => () => 0, nothing: () => undefined };
  const handler = stack('x', deps, {
    ...steps,
    run: async (_, made) => ({ ...OKAY, body: String('prime' in made.keys) }),
  });
  expect(keys).not.toHaveBeenCalled();
  await handler.prime();
  expect(order).toEqual(['keys']);
  const answer = await handler(gatewayEvent(EVENT), context(9_000));
  expect([answer.body, keys.mock.calls.length]).toEqual(['true', 1]);
});
