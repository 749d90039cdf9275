import { afterEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod/mini';
import {
  ADMINISTRATION_CODES,
  ADMINISTRATION_FAILURES,
  type AdministrationCode,
  AdministrationFailure,
} from '#shared/administration/failures.ts';
import { FAILURE_CODES, Failure, type FailureCode } from '#shared/domain/values/failure.ts';
import { administrationReply, failedReply, recordAdministration } from '#shared/http/administration/reply.ts';
import { requestIdOf } from '#shared/http/request.ts';
import { SafeError } from '#shared/runtime/log.ts';
import { noteTableUse, takeTableUse } from '#shared/runtime/metrics.ts';
import { captureLogLines, makeCall } from '#test/makers/partner-call.ts';

/** The administration's codes for failures of shared checks and adapters. All other failures are internal errors. */
const HERE: Partial<Record<FailureCode, AdministrationCode>> = {
  json_invalido: 'invalid_json',
  tipo_nao_suportado: 'unsupported_media_type',
  corpo_muito_grande: 'body_too_large',
  campo_invalido: 'field_invalid',
  servico_indisponivel: 'unavailable',
  tempo_esgotado: 'timed_out',
};

async function failed(error: unknown) {
  const call = makeCall();
  let reply: ReturnType<typeof failedReply> | undefined;
  const lines = await captureLogLines(() => {
    reply = failedReply(call, error);
  });
  const { statusCode, headers, body } = reply!;
  return { status: statusCode, headers: headers!, body: JSON.parse(body), id: requestIdOf(call.event), lines };
}

it('an answer of the administration is 200, keeps only the fields of its schema and is not stored', () => {
  const schema = z.object({ ok: z.literal(true), name: z.string() });
  const call = makeCall();
  const reply = administrationReply(call, schema, { ok: true, name: 'a', secret: 'b' });
  expect(reply).toMatchObject({ statusCode: 200, body: '{"ok":true,"name":"a"}' });
  expect(reply.headers).toMatchObject({ 'Cache-Control': 'no-store', 'X-Request-Id': requestIdOf(call.event) });
  expect(() => administrationReply(call, schema, { ok: true })).toThrow(z.core.$ZodError);
});

describe('failedReply', () => {
  it.each(ADMINISTRATION_CODES)(
    'the failure %s has the status, the sentence and the Retry-After of its code',
    async (code) => {
      const { status, headers, body, id } = await failed(new AdministrationFailure(code));
      const { status: wanted, error, retryAfter } = ADMINISTRATION_FAILURES[code];
      expect(status).toBe(wanted);
      expect(body).toEqual({ ok: false, error, code, request_id: id });
      expect(headers['Retry-After']).toBe(retryAfter === undefined ? undefined : String(retryAfter));
      expect(headers['X-Request-Id']).toBe(id);
    },
  );

  it.each(FAILURE_CODES)(
    'the failure %s of a shared check or an adapter has a code of the administration',
    async (code) => {
      const { body, lines } = await failed(new Failure(code));
      const wanted = HERE[code] ?? 'internal_error';
      expect(body).toMatchObject({ code: wanted, error: ADMINISTRATION_FAILURES[wanted].error });
      expect(body).not.toHaveProperty('fields');
      expect(lines.map((line) => line['code'])).toEqual(wanted === 'internal_error' ? ['request_failed'] : []);
    },
  );

  const repeated = [{ field: 'a', reason: 'came more than once' }];
  it.each<[FailureCode, unknown]>([
    ['json_invalido', repeated],
    ['campo_invalido', repeated],
    // The reasons of other failures are in Portuguese.
    ['servico_indisponivel', undefined],
  ])(
    'a repeated name is named in English, and other failures of shared checks name no field: %s',
    async (code, fields) => {
      const { body } = await failed(new Failure(code, { fields: [{ field: 'a', reason: 'veio repetido' }] }));
      expect(body.fields).toEqual(fields);
    },
  );

  const peer = new Failure('servico_indisponivel', { cause: new RangeError('x') });
  const unknown = (cause: unknown) => new AdministrationFailure('outcome_unknown', { cause });
  it.each<[string, Error, object[]]>([
    [
      'a failure that a peer caused',
      peer,
      [{ code: 'service_unavailable', errors: [{ name: 'Failure' }, { name: 'RangeError' }] }],
    ],
    ['no line for a refusal', new AdministrationFailure('not_found'), []],
    [
      'the error behind an unknown outcome',
      unknown(new TypeError('x')),
      [{ code: 'request_failed', errors: [{ name: 'TypeError' }] }],
    ],
    ['the peer behind an unknown outcome', unknown(peer), [{ code: 'service_unavailable' }]],
    ['no line for a refusal behind an unknown outcome', unknown(new Failure('servico_indisponivel')), []],
  ])('the log has %s', async (_, error, lines) => {
    expect((await failed(error)).lines).toMatchObject(lines);
  });
});

describe('recordAdministration', () => {
  const BEGUN = Date.UTC(2026, 10, 21);
  afterEach(() => void vi.useRealTimers());

  it.each<[string, number, unknown, object]>([
    ['a call that is done', 200, undefined, {}],
    ['a refused call', 422, new SafeError('x'), { failure: 'refused' }],
    ['a failed call', 500, new TypeError('x'), { failure: 'internal_error' }],
  ])('%s writes one line of the log and no metric', async (_, status, error, failure) => {
    vi.useFakeTimers({ now: BEGUN + 40, toFake: ['Date'] });
    takeTableUse();
    const call = { ...makeCall(), startedAt: BEGUN };
    noteTableUse(2);
    const lines = await captureLogLines(() => recordAdministration(call, status, error));
    expect(lines).toHaveLength(1);
    const line = { code: 'request_completed', status, milliseconds: 40, table_calls: 1, table_units: 2 };
    expect(lines[0]).toMatchObject({ ...line, ...failure });
    expect('failure' in lines[0]!).toBe('failure' in failure);
  });
});
