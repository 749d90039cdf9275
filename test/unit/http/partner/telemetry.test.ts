import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod/mini';
import { FAILURES } from '#shared/contract/failures.ts';
import { createLead } from '#shared/contract/routes.ts';
import { makeApiKey } from '#shared/domain/partners/api-key.ts';
import { FAILURE_CODES, Failure, type FailureCode } from '#shared/domain/values/failure.ts';
import type { PartnerId } from '#shared/domain/values/ids.ts';
import { noticesOf } from '#shared/http/partner/notices.ts';
import { recordRequest } from '#shared/http/partner/telemetry.ts';
import { beginLog } from '#shared/runtime/log.ts';
import { takeTableUse } from '#shared/runtime/metrics.ts';
import type { CallOptions } from '#test/makers/call.ts';
import { captureLogLines, makeCall } from '#test/makers/partner-call.ts';

const BEGUN = Date.UTC(2026, 10, 21);
beforeEach(() => {
  vi.useFakeTimers({ now: BEGUN + 40, toFake: ['Date'] });
  takeTableUse();
});
afterEach(() => void vi.useRealTimers());

const metricsIn = (lines: readonly Readonly<Record<string, unknown>>[]) =>
  lines.map(({ _aws, stage, ...values }) => values);

/** Returns the log line of a call of POST /v1/leads, and its metrics with their dimensions. */
async function recorded(status: number, error?: unknown, options: CallOptions = {}) {
  const call = { ...makeCall(options, { route: createLead }), startedAt: BEGUN };
  const [line, ...metrics] = await captureLogLines(() => {
    beginLog({});
    recordRequest(call, status, error);
  });
  return { line: line!, metrics: metricsIn(metrics) };
}

const LATENCY = { operation: 'create-lead', Latency: 40 };

describe('recordRequest', () => {
  it.each<[number, unknown]>([
    [500, new TypeError('x')],
    [500, new Failure('erro_interno')],
    [503, new Failure('servico_indisponivel')],
    [504, new Failure('tempo_esgotado')],
  ])('the status %i counts as our failure and not as the caller’s', async (status, error) => {
    expect((await recorded(status, error)).metrics).toEqual([{ ...LATENCY, ServerErrors: 1 }]);
  });

  const ALSO: Partial<Record<FailureCode, object>> = {
    auth_invalid: { AuthenticationFailures: 1 },
    idempotency_conflito: { IdempotencyConflicts: 1 },
    idempotencia_em_andamento: { IdempotencyInFlight: 1 },
  };

  const REFUSALS = FAILURE_CODES.filter((code) => FAILURES[code].status < 500);
  it.each(REFUSALS)('a refusal is counted by its code: %s', async (code) => {
    const { metrics } = await recorded(FAILURES[code].status, new Failure(code));
    const also = ALSO[code];
    expect(metrics).toEqual([LATENCY, { codigo: code, ClientErrorsByCode: 1 }, ...(also ? [also] : [])]);
  });

  it('the log line of a refusal names its code and its fields, and no field whose name the caller chose', async () => {
    const reason = 'deve ser informado';
    const fields = [
      { field: 'cpf', reason },
      { field: 'renda.valor', reason },
      { field: 'ana@casa.test', reason, chosen: true as const },
    ];
    const { line } = await recorded(400, new Failure('campo_invalido', { fields }));
    expect(line).toMatchObject({ codigo: 'campo_invalido', campos: 'cpf renda.valor' });
    expect(JSON.stringify(line)).not.toContain('ana@casa.test');
  });

  it('the log line of a call that did not fail has neither code nor fields', async () => {
    const { line } = await recorded(201);
    expect(line).not.toHaveProperty('codigo');
    expect(line).not.toHaveProperty('campos');
  });

  const key = makeApiKey(7 as PartnerId, 'producao').text;

  it('the log line of a call over the rate names the partner and the environment of its key', async () => {
    const { line } = await recorded(429, new Failure('rate_limited'), { key });
    expect(line).toMatchObject({ partner: 7, environment: 'producao' });
    expect(JSON.stringify(line)).not.toContain(key);
  });

  it.each<[string, FailureCode, string | undefined]>([
    ['a refused key', 'auth_invalid', key],
    ['a mistyped key', 'rate_limited', `${key.slice(0, -1)}-`],
    ['no key', 'rate_limited', undefined],
  ])('the log line of a call with %s names no partner', async (_, code, sent) => {
    const { line } = await recorded(401, new Failure(code), { key: sent });
    expect(line).not.toHaveProperty('partner');
    expect(line).not.toHaveProperty('environment');
  });
});

const schema = z.object({ nome: z.string(), telefone: z.optional(z.string()) });

it.each([
  [{ nome: 'Ana', phone: '1', xyzzy: 2 }, ['phone', 'xyzzy'], [{ operation: 'create-lead', UnknownFields: 2 }]],
  [{ nome: 'Ana' }, [], []],
])('unknown fields become notices by name, and are counted by operation: %o', async (body, fields, metrics) => {
  const lines = await captureLogLines(() => {
    const beside = { route: createLead, query: {}, misnamedKey: undefined };
    expect(noticesOf({ ...beside, body }, schema).map(({ campo }) => campo)).toEqual(fields);
  });
  expect(metricsIn(lines)).toEqual(metrics);
});
