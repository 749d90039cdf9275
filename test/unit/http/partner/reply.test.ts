import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { FAILURES } from '#shared/contract/failures.ts';
import { FAILURE_CODES, Failure } from '#shared/domain/values/failure.ts';
import { answer, failureReplyOf, fileAnswer, replyOf } from '#shared/http/partner/reply.ts';
import { publicReply } from '#shared/http/public-reply.ts';
import { requestIdOf } from '#shared/http/request.ts';
import { gatewayEvent } from '#test/makers/call.ts';
import { captureLogLines, makeCall, makeCaller } from '#test/makers/partner-call.ts';

const CALLER = makeCaller();
const COMMON = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Strict-Transport-Security': 'max-age=31536000',
};
const RATE = { 'RateLimit-Policy': '"padrao";q=120;w=60', RateLimit: '"padrao";r=117;t=42' };

it('the answer to HEAD has no body and the same headers', () => {
  const call = makeCall({}, { caller: CALLER });
  const reply = { status: 200, body: '{"ok":true}' };
  const head = { ...call, event: { ...call.event, httpMethod: 'HEAD' } };
  expect(replyOf(head, reply)).toEqual({ ...replyOf(call, reply), body: '' });
});

it('the answer with a file has the file’s type and name, and browsers show it in place', () => {
  const file = { type: 'application/pdf', name: 'simulacao-7.pdf' };
  const content = Uint8Array.of(0x25, 0x50, 0x44, 0x46, 0xff);
  const reply = replyOf(makeCall({}, { caller: CALLER }), fileAnswer(file, content));
  const own = { 'Content-Type': file.type, 'Content-Disposition': 'inline; filename="simulacao-7.pdf"' };
  const headers = { ...COMMON, ...RATE, ...own };
  expect(reply).toMatchObject({ statusCode: 200, isBase64Encoded: true, headers });
  expect(reply.body).toBe(Buffer.from(content).toString('base64'));
});

it('an answer keeps only the fields of its schema, and throws for a value that breaks the schema', () => {
  const schema = z.object({ ok: z.literal(true), id: z.int() });
  const given = { ok: true as const, id: 7, cpf: 'x' };
  expect(answer(201, schema, given)).toEqual({ status: 201, body: '{"ok":true,"id":7}' });
  expect(() => answer(201, schema, { ok: true, id: 0.5 })).toThrow(z.core.$ZodError);
});

it('an answer without a key has the common headers, and own headers replace them', () => {
  const event = gatewayEvent({ method: 'GET', path: '/docs' });
  const headers = { ...COMMON, 'X-Request-Id': requestIdOf(event) };
  expect(publicReply(event, 200, 'x')).toEqual({ statusCode: 200, headers, body: 'x' });
  const html = { 'Content-Type': 'text/html' };
  expect(publicReply(event, 404, 'x', html).headers).toEqual({ ...headers, ...html });
});

describe('failureReplyOf', () => {
  const failed = async (error: unknown, caller = CALLER) => {
    const call = makeCall({}, { caller });
    let reply: ReturnType<typeof failureReplyOf> | undefined;
    const lines = await captureLogLines(() => {
      reply = failureReplyOf(call, error);
    });
    const { statusCode, headers, body } = reply!;
    return { status: statusCode, headers: headers!, body: JSON.parse(body), id: requestIdOf(call.event), lines };
  };

  it.each(FAILURE_CODES)(
    'the failure %s has the status and the sentence of its code, the link to the guide and the rate',
    async (code) => {
      const { status, headers, body, id, lines } = await failed(new Failure(code));
      const { status: wanted, erro, retryAfter } = FAILURES[code];
      expect(status).toBe(wanted);
      expect(body).toEqual({ erro, codigo: code, request_id: id });
      const Link = `</docs/erros#${code}>; rel="help"`;
      expect(headers).toMatchObject({ ...COMMON, ...RATE, 'X-Request-Id': id, Link });
      expect(headers['Retry-After']).toBe(retryAfter === undefined ? undefined : String(retryAfter));
      expect(lines).toEqual([]);
    },
  );

  it('an unforeseen error is a bare 500, and the log has its name and place without personal data', async () => {
    const { status, body, id, lines } = await failed(new TypeError('900.000.001-75'));
    expect(status).toBe(500);
    expect(body).toEqual({ erro: FAILURES.erro_interno.erro, codigo: 'erro_interno', request_id: id });
    expect(lines).toMatchObject([{ level: 'ERROR', code: 'request_failed', errors: [{ name: 'TypeError' }] }]);
    expect(JSON.stringify(lines)).not.toContain('900.000.001-75');
    expect(JSON.stringify(lines)).not.toContain('90000000175');
  });

  it('the log has a failure together with its cause', async () => {
    const { lines } = await failed(new Failure('servico_indisponivel', { cause: new RangeError('x') }));
    const errors = [{ name: 'Failure' }, { name: 'RangeError' }];
    expect(lines).toMatchObject([{ level: 'ERROR', code: 'service_unavailable', errors }]);
  });
});
