import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod/mini';
import { recordOutcomes } from '../../../shared/administration/analyses.ts';
import { answered, previewed } from '../../../shared/administration/fields.ts';
import { type AdministrationOperation, operationNamed } from '../../../shared/administration/operations.ts';
import { showOperator } from '../../../shared/administration/operator.ts';
import type { AuditTrail } from '../../../shared/domain/audit/ports.ts';
import { Failure } from '../../../shared/domain/values/failure.ts';
import {
  administrationChange,
  administrationRead,
  administrationReport,
  type Plan,
} from '../../../shared/http/administration-endpoint.ts';
import { SafeError } from '../../../shared/runtime/log.ts';
import { type AdministrationCall, callAdministration } from '../../makers/administration.ts';
import { linesOf } from '../../makers/partner-call.ts';

const clock = () => () => 0;
/** Schemas that take whatever comes in path and body. */
const LOOSE = {
  params: z.looseObject({}),
  body: z.looseObject({}),
  preview: previewed({}),
  answer: answered({}),
};
const REASON = { reason: 'INC-1' };

/** An operation, with schemas that take whatever comes. */
const loose = (operation: AdministrationOperation) => ({ ...operationNamed(operation), ...LOOSE });

/** A change of an operation that notes what was asked of it and how the audit's row was closed. */
function changeOf(
  operation: AdministrationOperation,
  changes: Partial<Plan<ReturnType<typeof loose>>> = {},
  close: (outcome: string, result?: object) => Promise<void> = async () => {},
) {
  const seen: unknown[] = [];
  const audit: AuditTrail = {
    begin: async () => ({
      close: (outcome, result) => {
        seen.push([outcome, result]);
        return close(outcome, result);
      },
    }),
    newest: async () => ({ items: [], next: undefined }),
    between: async () => ({ items: [], next: undefined }),
  };
  const handler = administrationChange(loose(operation), { clock, audit: () => audit }, async ({ body, dry }) => {
    seen.push({ body, dry });
    return { about: 'service', target: {}, change: async () => ({}), ...changes };
  });
  return { seen, call: (call: AdministrationCall = {}) => callAdministration(handler, operation, call) };
}

const confirmed = async (operation: AdministrationOperation, { body, params }: AdministrationCall) => {
  const { call } = changeOf(operation);
  const answer = await call({ ...(params && { params }), body: { ...REASON, ...(body as object) } });
  return answer.status === 200 ? 200 : [answer.status, answer.body.code, answer.body.fields[0]];
};
const wants = (text: string) => [
  422,
  'confirmation_missing',
  { field: 'confirm', reason: `must be ${text}: it cannot be undone` },
];

describe('the confirmation of what cannot be undone', () => {
  const KEY = { params: { partner_id: 7, key_id: 'abcde' } };

  it('repeats what the row names, from the path', async () => {
    expect(await confirmed('revoke-key', KEY)).toEqual(wants('abcde'));
    expect(await confirmed('revoke-key', { ...KEY, body: { confirm: '7' } })).toEqual(wants('abcde'));
    expect(await confirmed('revoke-key', { ...KEY, body: { confirm: 'abcde' } })).toBe(200);
  });

  it('repeats what the row names, from the body, as text', async () => {
    expect(await confirmed('erase-lead', { body: { lead_id: 7 } })).toEqual(wants('7'));
    expect(await confirmed('erase-lead', { body: { lead_id: 7, confirm: '7' } })).toBe(200);
  });

  it('repeats the first of several fields that came, else the row’s word', async () => {
    const both = { event_id: 'evt', partner_id: 7 };
    expect(await confirmed('discard-dead-letters', { body: both })).toEqual(wants('evt'));
    expect(await confirmed('discard-dead-letters', { body: { partner_id: 7 } })).toEqual(wants('7'));
    expect(await confirmed('discard-dead-letters', { body: {} })).toEqual(wants('foreign'));
    expect(await confirmed('discard-dead-letters', { body: { confirm: 'foreign' } })).toBe(200);
  });

  it('is not asked for where only the state of things tells, nor where the row has none', async () => {
    expect(await confirmed('set-webhook', { params: { partner_id: 7 }, body: {} })).toBe(200);
    expect(await confirmed('ping-webhook', { params: { partner_id: 7 }, body: {} })).toBe(200);
  });
});

describe('a change of which a part broke off', () => {
  it('is answered, and its row is left open', async () => {
    const [broken, whole] = [true, false].map((brokeOff) => changeOf('ping-webhook', { brokeOff: () => brokeOff }));
    for (const { call } of [broken!, whole!]) expect((await call({ body: REASON })).status).toBe(200);
    expect(broken!.seen.slice(1)).toEqual([]);
    expect(whole!.seen.slice(1)).toEqual([['done', undefined]]);
  });
});

describe('the fields that a row adds to a body', () => {
  it('are not the operation’s own: reason, confirm and dry_run', async () => {
    const { seen, call } = changeOf('set-webhook');
    await call({ body: { ...REASON, confirm: 'x', dry_run: false, url: 'u' } });
    expect(seen[0]).toEqual({ body: { url: 'u' }, dry: false });
  });

  it('are left to the operation’s schema where the row does not add them', async () => {
    const { seen, call } = changeOf('ping-webhook');
    await call({ body: { ...REASON, confirm: 'x', dry_run: true } });
    expect(seen[0]).toEqual({ body: { confirm: 'x', dry_run: true }, dry: false });
  });

  it('are read strictly', async () => {
    const { seen, call } = changeOf('set-webhook');
    for (const [field, value] of [
      ['dry_run', 'true'],
      ['reason', 7],
      ['confirm', 'x'.repeat(101)],
    ] as const) {
      const { status, body } = await call({ body: { ...REASON, [field]: value } });
      expect([status, body.code, body.fields[0].field]).toEqual([400, 'field_invalid', field]);
    }
    expect(seen).toEqual([]);
  });
});

describe('a change tried dry', () => {
  it('is told that it is one, and answers a preview also where the plan has none', async () => {
    const { seen, call } = changeOf('set-webhook');
    const { status, body } = await call({ body: { dry_run: true } });
    expect([status, body]).toEqual([200, { ok: true, dry_run: true }]);
    expect(seen).toEqual([{ body: {}, dry: true }]);
  });

  it('needs no confirmation, of the row or of the plan', async () => {
    const { call } = changeOf('erase-lead', { confirm: '7' });
    expect((await call({ body: { lead_id: 7, dry_run: true } })).status).toBe(200);
    expect((await call({ body: { ...REASON, lead_id: 7, dry_run: false } })).status).toBe(422);
  });
});

describe('the row of the audit', () => {
  it('is closed with what the plan adds, or with nothing', async () => {
    const { seen, call } = changeOf('ping-webhook');
    await call({ body: REASON });
    expect(seen[1]).toEqual(['done', undefined]);
    const more = changeOf('ping-webhook', { result: () => ({ made: 1 }) });
    await more.call({ body: REASON });
    expect(more.seen[1]).toEqual(['done', { made: 1 }]);
  });

  it.each<[string, number, Parameters<typeof changeOf>[1]]>([
    ['done', 200, {}],
    ['failed', 422, { change: () => Promise.reject(new SafeError('x')) }],
  ])('that cannot be closed as %s is on the log, and changes no answer', async (outcome, status, changes) => {
    const { seen, call } = changeOf('ping-webhook', changes, () => Promise.reject(new RangeError('table')));
    let answered = 0;
    const lines = await linesOf(async () => {
      answered = (await call({ body: REASON })).status;
    });
    expect([answered, seen[1]]).toEqual([status, [outcome, undefined]]);
    expect(lines).toMatchObject([
      { level: 'ERROR', code: 'audit_left_open', errors: [{ name: 'RangeError' }], role: 'partner-credit-manager' },
      { code: 'request_completed', status },
    ]);
  });
});

describe('a change of which nobody knows whether it was made', () => {
  it('is on the log by what left it so', async () => {
    const { call } = changeOf('ping-webhook', { change: () => Promise.reject(new TypeError('x')) });
    const lines = await linesOf(async () => {
      expect((await call({ body: REASON })).body.code).toBe('outcome_unknown');
    });
    expect(lines).toMatchObject([{ code: 'request_failed', errors: [{ name: 'TypeError' }] }, { status: 500 }]);
  });
});

it('a read that is noted leaves nothing in doubt: it has failed, and may be repeated', async () => {
  const { seen, call } = changeOf('export-lead', { change: () => Promise.reject(new Failure('servico_indisponivel')) });
  expect((await call({ body: REASON })).body.code).toBe('unavailable');
  expect(seen.at(-1)).toEqual(['failed', undefined]);
});

describe('the time for long work', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance', 'Date'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Whether there is time for another piece, so many milliseconds after the call came. */
  async function asked(operation: 'read' | 'change', passed: number, remaining: number): Promise<boolean | undefined> {
    let inTime: boolean | undefined;
    const ask = (request: { inTime: () => boolean }) => {
      vi.advanceTimersByTime(passed);
      inTime = request.inTime();
    };
    const read = administrationRead(loose('show-operator'), { clock }, async (request) => {
      ask(request);
      return {};
    });
    const audit: AuditTrail = {
      begin: async () => ({ close: async () => {} }),
      newest: async () => ({ items: [], next: undefined }),
      between: async () => ({ items: [], next: undefined }),
    };
    const change = administrationChange(loose('ping-webhook'), { clock, audit: () => audit }, async (request) => {
      ask(request);
      return { about: 'service', target: {}, change: async () => ({}) };
    });
    const { status } = await (operation === 'read'
      ? callAdministration(read, 'show-operator', { remaining })
      : callAdministration(change, 'ping-webhook', { remaining, body: REASON }));
    expect(status).toBe(200);
    return inTime;
  }

  it.each(['read', 'change'] as const)(
    'is eight seconds of a page, and never the last six before the deadline: %s',
    async (operation) => {
      expect(await asked(operation, 7_999, 28_000)).toBe(true);
      expect(await asked(operation, 8_000, 28_000)).toBe(false);
      // Half a second of what is left is kept for the answer.
      expect(await asked(operation, 0, 6_501)).toBe(true);
      expect(await asked(operation, 0, 6_500)).toBe(false);
      expect(await asked(operation, 1, 6_501)).toBe(false);
    },
  );
});

describe('what a machine reports', () => {
  const told = { ...recordOutcomes, body: z.strictObject({ n: z.int() }), answer: answered({ n: z.int() }) };
  const handler = administrationReport(told, { clock }, async ({ body, dry, caller }) => {
    expect([dry, caller.role]).toEqual([false, 'partner-credit-manager']);
    return body;
  });

  it('needs no reason, and is read from its body', async () => {
    const { status, body } = await callAdministration(handler, 'record-outcomes', { body: { n: 7 } });
    expect([status, body]).toEqual([200, { ok: true, n: 7 }]);
    const lines = await linesOf(() => callAdministration(handler, 'record-outcomes', { body: { n: 7 } }));
    expect(lines).toMatchObject([{ role: 'partner-credit-manager', operation: 'record-outcomes', status: 200 }]);
  });

  it.each<[string, AdministrationCall, string]>([
    ['a caller', { caller: null, body: '{' }, 'caller_unknown'],
    ['JSON', { body: '{' }, 'invalid_json'],
    ['its fields', { body: {} }, 'field_required'],
    ['no further fields', { body: { n: 7, ...REASON } }, 'field_unknown'],
    ['no parameters that it does not know', { body: { n: 7 }, query: { a: 'b' } }, 'field_unknown'],
    ['no path parameters that it does not know', { body: { n: 7 }, params: { a: 'b' } }, 'field_unknown'],
  ])('wants %s', async (_, call, code) => {
    expect((await callAdministration(handler, 'record-outcomes', call)).body.code).toBe(code);
  });
});

describe('a read', () => {
  it('has no body: what came with it is no fault', async () => {
    const read = administrationRead({ ...showOperator, answer: answered({}) }, { clock }, async ({ dry }) => {
      expect(dry).toBe(false);
      return {};
    });
    const { status, body } = await callAdministration(read, 'show-operator', { body: '{' });
    expect([status, body]).toEqual([200, { ok: true }]);
  });
});
