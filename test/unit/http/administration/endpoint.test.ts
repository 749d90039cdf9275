import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod/mini';
import { recordOutcomes } from '#shared/administration/analyses.ts';
import { AdministrationFailure } from '#shared/administration/failures.ts';
import { answered, previewed } from '#shared/administration/fields.ts';
import { type AdministrationOperation, operationNamed } from '#shared/administration/operations.ts';
import { listUnits } from '#shared/administration/units.ts';
import { setWebhook } from '#shared/administration/webhooks.ts';
import {
  APPROVAL_LIFETIME,
  type ApprovalField,
  type Approvals,
  type ApprovalUse,
  approvalId,
  callId,
  REPEATED_WITHIN,
  type Repetition,
  type Wish,
} from '#shared/domain/audit/approvals.ts';
import type { AuditEntry, AuditTrail, Ticket, Tickets } from '#shared/domain/audit/ports.ts';
import { Failure } from '#shared/domain/values/failure.ts';
import type { PartnerId } from '#shared/domain/values/ids.ts';
import { days } from '#shared/domain/values/time.ts';
import { approvalFields } from '#shared/http/administration/approval.ts';
import {
  administrationChange,
  administrationRead,
  administrationReport,
} from '#shared/http/administration/endpoint.ts';
import type { Plan } from '#shared/http/administration/plan.ts';
import { DeadlineReached, deadlineSignal, remainingTime } from '#shared/runtime/deadline.ts';
import { SafeError } from '#shared/runtime/log.ts';
import { type AdministrationCall, CALLER, callAdministration } from '#test/makers/administration.ts';
import type { CallAnswer } from '#test/makers/call.ts';
import { captureLogLines } from '#test/makers/partner-call.ts';

const NOW = Date.UTC(2026, 10, 21);
const clock = () => () => NOW;
const people = () => ({ emailOf: async () => undefined });
const PARTNER = 7 as PartnerId;
const REASON = { reason: 'INC-1' };
const BODY = { url: 'https://a.example', ...REASON };
const ENTRY = { about: PARTNER, who: CALLER, action: 'set-webhook', target: { host: 'x' }, ...REASON };

// The value of set-webhook has everything that an operation can have: parameters, a dry run, and a `confirm` that the
// plan may ask for.
const STRICT = {
  ...setWebhook,
  params: z.strictObject({ partner_id: z.string() }),
  body: z.strictObject({ url: z.string(), times: z.optional(z.int().check(z.maximum(9))) }),
  preview: previewed({ would: z.string() }),
  answer: answered({ url: z.string() }),
};
/** Returns an operation whose schemas accept any path and body. */
const loose = (operation: AdministrationOperation) => ({
  ...operationNamed(operation),
  params: z.looseObject({}),
  body: z.looseObject({}),
  preview: previewed({ would: z.optional(z.string()) }),
  answer: answered({ url: z.optional(z.string()) }),
});

/** An operation that takes a token. */
const TAKING_TOKEN = { ...STRICT, body: z.strictObject({ url: z.string(), token: z.optional(z.string()) }) };

type Operation = typeof STRICT | typeof TAKING_TOKEN | ReturnType<typeof loose>;
/** Parts that a test replaces. */
interface Changes {
  readonly plan?: Partial<Plan<ReturnType<typeof loose>>>;
  readonly begin?: AuditTrail['begin'];
  /** Called when the row of the audit is closed. */
  readonly close?: (outcome: string) => Promise<void>;
  readonly approvals?: Pick<Approvals, 'required' | 'useOrAsk'>;
  readonly tickets?: Tickets;
}
const OFF = { required: () => false, useOrAsk: () => Promise.reject(new TypeError('nobody is asked')) };
const NO_TICKETS: Tickets = { send: () => Promise.reject(new TypeError('nobody is told')) };

const auditOf = (begin: AuditTrail['begin']): AuditTrail => {
  const none = async () => ({ items: [], next: undefined });
  return { begin, newest: none, between: none };
};

/** Returns a change that records, in order, its audit rows, the input of its plan, and that it was made. */
function changeOf(
  operation: Operation = STRICT,
  { plan = {}, begin, close, approvals = OFF, tickets = NO_TICKETS }: Changes = {},
) {
  const seen: unknown[] = [];
  const asked: unknown[] = [];
  const begun = async (entry: AuditEntry, now: number) => {
    seen.push({ started: entry, now });
    return {
      close: async (outcome: string, result?: object) => {
        seen.push({ [outcome]: result });
        await close?.(outcome);
      },
    };
  };
  const noted = {
    clock,
    people,
    audit: () => auditOf(begin ?? begun),
    approvals: () => approvals as Approvals,
    tickets: () => tickets,
  };
  const list = administrationChange(operation as ReturnType<typeof loose>, noted, {});
  const handler = list.handler(async ({ body, dry }) => {
    asked.push({ body, dry });
    const url = String(body['url']);
    const change = async () => {
      seen.push('changed');
      return { url };
    };
    return { about: PARTNER, target: { host: 'x' }, preview: async () => ({ would: url }), change, ...plan };
  });
  const call = (options: AdministrationCall = {}) =>
    callAdministration(handler, operation.operation, { params: { partner_id: 7 }, body: BODY, ...options });
  return { seen, asked, call };
}

/** Stops the time of a test, so that only `hangs` lets it pass, however slow the machine is. */
function stopTime(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
}

/** Lets the time pass until the deadline, and rejects there, as a peer's client does. */
function hangs(): Promise<never> {
  const signal = deadlineSignal();
  return new Promise((_, reject) => {
    const stop = () => reject(new Failure('servico_indisponivel'));
    signal?.addEventListener('abort', stop);
    if (signal?.aborted) stop();
    else vi.advanceTimersToNextTimer();
  });
}

describe('administrationChange', () => {
  it('a change is noted before and after its work, with the caller, the operation, the target and the reason', async () => {
    const { seen, call } = changeOf(STRICT, { plan: { result: () => ({ made: 1 }) } });
    expect(await call()).toMatchObject({ status: 200, body: { ok: true, url: BODY.url } });
    expect(seen).toEqual([{ started: ENTRY, now: NOW }, 'changed', { done: { made: 1 } }]);
  });

  it('a change is not made if the audit cannot note it', async () => {
    const { seen, call } = changeOf(STRICT, { begin: () => Promise.reject(new Failure('servico_indisponivel')) });
    const { status, body } = await call();
    expect(status).toBe(503);
    expect(body.code).toBe('unavailable');
    expect(seen).toEqual([]);
  });

  it.each<[string, Error, number, string]>([
    ['failed', new SafeError('someone was faster'), 422, 'refused'],
    ['failed', new AdministrationFailure('changed_meanwhile'), 409, 'changed_meanwhile'],
    ['started', new TypeError('secret'), 500, 'outcome_unknown'],
    ['started', new DeadlineReached(), 500, 'outcome_unknown'],
  ])('the audit row of a change that throws is left as %s: %s', async (left, error, status, code) => {
    const { seen, call } = changeOf(STRICT, { plan: { change: () => Promise.reject(error) } });
    const answer = await call();
    expect(answer.status).toBe(status);
    expect(answer.body.code).toBe(code);
    expect(answer.text).not.toContain('secret');
    expect(seen).toEqual([{ started: ENTRY, now: NOW }, ...(left === 'failed' ? [{ failed: undefined }] : [])]);
    if (left === 'started') expect(answer.headers['retry-after']).toBeUndefined();
  });

  it('the row of a change that does not end in time stays started, since its last write may have arrived', async () => {
    stopTime();
    const { seen, call } = changeOf(STRICT, { plan: { change: hangs } });
    expect((await call({ remaining: 1_100 })).body.code).toBe('outcome_unknown');
    expect(seen).toEqual([{ started: ENTRY, now: NOW }]);
  });

  it('a change that ends at the last moment still has time to close its audit row', async () => {
    const noted: string[] = [];
    const close = async (outcome: string) => {
      if (remainingTime(0) < 500) throw new Failure('servico_indisponivel');
      noted.push(outcome);
    };
    stopTime();
    const change = () => hangs().catch(() => ({ url: BODY.url }));
    const { call } = changeOf(STRICT, { plan: { change }, close });
    expect((await call({ remaining: 1_900 })).status).toBe(200);
    expect(noted).toEqual(['done']);
  });

  it('a change of which a part broke off is answered, and its audit row stays started', async () => {
    const { seen, call } = changeOf(STRICT, { plan: { brokeOff: () => true } });
    expect((await call()).status).toBe(200);
    expect(seen.slice(1)).toEqual(['changed']);
  });

  it('a noted read that fails is closed as failed, and may be repeated', async () => {
    const change = () => Promise.reject(new Failure('servico_indisponivel'));
    const { seen, call } = changeOf(loose('export-lead'), { plan: { change } });
    expect((await call()).body.code).toBe('unavailable');
    expect(seen.at(-1)).toEqual({ failed: undefined });
  });

  it.each<[string, NonNullable<Changes['plan']>, object]>([
    ['done', {}, { ok: true, url: BODY.url }],
    ['failed', { change: () => Promise.reject(new SafeError('x')) }, { code: 'refused', error: 'x' }],
  ])(
    'if the audit row cannot be closed as %s, the log says so and the answer is the same',
    async (outcome, plan, answer) => {
      const { seen, call } = changeOf(STRICT, { plan, close: () => Promise.reject(new RangeError('table')) });
      const [line] = await captureLogLines(async () => expect((await call()).body).toMatchObject(answer));
      expect(seen.at(-1)).toEqual({ [outcome]: undefined });
      expect(line).toMatchObject({ level: 'ERROR', code: 'audit_left_open', errors: [{ name: 'RangeError' }] });
    },
  );

  it('a change that its plan refuses is not noted', async () => {
    const plan = {
      get about(): PartnerId {
        throw new AdministrationFailure('not_found');
      },
    };
    const { seen, call } = changeOf(STRICT, { plan });
    expect((await call()).status).toBe(404);
    expect(seen).toEqual([]);
  });
});

describe('useApproval', () => {
  const plan = { needsApproval: true };
  /** Returns approvals with this outcome and reason, and the wishes that calls have passed to them. */
  const asking = (outcome: ApprovalUse['outcome'], reason = REASON.reason, isNew?: true) => {
    const asked: Wish[] = [];
    const repetitions: Repetition[] = [];
    const givenBack: string[] = [];
    const giveBack = async (_: Wish, mark: string) => void givenBack.push(mark);
    const useOrAsk = async (wish: Wish, repetition: Repetition): Promise<ApprovalUse> => {
      asked.push(wish);
      repetitions.push(repetition);
      const state = outcome === 'asked' ? 'asked' : 'used';
      const id = approvalId(wish);
      const use = { usedAt: NOW, usedBy: 'role/ana' };
      const approval = { id, ...wish, reason, state, askedAt: NOW, decidedBy: 'role/bia', ...use } as const;
      return isNew ? { outcome, approval, isNew } : { outcome, approval };
    };
    return { asked, repetitions, givenBack, approvals: { required: () => true, useOrAsk, giveBack } };
  };

  it('a change that needs approval is neither made nor noted before another person has approved it', async () => {
    const { asked, approvals } = asking('asked');
    const { seen, call } = changeOf(STRICT, { plan, approvals });
    const { status, body } = await call();
    expect(status).toBe(409);
    expect(body.code).toBe('approval_needed');
    expect(seen).toEqual([]);
    const [wish] = asked as [Wish];
    const { who: askedBy, action: operation, ...entry } = ENTRY;
    const fields = [
      { field: 'partner_id', value: '7' },
      { field: 'url', value: BODY.url },
    ];
    expect(wish).toEqual({ ...entry, operation, fields, askedBy, person: 'ana.lima' });
    expect(body.error).toContain(
      `${approvalId(wish)} by ${new Date(NOW + APPROVAL_LIFETIME).toISOString().slice(0, 19)}`,
    );
  });

  it('a new request is announced by one ticket with ids only, and a request that waits already by none', async () => {
    const sent: Ticket[] = [];
    const tickets = { send: async (ticket: Ticket) => void sent.push(ticket) };
    const { asked, approvals } = asking('asked', REASON.reason, true);
    await changeOf(STRICT, { plan, approvals, tickets }).call();
    await changeOf(STRICT, { plan, approvals: asking('asked').approvals, tickets }).call();
    expect(sent).toHaveLength(1);
    const [ticket] = sent as [Ticket];
    expect(ticket.subject).toMatch(/^[ -~]{1,80}$/);
    expect(ticket.text).toContain('set-webhook about partner 7');
    expect(ticket.text).toContain(approvalId(asked[0] as Wish));
    for (const secret of [BODY.url, REASON.reason, 'ana.lima']) expect(JSON.stringify(ticket)).not.toContain(secret);
  });

  it('a request whose ticket cannot be sent is answered as usual, and the log says so', async () => {
    const { call } = changeOf(STRICT, { plan, approvals: asking('asked', REASON.reason, true).approvals });
    const lines = await captureLogLines(async () => {
      expect((await call()).body.code).toBe('approval_needed');
    });
    expect(lines[0]).toMatchObject({ level: 'ERROR', code: 'ticket_not_sent', errors: [{ name: 'TypeError' }] });
  });

  it('the audit row of an approved change names the person who approved it', async () => {
    const { seen, call } = changeOf(STRICT, { plan, approvals: asking('granted').approvals });
    expect((await call()).status).toBe(200);
    const target = { host: 'x', approval: expect.stringMatching(/^apr_[0-9a-f]{32}$/), approved_by: 'role/bia' };
    expect(seen[0]).toEqual({ started: { ...ENTRY, target }, now: NOW });
  });

  it('the audit row of an approved change has the reason that was approved, whatever reason the call gives', async () => {
    const { seen, call } = changeOf(STRICT, { plan, approvals: asking('granted', 'INC-0, approved').approvals });
    expect((await call()).status).toBe(200);
    expect(seen[0]).toMatchObject({ started: { reason: 'INC-0, approved' } });
  });

  it.each<[string, AdministrationCall, boolean]>([
    ['a call with another reason is the same call', { body: { ...BODY, reason: 'INC-2' } }, true],
    ['a call with another confirmation is the same call', { body: { ...BODY, confirm: '7' } }, true],
    ['a call with another token is the same call', { body: { ...BODY, token: 'a-token-that-nobody-knows' } }, true],
    [
      'a call with another CPF, whose keyed hash the plan shows, is the same call',
      { body: { ...BODY, cpf: '90000000175' } },
      true,
    ],
    [
      'a call with another role of the same person is the same call',
      { caller: CALLER.replace('manager', 'support') },
      true,
    ],
    ['a call of another person is another call', { caller: CALLER.replace('ana.lima', 'bia.reis') }, false],
    ['a call with another field is another call', { body: { ...BODY, times: 2 } }, false],
    ['a call with another value is another call', { body: { ...BODY, url: 'https://b.example' } }, false],
    ['a call with another path is another call', { params: { partner_id: 8 } }, false],
  ])('%s', async (_, other, same) => {
    const { asked, approvals } = asking('granted');
    const { call } = changeOf(loose('set-webhook'), { plan, approvals });
    await call();
    await call(other);
    const [first, second] = asked.map(callId);
    expect(first === second).toBe(same);
  });

  it('a change whose approval another call has just used is neither made nor asked for again', async () => {
    const { seen, call } = changeOf(STRICT, { plan, approvals: asking('spent').approvals });
    const { status, body } = await call();
    expect(status).toBe(409);
    expect(body.code).toBe('approval_used');
    expect(body.error).toContain('role/ana has used apr_');
    expect(body.error).toContain(`after ${new Date(NOW + REPEATED_WITHIN).toISOString().slice(0, 19)}`);
    expect(seen).toEqual([]);
  });

  it('a call is recognised as a repetition by its token, and without a token by nothing', async () => {
    const { repetitions, approvals } = asking('granted');
    for (const token of ['one', 'one', 'two', undefined, undefined])
      await changeOf(TAKING_TOKEN, { plan, approvals }).call({ body: { ...BODY, token } });
    const [first, again, ...others] = repetitions.map(({ mark }) => mark);
    expect(first).toMatch(/^[\w-]{43}$/);
    expect(again).toBe(first);
    expect(new Set([first, ...others]).size).toBe(4);
  });

  it.each<[string, Changes, boolean]>([
    ['is refused', { plan: { change: () => Promise.reject(new SafeError('x')) } }, true],
    ['cannot be noted', { begin: () => Promise.reject(new RangeError('table')) }, true],
    ['may have been made', { plan: { change: () => Promise.reject(new RangeError('table')) } }, false],
    ['was made', {}, false],
  ])('a call that %s gives its approval back only if nothing was changed', async (_, changes, givesBack) => {
    const { repetitions, givenBack, approvals } = asking('granted');
    const made = changeOf(TAKING_TOKEN, { ...changes, plan: { ...plan, ...changes.plan }, approvals });
    // With a token, another run of the same call may be making the change now.
    await made.call({ body: { ...BODY, token: 'one' } });
    expect(givenBack).toEqual([]);
    await made.call();
    expect(givenBack).toEqual(givesBack ? [repetitions.at(-1)?.mark] : []);
  });

  it('a call whose plan shows another fact is another call', async () => {
    const { asked, approvals } = asking('granted');
    for (const value of ['lead', 'lead, reuse'])
      await changeOf(STRICT, { plan: { ...plan, details: { missing: { value } } }, approvals }).call();
    const [first, second] = asked.map(callId);
    expect(first).not.toBe(second);
  });
});

describe('approvalFields', () => {
  const named = (fields: readonly ApprovalField[]) => fields.map(({ field, value }) => [field, value]);

  it('approvalFields has each field that a call sends, with dotted names for parts, and a list as one text', () => {
    const call = {
      partner_id: 7,
      raw: false,
      scopes: ['leads', 'analises'],
      consultant: { name: 'Rita' },
    };
    expect(named(approvalFields(call, {}))).toEqual([
      ['partner_id', 7],
      ['raw', false],
      ['scopes', 'leads, analises'],
      ['consultant.name', 'Rita'],
    ]);
  });

  it('approvalFields leaves out what is not sent, the token, the CPF and what is replaced', () => {
    const call = {
      token: 'a-token-that-nobody-knows',
      cpf: '90000000175',
      unit_id: undefined,
      scopes: [],
      replaces: null,
    };
    expect(approvalFields(call, {})).toEqual([]);
  });

  it('approvalFields adds names and replaced values to fields, and facts after them', () => {
    const details = {
      partner_id: { name: 'Casa Nova' },
      url: { value: 'never shown', replaces: 'https://old' },
      cpf: { value: 'keyed hash' },
      webhook: {},
    };
    expect(approvalFields({ partner_id: 7, url: 'https://new', cpf: '90000000175' }, details)).toEqual([
      { field: 'partner_id', value: 7, name: 'Casa Nova' },
      { field: 'url', value: 'https://new', replaces: 'https://old' },
      { field: 'cpf', value: 'keyed hash' },
      { field: 'webhook', value: null },
    ]);
  });
});

describe('the confirmation of a change that cannot be undone', () => {
  const path = { partner_id: 7, key_id: 'abcde' };
  const both = { event_id: 'evt', partner_id: 7 };

  it.each<[AdministrationOperation, object, string]>([
    ['revoke-key', {}, 'abcde'],
    ['erase-lead', { lead_id: 7 }, '7'],
    ['discard-dead-letters', both, 'evt'],
    ['apply-erasure-ledger', {}, 'ledger'],
    ['set-operator-token', {}, 'operator-token'],
  ])(
    'the confirmation of %s repeats the first named field of the call, else a word: %o',
    async (operation, fields, text) => {
      const { call, seen } = changeOf(loose(operation));
      const send = (more: object) => call({ params: path, body: { ...REASON, ...fields, ...more } });
      const faults = [{ field: 'confirm', reason: `must be ${text}: it cannot be undone` }];
      for (const wrong of [{}, { confirm: 'other' }])
        expect((await send(wrong)).body).toMatchObject({ code: 'confirmation_missing', fields: faults });
      expect(seen).toEqual([]);
      expect((await send({ confirm: text })).status).toBe(200);
    },
  );

  it('the plan may ask for a confirmation that the operation itself does not need', async () => {
    const { seen, call } = changeOf(STRICT, { plan: { confirm: '7' } });
    for (const wrong of [{}, { confirm: '8' }])
      expect((await call({ body: { ...BODY, ...wrong } })).body.code).toBe('confirmation_missing');
    expect(seen).toEqual([]);
    expect((await call({ body: { ...BODY, confirm: '7' } })).status).toBe(200);
    expect((await changeOf().call()).status).toBe(200);
  });
});

describe('fields that a kind of operation adds to a body', () => {
  it.each([
    ['set-webhook', { confirm: 'x', dry_run: false, url: 'u' }, { url: 'u' }],
    ['ping-webhook', { confirm: 'x', dry_run: true }, { confirm: 'x', dry_run: true }],
  ] as const)(
    'the added fields are not passed to %s, and other fields are left to its schema',
    async (operation, sent, own) => {
      const { asked, call } = changeOf(loose(operation));
      await call({ body: { ...REASON, ...sent } });
      expect(asked).toEqual([{ body: own, dry: false }]);
    },
  );

  const PERSONAL = ['ask ana@exemplo.com.br', 'CPF 900.000.001-75', 'of 90000000175'];
  it.each<[string, unknown]>([
    ['dry_run', 'true'],
    ['confirm', 'x'.repeat(101)],
    ...[...PERSONAL, ' ', 'x'.repeat(501), 7].map((reason): [string, unknown] => ['reason', reason]),
  ])('the field %s refuses %j', async (field, value) => {
    const { asked, call } = changeOf(STRICT);
    const { status, body } = await call({ body: { ...BODY, [field]: value } });
    expect(status).toBe(400);
    expect(body.code).toBe('field_invalid');
    expect(body.fields[0].field).toBe(field);
    expect(asked).toEqual([]);
  });
});

it('a dry run answers the preview, needs neither reason nor confirmation and is not noted', async () => {
  const unnoted = { ...loose('erase-lead'), notedPreview: undefined };
  const { seen, asked, call } = changeOf(unnoted, { plan: { confirm: '7' } });
  const { status, body } = await call({ body: { url: 'u', lead_id: 7, dry_run: true } });
  expect(status).toBe(200);
  expect(body).toEqual({ ok: true, dry_run: true, would: 'u' });
  expect(seen).toEqual([]);
  expect(asked).toEqual([{ body: { url: 'u', lead_id: 7 }, dry: true }]);
  expect((await call({ body: { ...REASON, lead_id: 7, dry_run: false } })).status).toBe(422);
});

describe('a preview that shows whether a person is known', () => {
  const dry = { url: 'u', lead_id: 7, dry_run: true };
  const started = { started: { ...ENTRY, action: 'erase-lead', target: { host: 'x', dry_run: true } }, now: NOW };

  it('a preview that shows whether a person is known is noted before it looks, with its reason', async () => {
    const preview = vi.fn(async () => {
      expect(seen).toEqual([started]);
      return { would: 'u' };
    });
    const { seen, call } = changeOf(loose('erase-lead'), { plan: { preview } });
    const { status, body } = await call({ body: { ...REASON, ...dry } });
    expect(status).toBe(200);
    expect(body).toEqual({ ok: true, dry_run: true, would: 'u' });
    expect(preview).toHaveBeenCalledOnce();
    expect(seen).toEqual([started, { done: undefined }]);
  });

  it('a preview that shows whether a person is known is refused without a reason, and looks at nothing', async () => {
    const { seen, asked, call } = changeOf(loose('erase-lead'));
    expect((await call({ body: dry })).body).toMatchObject({ code: 'field_required', fields: [{ field: 'reason' }] });
    expect(asked).toEqual([]);
    expect(seen).toEqual([]);
  });

  it('a preview that shows whether a person is known looks at nothing if the audit cannot note it', async () => {
    const preview = vi.fn(async () => ({ would: 'u' }));
    const begin = () => Promise.reject(new Failure('servico_indisponivel'));
    const { call } = changeOf(loose('erase-lead'), { plan: { preview }, begin });
    expect((await call({ body: { ...REASON, ...dry } })).status).toBe(503);
    expect(preview).not.toHaveBeenCalled();
  });

  it('a preview that shows whether a person is known and fails closes its row as failed', async () => {
    const preview = () => Promise.reject(new AdministrationFailure('not_found'));
    const { seen, call } = changeOf(loose('erase-lead'), { plan: { preview } });
    expect((await call({ body: { ...REASON, ...dry } })).status).toBe(404);
    expect(seen).toEqual([started, { failed: undefined }]);
  });
});

const POOL = 'cognito-idp.sa-east-1.amazonaws.com/sa-east-1_AbC';
const added = { dry_run: 'yes', reason: '', confirm: 5 };
const text = { 'content-type': 'text/plain' };
/** A person of the user pool who has no verified e-mail. */
const signed = {
  caller: CALLER.replace(/\/[^/]+$/, '/CognitoIdentityCredentials'),
  provider: `${POOL},${POOL}:CognitoSignIn:7f`,
};
const sent = (body: unknown): AdministrationCall => ({ ...signed, body });
/** A call that the gateway received two days ago, by its clock. */
const late = (body: unknown): AdministrationCall => ({ ...sent(body), receivedAt: Date.now() - days(2) });

/** Each call has every fault from its row on. The first fault in the order of the list must answer. */
it.each<[string, AdministrationCall, number, string, string[] | undefined]>([
  ['the caller', { caller: null, headers: text, body: '{' }, 403, 'caller_unknown', undefined],
  ['the media type', { ...signed, headers: text, body: '{' }, 415, 'unsupported_media_type', undefined],
  ['the size', sent(`"${'x'.repeat(70_000)}"`), 413, 'body_too_large', undefined],
  ['the JSON', sent('{"url":1,"url":2}'), 400, 'invalid_json', ['url']],
  ['a missing field', sent({ ...added, ulr: 1, times: 99 }), 400, 'field_required', ['url']],
  ['an unknown field', sent({ ...added, url: 'x', ulr: 1, times: 99 }), 400, 'field_unknown', ['ulr']],
  ['an invalid field', sent({ ...added, url: 'x', times: 99 }), 400, 'field_invalid', ['times']],
  ['dry_run', sent({ ...added, url: 'x' }), 400, 'field_invalid', ['dry_run']],
  ['the reason', sent({ ...added, url: 'x', dry_run: false }), 400, 'field_invalid', ['reason']],
  ['the confirmation', late({ url: 'x', reason: 'r', confirm: 5 }), 400, 'field_invalid', ['confirm']],
  ['the clock', late({ url: 'x', reason: 'r' }), 503, 'unavailable', undefined],
  ['the e-mail', sent({ url: 'x', reason: 'r' }), 403, 'caller_unknown', undefined],
])('%s of a change answers before every later check, and nothing is noted', async (_, options, status, code, named) => {
  const { seen, call } = changeOf();
  let answer: CallAnswer | undefined;
  const lines = await captureLogLines(async () => {
    answer = await call(options);
  });
  expect(answer?.status).toBe(status);
  expect(answer?.body.code).toBe(code);
  expect(answer?.body.fields?.map(({ field }: { field: string }) => field)).toEqual(named);
  expect(seen).toEqual([]);
  expect(lines.at(-1)).toMatchObject({ code: 'request_completed', status, failure: code });
});

const READ = { ...listUnits, query: z.strictObject({ limit: z.string() }), answer: answered({ limit: z.string() }) };
const reads = administrationRead(READ, {}).handler(async ({ query }) => query);

it('a read ignores a body that came with the call, and its answer keeps to the schema', async () => {
  const { body } = await callAdministration(reads, 'list-units', { query: { limit: 1 }, body: '{' });
  expect(body).toEqual({ ok: true, limit: '1' });
});

const told = { ...recordOutcomes, body: z.strictObject({ n: z.int() }), answer: answered({ n: z.int() }) };
const reports = administrationReport(told, {}).handler(async ({ body, caller }) => {
  expect(caller.role).toBe('partner-credit-manager');
  return body;
});
const report = (call: AdministrationCall) => callAdministration(reports, 'record-outcomes', call);

it('a report of a machine needs no reason', async () => {
  const lines = await captureLogLines(async () =>
    expect((await report({ body: { n: 7 } })).body).toEqual({ ok: true, n: 7 }),
  );
  expect(lines).toMatchObject([{ role: 'partner-credit-manager', operation: 'record-outcomes', status: 200 }]);
});

describe('inTime', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'Date'] }));
  afterEach(() => void vi.useRealTimers());

  it.each([
    [7_999, 28_000, true],
    [8_000, 28_000, false],
    // Half a second of the remaining time is kept for the answer.
    [0, 6_501, true],
    [0, 6_500, false],
    [1, 6_501, false],
  ])(
    'new work begins within 8 s, and only with 6 s left until the deadline: after %i ms, with %i ms left',
    async (passed, remaining, left) => {
      const told: boolean[] = [];
      const ask = ({ inTime }: { readonly inTime: () => boolean }) => {
        vi.advanceTimersByTime(passed);
        told.push(inTime());
        return {};
      };
      const read = administrationRead(loose('show-operator'), {}).handler(async (request) => ask(request));
      await callAdministration(read, 'show-operator', { remaining });
      const audit = () => auditOf(async () => ({ close: async () => {} }));
      const noted = { clock, people, audit, approvals: () => OFF as never, tickets: () => NO_TICKETS };
      const change = administrationChange(loose('ping-webhook'), noted, {}).handler(async (request) => {
        ask(request);
        return { about: 'service', target: {}, change: async () => ({}) };
      });
      await callAdministration(change, 'ping-webhook', { remaining, body: REASON });
      expect(told).toEqual([left, left]);
    },
  );
});

it('a change whose check hangs is answered 504 with its log line, and none of its work begins', async () => {
  const audit = () => auditOf(() => Promise.reject(new TypeError('noted')));
  const hanging = () => ({ emailOf: () => new Promise<undefined>(() => {}) });
  const noted = { clock, people: hanging, audit, approvals: () => OFF as never, tickets: () => NO_TICKETS };
  const change = administrationChange(STRICT, noted, {}).handler(() => Promise.reject(new TypeError('planned')));
  const lines = await captureLogLines(async () => {
    const { status, body } = await callAdministration(change, 'set-webhook', {
      ...signed,
      params: { partner_id: 7 },
      body: BODY,
      remaining: 550,
    });
    expect(status).toBe(504);
    expect(body.code).toBe('timed_out');
  });
  expect(lines).toMatchObject([{ code: 'request_completed', status: 504, failure: 'timed_out' }]);
});

it('a call whose ports cannot be made is answered 500 with its log lines, each time', async () => {
  const broken = () => {
    throw new RangeError('an environment variable is missing');
  };
  const read = administrationRead(READ, { broken }).handler(() => Promise.reject(new TypeError('read')));
  for (let call = 0; call < 2; call++) {
    const lines = await captureLogLines(async () => {
      const { status, body } = await callAdministration(read, 'list-units', { query: { limit: 1 } });
      expect(status).toBe(500);
      expect(body.code).toBe('internal_error');
    });
    expect(lines).toMatchObject([
      { code: 'request_failed', errors: [{ name: 'RangeError' }] },
      { code: 'request_completed', status: 500, failure: 'internal_error' },
    ]);
  }
});
