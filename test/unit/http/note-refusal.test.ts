import { afterEach, describe, expect, it, vi } from 'vitest';
import { FAILURES } from '../../../shared/contract/failures.ts';
import { updateLead } from '../../../shared/contract/routes.ts';
import type { Caller } from '../../../shared/domain/partners/partner.ts';
import type { RefusedCalls } from '../../../shared/domain/partners/ports.ts';
import { FAILURE_CODES, Failure } from '../../../shared/domain/values/failure.ts';
import { noteRefusal } from '../../../shared/http/note-refusal.ts';
import { requestIdOf } from '../../../shared/http/request.ts';
import { deadlineSignal } from '../../../shared/runtime/deadline.ts';
import { linesOf, makeCall, makeCaller, memoryRefusals } from '../../makers/partner-call.ts';

const NOW = Date.UTC(2026, 10, 21);
const REFUSED = new Failure('campo_invalido', {
  fields: [
    { field: 'cpf', reason: 'x' },
    { field: 'ana@exemplo.com', reason: 'x', chosen: true },
  ],
});

/** Notes a refusal of PATCH /v1/leads/7. */
async function noted(error: unknown, { caller = makeCaller(), left = 5_000 }: { caller?: Caller; left?: number } = {}) {
  const refusals = memoryRefusals();
  const call = makeCall({ id: 7 }, { route: updateLead, caller });
  await noteRefusal(call, updateLead, error, refusals, NOW, left);
  return { notes: refusals.noted, id: requestIdOf(call) };
}

describe('a refusal of the sandbox', () => {
  it('is noted by names: route, code, fields of ours; never by an id, a value or a name that the caller chose', async () => {
    const { notes, id } = await noted(REFUSED);
    expect(notes).toEqual([
      {
        tenancy: { unitId: 11, environment: 'sandbox' },
        call: {
          at: NOW,
          method: 'PATCH',
          path: '/v1/leads/{id}',
          code: 'campo_invalido',
          fields: ['cpf'],
          requestId: id,
        },
      },
    ]);
  });

  it.each(FAILURE_CODES)(
    'is noted where it is the caller’s to mend, and no 401, 429 or failure of ours: %s',
    async (code) => {
      const { status } = FAILURES[code];
      const { notes } = await noted(new Failure(code));
      expect(notes).toHaveLength(status < 500 && status !== 401 && status !== 429 ? 1 : 0);
    },
  );

  it('is not noted in production, before admission, of an error that nobody foresaw, or with no time left', async () => {
    expect((await noted(REFUSED, { caller: makeCaller({ environment: 'producao' }) })).notes).toEqual([]);
    const refusals = memoryRefusals();
    await noteRefusal(makeCall(), updateLead, REFUSED, refusals, NOW, 5_000);
    expect(refusals.noted).toEqual([]);
    expect((await noted(new TypeError('x'))).notes).toEqual([]);
    expect((await noted(REFUSED, { left: 0 })).notes).toEqual([]);
    expect((await noted(REFUSED, { left: 1 })).notes).toHaveLength(1);
  });
});

describe('a refusal that cannot be noted', () => {
  afterEach(() => {
    vi.useRealTimers();
  });
  const call = () => makeCall({}, { caller: makeCaller() });
  const port = (note: RefusedCalls['note']): RefusedCalls => ({ note, newest: async () => [] });

  it('changes nothing: it is on the log', async () => {
    const broken = port(() => Promise.reject(new RangeError('900')));
    const lines = await linesOf(() => noteRefusal(call(), updateLead, REFUSED, broken, NOW, 5_000));
    expect(lines).toMatchObject([{ level: 'ERROR', code: 'refusal_not_noted', errors: [{ name: 'RangeError' }] }]);
  });

  it.each([
    ['half a second', 5_000, 500],
    ['what the call has left', 200, 200],
  ])('is waited for no longer than %s', async (_, left, longest) => {
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
    const lines = await linesOf(async () => {
      const done = noteRefusal(call(), updateLead, REFUSED, hanging, NOW, left);
      await vi.advanceTimersByTimeAsync(10_000);
      await done;
    });
    expect(waited).toEqual([longest]);
    expect(lines).toMatchObject([{ code: 'refusal_not_noted', errors: [{ name: 'DeadlineReached' }] }]);
  });
});
