import middy from '@middy/core';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { Failure } from '#shared/domain/values/failure.ts';
import { type Check, Checks } from '#shared/http/checks.ts';
import { EARLY_ANSWER, NO_EARLY_ANSWER, underDeadline } from '#shared/http/deadline.ts';
import { failuresToAnswers } from '#shared/http/failures-to-answers.ts';
import { lambda } from '#shared/http/lambda.ts';
import { LazyPorts, makeAll } from '#shared/http/ports.ts';
import { type Call, requestIdOf } from '#shared/http/request.ts';
import { requestLog } from '#shared/http/request-log.ts';
import { deadlineSignal } from '#shared/runtime/deadline.ts';
import { logInfo } from '#shared/runtime/log.ts';
import { noteTableUse, takeTableUse } from '#shared/runtime/metrics.ts';
import { gatewayEvent, lambdaContext } from '#test/makers/call.ts';
import { captureLogLines } from '#test/makers/partner-call.ts';

const EVENT = { method: 'GET', path: '/v1/me' } as const;
const OKAY: APIGatewayProxyResult = { statusCode: 200, body: 'done' };

// No time passes while a call runs, however slow the machine is.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] }));
afterEach(() => void vi.useRealTimers());

/** Returns the answer of a call that hangs, after letting so many milliseconds pass. */
async function answerAfter(milliseconds: number, answer: Promise<APIGatewayProxyResult>) {
  await vi.advanceTimersByTimeAsync(milliseconds);
  return answer;
}

const hangs = () => new Promise<never>(() => {});
const step = (before: () => object | Promise<object>): Check<Call, object> => ({ before });

interface Steps {
  readonly first?: () => object | Promise<object>;
  readonly second?: () => object | Promise<object>;
  readonly work?: () => APIGatewayProxyResult | Promise<APIGatewayProxyResult>;
}

/** Returns a function with two checks, and a record of what happens in it, in order. */
function world({ first = () => ({}), second = () => ({}), work = () => OKAY }: Steps) {
  const seen: unknown[] = [];
  const noting =
    <T>(name: string, run: () => T) =>
    () => {
      seen.push(name);
      return run();
    };
  const outer = middy<Call, APIGatewayProxyResult>(EARLY_ANSWER)
    .use(requestLog('an-operation', (_, status, error) => void seen.push(['record', status, error])))
    .use(
      failuresToAnswers((_, error) => {
        seen.push(['answer', error]);
        const isLate = error instanceof Failure && error.code === 'tempo_esgotado';
        return { statusCode: isLate ? 504 : 500, body: 'failed' };
      }),
    );
  const ports = new LazyPorts(() => makeAll({ port: noting('port made', () => 'the port') }));
  const receive = (event: Call['event']): Call => ({ event, startedAt: Date.now() });
  const list = middy<Call, APIGatewayProxyResult>(NO_EARLY_ANSWER);
  const checks = new Checks(list, list, ports.all, (run) => lambda(ports, receive, outer.handler(underDeadline(run))));
  const handler = checks
    .use(step(noting('first', first)))
    .use(step(noting('second', second)))
    .handler(noting('work', work));
  const event = gatewayEvent(EVENT);
  return { seen, event, call: (left = 10_000) => handler(event, lambdaContext(left)) };
}

const names = (seen: readonly unknown[]) => seen.filter((one) => typeof one === 'string');

it('a call passes its checks in their order before its work', async () => {
  const { seen, call } = world({});
  expect(await call()).toBe(OKAY);
  expect(seen).toEqual(['port made', 'first', 'second', 'work', ['record', 200, undefined]]);
});

it('a check that throws ends the call, which is answered and then recorded with the error', async () => {
  const error = new TypeError('x');
  const { seen, call } = world({ first: () => Promise.reject(error) });
  expect(await call()).toEqual({ statusCode: 500, body: 'failed' });
  expect(seen).toEqual(['port made', 'first', ['answer', error], ['record', 500, error]]);
});

it('a value that a check returns does not become the answer of the call', async () => {
  const { call } = world({ first: async () => ({ statusCode: 418, body: 'early' }) });
  expect(await call()).toBe(OKAY);
});

it('each call begins its own log lines and its own count of table use', async () => {
  const { call, event } = world({
    work: () => {
      logInfo('poll_completed');
      return OKAY;
    },
  });
  noteTableUse(5);
  const lines = await captureLogLines(() => call());
  expect(lines).toMatchObject([{ request_id: requestIdOf(event), operation: 'an-operation' }]);
  expect(takeTableUse()).toEqual({ calls: 0, units: 0 });
});

it('the deadline of a call aborts requests to peers, and the call answers by their failure', async () => {
  const error = new Failure('servico_indisponivel');
  const { seen, call } = world({
    work: () => new Promise((_, reject) => deadlineSignal()?.addEventListener('abort', () => reject(error))),
  });
  await answerAfter(550, call(550));
  expect(seen.at(-1)).toEqual(['record', 500, error]);
});

const LATE = expect.objectContaining({ code: 'tempo_esgotado' });

it.each<[string, Steps, string[]]>([
  ['its first check', { first: hangs }, ['port made', 'first']],
  ['its second check', { second: hangs }, ['port made', 'first', 'second']],
  ['its work', { work: hangs }, ['port made', 'first', 'second', 'work']],
])('a call that hangs in %s is answered 504 and recorded once', async (_, steps, begun) => {
  const { seen, call } = world(steps);
  expect((await answerAfter(550, call(550))).statusCode).toBe(504);
  expect(names(seen)).toEqual(begun);
  expect(seen.slice(begun.length)).toEqual([
    ['answer', LATE],
    ['record', 504, LATE],
  ]);
});

it.each<[string, (gate: Promise<object>) => Steps, string[]]>([
  ['the next check', (gate) => ({ first: () => gate }), ['port made', 'first']],
  ['the work', (gate) => ({ second: () => gate }), ['port made', 'first', 'second']],
])(
  'after the 504 of a call that hung in a check, %s does not begin even if that check ends',
  async (_, stepsOf, begun) => {
    const gate = Promise.withResolvers<object>();
    const { seen, call } = world(stepsOf(gate.promise));
    await answerAfter(550, call(550));
    const answered = seen.length;
    gate.resolve({});
    // Everything that would run after the check gets a chance to run.
    await new Promise((resolve) => setImmediate(resolve));
    expect(names(seen)).toEqual(begun);
    expect(seen).toHaveLength(answered);
  },
);

it.each([
  ['late', 9_501],
  ['on time', 9_500],
  ['early', 9_499],
])(
  'a check that ends by the deadline lets no further check begin, if the deadline’s timer fires %s',
  async (_, moment) => {
    const { seen, call } = world({
      first: () => new Promise((resolve) => deadlineSignal()?.addEventListener('abort', () => resolve({}))),
    });
    const clock = vi.spyOn(performance, 'now');
    onTestFinished(() => clock.mockRestore());
    const answer = call(10_000);
    clock.mockReturnValue(performance.now() + moment);
    expect((await answerAfter(9_750, answer)).statusCode).toBe(504);
    expect(names(seen)).toEqual(['port made', 'first']);
  },
);

it('priming readies each port that can be primed, and the calls use these ports', async () => {
  const order: string[] = [];
  const keys = vi.fn(() => ({ prime: async () => void order.push('keys') }));
  const ports = new LazyPorts(() => makeAll({ keys, clock: () => () => 0, nothing: () => undefined }));
  const handler = lambda(
    ports,
    () => ports.all(),
    async (made) => ({ ...OKAY, body: String('prime' in made.keys) }),
  );
  expect(keys).not.toHaveBeenCalled();
  await handler.prime();
  expect(order).toEqual(['keys']);
  expect((await handler(gatewayEvent(EVENT), lambdaContext())).body).toBe('true');
  expect(keys).toHaveBeenCalledTimes(1);
});
