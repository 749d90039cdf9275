import { afterEach, describe, expect, it, vi } from 'vitest';
import { FAILURES } from '#shared/contract/failures.ts';
import { updateLead } from '#shared/contract/routes.ts';
import type { Caller } from '#shared/domain/partners/partner.ts';
import type { RefusedCalls } from '#shared/domain/partners/ports.ts';
import { FAILURE_CODES, Failure } from '#shared/domain/values/failure.ts';
import type { PartnerCall } from '#shared/http/partner/call.ts';
import { refusalNotes } from '#shared/http/partner/refusal-notes.ts';
import { requestIdOf } from '#shared/http/request.ts';
import { deadlineSignal } from '#shared/runtime/deadline.ts';
import { lambdaContext } from '#test/makers/call.ts';
import { captureLogLines, makeCall, makeCaller, memoryRefusals } from '#test/makers/partner-call.ts';

const NOW = Date.UTC(2026, 10, 21);
const CHOSEN = { field: 'ana@exemplo.com', reason: 'x', chosen: true } as const;
const REFUSED = new Failure('campo_invalido', { fields: [{ field: 'cpf', reason: 'x' }, CHOSEN] });

/** The part of a call's time that is kept for its answer, in milliseconds. */
const MARGIN = 500;

/**
 * Runs the middleware for a call that was answered as its failure says. `left` is the time until its deadline, in
 * milliseconds.
 */
async function noteRefusal(call: PartnerCall, error: Error, refusals: RefusedCalls, left = 5_000): Promise<void> {
  const ports = () => ({ refusals, clock: () => NOW });
  const statusCode = error instanceof Failure ? FAILURES[error.code].status : 500;
  await refusalNotes(ports).onError?.({
    event: call,
    context: lambdaContext(left + MARGIN),
    response: { statusCode, body: '' },
    error,
    internal: {},
  });
}

/** Notes a refusal of PATCH /v1/leads/7 and returns the notes. */
async function noted(error: Error, options: { caller?: Caller | undefined; left?: number } = {}) {
  const { caller, left } = { caller: makeCaller(), ...options };
  const refusals = memoryRefusals();
  const call = makeCall({ id: 7 }, { route: updateLead, caller });
  await noteRefusal(call, error, refusals, left);
  return { notes: refusals.noted, id: requestIdOf(call.event) };
}

it('the note of a refusal has route, code and known fields, never an id, a value or a name of the caller', async () => {
  const { notes, id } = await noted(REFUSED);
  const route = { method: 'PATCH', path: '/v1/leads/{id}' };
  const call = { at: NOW, ...route, code: 'campo_invalido', fields: ['cpf'], requestId: id };
  expect(notes).toEqual([{ tenancy: { unitId: 11, environment: 'sandbox' }, call }]);
});

it.each(FAILURE_CODES)(
  'a refusal is noted if the caller can correct it, and not as 401, 429 or 5xx: %s',
  async (code) => {
    const { status } = FAILURES[code];
    const { notes } = await noted(new Failure(code));
    expect(notes).toHaveLength(status < 500 && status !== 401 && status !== 429 ? 1 : 0);
  },
);

it.each<[string, Parameters<typeof noted>, number]>([
  ['a refusal in production is not noted', [REFUSED, { caller: makeCaller({ environment: 'producao' }) }], 0],
  ['a refusal before admission is not noted', [REFUSED, { caller: undefined }], 0],
  ['an unforeseen error is not noted', [new TypeError('x')], 0],
  ['a refusal with no time left is not noted', [REFUSED, { left: 0 }], 0],
  ['a refusal with a minute left is noted', [REFUSED, { left: 60_000 }], 1],
])('%s', async (_, call, times) => {
  expect((await noted(...call)).notes).toHaveLength(times);
});

describe('a refusal that cannot be noted', () => {
  afterEach(() => void vi.useRealTimers());
  const call = () => makeCall({ id: 7 }, { route: updateLead, caller: makeCaller() });
  const port = (note: RefusedCalls['note']): RefusedCalls => ({ note, newest: async () => [] });

  it('a failed note changes no answer and is on the log', async () => {
    const broken = port(() => Promise.reject(new RangeError('900')));
    const lines = await captureLogLines(() => noteRefusal(call(), REFUSED, broken));
    expect(lines).toMatchObject([{ level: 'ERROR', code: 'refusal_not_noted', errors: [{ name: 'RangeError' }] }]);
  });

  it.each([
    ['half a second', 5_000, 500],
    ['the time that the call has left', 200, 200],
  ])('a call waits for its note no longer than %s', async (_, left, longest) => {
    vi.useFakeTimers();
    const waited: number[] = [];
    const hanging = port(() => {
      const begun = performance.now();
      const signal = deadlineSignal()!;
      return new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => {
          waited.push(performance.now() - begun);
          reject(signal.reason);
        }),
      );
    });
    const lines = await captureLogLines(async () => {
      const done = noteRefusal(call(), REFUSED, hanging, left);
      await vi.advanceTimersByTimeAsync(10_000);
      await done;
    });
    expect(waited).toEqual([longest]);
    expect(lines).toMatchObject([{ code: 'refusal_not_noted', errors: [{ name: 'DeadlineReached' }] }]);
  });
});
