import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { AdministrationFailure } from '../../../shared/administration/failures.ts';
import { answered, previewed } from '../../../shared/administration/fields.ts';
import { listUnits } from '../../../shared/administration/units.ts';
import { setWebhook } from '../../../shared/administration/webhooks.ts';
import type { AuditEntry, AuditFacts, AuditTrail } from '../../../shared/domain/audit/ports.ts';
import { Failure } from '../../../shared/domain/values/failure.ts';
import type { PartnerId } from '../../../shared/domain/values/ids.ts';
import { administrationChange, administrationRead, type Plan } from '../../../shared/http/administration-endpoint.ts';
import { DeadlineReached, deadlineSignal, remainingTime } from '../../../shared/runtime/deadline.ts';
import { SafeError } from '../../../shared/runtime/log.ts';
import { type AdministrationCall, CALLER, callAdministration } from '../../makers/administration.ts';

const NOW = Date.UTC(2026, 10, 21);
const PARTNER = 7 as PartnerId;

// The value of set-webhook has all that one can have: parameters, a dry run, and a confirm that the plan may ask for.
const OPERATION = {
  ...setWebhook,
  params: z.strictObject({ partner_id: z.string() }),
  body: z.strictObject({ url: z.string(), times: z.optional(z.int().check(z.maximum(9))) }),
  preview: previewed({ would: z.string() }),
  answer: answered({ url: z.string() }),
};

/** A trail that remembers what was noted, in order, with what happened between. */
function world(changes: Partial<Plan<typeof OPERATION>> = {}, trail: Partial<AuditTrail> = {}) {
  const seen: unknown[] = [];
  const audit: AuditTrail = {
    begin: async (entry: AuditEntry, now: number) => {
      seen.push({ started: entry, now });
      return { close: async (outcome: string, result?: AuditFacts) => void seen.push({ [outcome]: result ?? {} }) };
    },
    newest: async () => ({ items: [], next: undefined }),
    between: async () => ({ items: [], next: undefined }),
    ...trail,
  };
  const handler = administrationChange(OPERATION, { clock: () => () => NOW, audit: () => audit }, async ({ body }) => ({
    about: PARTNER,
    target: { host: 'x' },
    preview: async () => ({ would: body.url }),
    change: async () => {
      seen.push('changed');
      return { url: body.url };
    },
    result: () => ({ made: 1 }),
    ...changes,
  }));
  const call = (options: AdministrationCall = {}) =>
    callAdministration(handler, 'set-webhook', { params: { partner_id: 7 }, ...options });
  return { seen, call };
}

const BODY = { url: 'https://a.example', reason: 'INC-1' };

describe('a change', () => {
  it('is noted before and after, with who, what and why, around the work', async () => {
    const { seen, call } = world();
    const { status, body, headers } = await call({ body: BODY });
    expect([status, body]).toEqual([200, { ok: true, url: BODY.url }]);
    expect(headers['cache-control']).toBe('no-store');
    const entry = { about: PARTNER, who: CALLER, action: 'set-webhook', target: { host: 'x' }, reason: 'INC-1' };
    expect(seen).toEqual([{ started: entry, now: NOW }, 'changed', { done: { made: 1 } }]);
  });

  it('is not begun where it cannot be noted', async () => {
    const { seen, call } = world({}, { begin: () => Promise.reject(new Failure('servico_indisponivel')) });
    const { status, body } = await call({ body: BODY });
    expect([status, body.code]).toEqual([503, 'unavailable']);
    expect(seen).toEqual([]);
  });

  it('is noted as failed where the work throws, and the caller hears why', async () => {
    const { seen, call } = world({ change: () => Promise.reject(new SafeError('someone was faster')) });
    const { status, body } = await call({ body: BODY });
    expect([status, body.code, body.error]).toEqual([422, 'refused', 'someone was faster']);
    expect(seen.at(-1)).toEqual({ failed: {} });
  });

  it('answers what the work threw first, also where the audit cannot be closed either', async () => {
    const close = () => Promise.reject(new Error('table'));
    const { call } = world(
      { change: () => Promise.reject(new SafeError('someone was faster')) },
      { begin: async () => ({ close }) },
    );
    expect((await call({ body: BODY })).body.error).toBe('someone was faster');
  });

  it('answers what was made although the audit cannot be closed: a key is shown this once', async () => {
    const { call } = world({}, { begin: async () => ({ close: () => Promise.reject(new Error('table')) }) });
    const { status, body } = await call({ body: BODY });
    expect([status, body]).toEqual([200, { ok: true, url: BODY.url }]);
  });

  it.each([
    ['a peer that gave no answer', new Failure('servico_indisponivel')],
    ['an error that nobody foresaw', new TypeError('secret')],
    ['a deadline', new DeadlineReached()],
  ])('whose write may have gone out stays started, and the caller hears that nobody knows: %s', async (_, error) => {
    const { seen, call } = world({ change: () => Promise.reject(error) });
    const { status, body, text, headers } = await call({ body: BODY });
    expect([status, body.code]).toEqual([500, 'outcome_unknown']);
    expect(body.error).toContain('not known whether the change was made');
    expect(text).not.toContain('secret');
    expect(headers['retry-after']).toBeUndefined();
    expect(seen).toEqual([{ started: expect.anything(), now: NOW }]);
  });

  it.each([
    ['refused', new AdministrationFailure('refused')],
    ['changed_meanwhile', new AdministrationFailure('changed_meanwhile')],
    ['operator_failed', new AdministrationFailure('operator_failed')],
  ])('that is refused before its write is noted as failed: %s', async (code, error) => {
    const { seen, call } = world({ change: () => Promise.reject(error) });
    expect((await call({ body: BODY })).body.code).toBe(code);
    expect(seen.at(-1)).toEqual({ failed: {} });
  });

  it('that does not end in time stays started: nobody knows what its last write came to', async () => {
    const { seen, call } = world({ change: () => aborted(deadlineSignal()!) });
    const { status, body } = await call({ body: BODY, remaining: 1_100 });
    expect([status, body.code]).toEqual([500, 'outcome_unknown']);
    expect(seen).toEqual([{ started: expect.anything(), now: NOW }]);
  });

  it('that ends at the last moment is noted all the same: a write of the table takes some of the time', async () => {
    const noted: string[] = [];
    const close = async (outcome: string) => {
      if (remainingTime(0) < 500) throw new Failure('servico_indisponivel');
      noted.push(outcome);
    };
    const change = () => aborted(deadlineSignal()!).catch(() => ({ url: BODY.url }));
    const { call } = world({ change }, { begin: async () => ({ close }) });
    expect((await call({ body: BODY, remaining: 1_900 })).status).toBe(200);
    expect(noted).toEqual(['done']);
  });

  it('wants the confirmation that its plan asks for, and is not noted without', async () => {
    const { seen, call } = world({ confirm: '7' });
    const refused = await call({ body: BODY });
    expect([refused.status, refused.body.code, refused.body.fields[0].field]).toEqual([
      422,
      'confirmation_missing',
      'confirm',
    ]);
    expect((await call({ body: { ...BODY, confirm: '8' } })).status).toBe(422);
    expect(seen).toEqual([]);
    expect((await call({ body: { ...BODY, confirm: '7' } })).status).toBe(200);
  });

  it('tried dry answers its preview, needs no reason and is not noted', async () => {
    const { seen, call } = world({ confirm: '7' });
    const { status, body } = await call({ body: { url: BODY.url, dry_run: true } });
    expect([status, body]).toEqual([200, { ok: true, dry_run: true, would: BODY.url }]);
    expect(seen).toEqual([]);
  });
});

/** Never resolves: rejects as a peer's client does at the deadline. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) =>
    signal.addEventListener('abort', () => reject(new Failure('servico_indisponivel'))),
  );
}

describe('the order of checks', () => {
  const bad = {
    caller: null,
    headers: { 'content-type': 'text/plain' },
    body: { times: 'x', reason: '', confirm: 5 },
  } as const;

  it.each([
    ['caller', {}, 403, 'caller_unknown'],
    ['media type', { caller: CALLER }, 415, 'unsupported_media_type'],
    ['size', { caller: CALLER, headers: {}, body: `"${'x'.repeat(70_000)}"` }, 413, 'body_too_large'],
    ['JSON', { caller: CALLER, headers: {}, body: '{"url":1,"url":2}' }, 400, 'invalid_json'],
    ['missing fields', { caller: CALLER, headers: {} }, 400, 'field_required'],
    ['unknown fields', { caller: CALLER, headers: {}, body: { url: 'x', ulr: 1, times: 99 } }, 400, 'field_unknown'],
    ['invalid fields', { caller: CALLER, headers: {}, body: { url: 'x', times: 99 } }, 400, 'field_invalid'],
    ['reason', { caller: CALLER, headers: {}, body: { url: 'x', confirm: 5 } }, 400, 'field_required'],
    ['confirm', { caller: CALLER, headers: {}, body: { url: 'x', reason: 'r', confirm: 5 } }, 400, 'field_invalid'],
  ] as const)('%s', async (_, good, status, code) => {
    const { seen, call } = world();
    const answer = await call({ ...bad, ...good });
    expect([answer.status, answer.body.code, answer.body.ok]).toEqual([status, code, false]);
    expect(answer.body.request_id).toBe(answer.headers['x-request-id']);
    expect(seen).toEqual([]);
  });

  it('lists all fields with the fault that answers, and repeats no number of an unknown name', async () => {
    const { call } = world();
    const { body } = await call({ body: { url: 'x', '90000000175': 1, b: 2, times: 99, reason: 'r' } });
    expect(body.fields.map(({ field }: { field: string }) => field)).toEqual(['…', 'b']);
  });

  it.each(['ask ana@exemplo.com.br', 'CPF 900.000.001-75', 'of 90000000175', ' ', 'x'.repeat(501)])(
    'takes no reason that names a person, none that is empty or a novel: %s',
    async (reason) => {
      const { seen, call } = world();
      const { status, body } = await call({ body: { ...BODY, reason } });
      expect([status, body.code, body.fields[0].field]).toEqual([400, 'field_invalid', 'reason']);
      expect(seen).toEqual([]);
    },
  );

  it('takes a plan that refuses before anything is noted', async () => {
    const { seen, call } = world({
      get about(): PartnerId {
        throw new AdministrationFailure('not_found');
      },
    });
    expect((await call({ body: BODY })).status).toBe(404);
    expect(seen).toEqual([]);
  });
});

describe('the caller', () => {
  it.each([null, 'arn:aws:sts::123456789012:federated-user/x', 'anonymous', 'arn:aws:sts::1:assumed-role/a/b'])(
    'is needed: %s',
    async (caller) => {
      expect((await world().call({ body: BODY, caller })).body.code).toBe('caller_unknown');
    },
  );

  it('may be a user of the account too', async () => {
    const { seen, call } = world();
    await call({ body: BODY, caller: 'arn:aws:iam::123456789012:user/ops/bruno' });
    expect(seen[0]).toMatchObject({ started: { who: 'arn:aws:iam::123456789012:user/ops/bruno' } });
  });
});

describe('a read', () => {
  const READ = {
    ...listUnits,
    query: z.strictObject({ limit: z.string() }),
    answer: answered({ limit: z.string() }),
  };
  const handler = administrationRead(READ, { clock: () => () => NOW }, async ({ query }) => query);

  it('answers through its schema', async () => {
    expect((await callAdministration(handler, 'list-units', { query: { limit: 1 } })).body).toEqual({
      ok: true,
      limit: '1',
    });
  });

  it('takes a parameter once', async () => {
    const { status, body } = await callAdministration(handler, 'list-units', { query: { limit: ['1', '2'] } });
    expect([status, body.code, body.fields]).toEqual([
      400,
      'field_invalid',
      [{ field: 'limit', reason: 'came more than once' }],
    ]);
  });

  it('answers an error that nobody foresaw with nothing of it', async () => {
    const broken = administrationRead(READ, { clock: () => () => NOW }, () => {
      throw new Error('secret');
    });
    const { status, text } = await callAdministration(broken, 'list-units', { query: { limit: 1 } });
    expect(status).toBe(500);
    expect(text).not.toContain('secret');
  });
});
