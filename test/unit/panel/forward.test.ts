import { beforeEach, describe, expect, it } from 'vitest';
import type { Sent } from '#bin/manager/administration-client.ts';
import { forward } from '#bin/manager/panel/forward.ts';

const PARTNERS = { ok: true, partners: [], next_cursor: null };

describe('forward', () => {
  let called: string[];
  beforeEach(() => {
    called = [];
  });
  const ask = (operation: string, sent: Sent) =>
    forward(
      async (name) => {
        called.push(name);
        return { status: 200, body: PARTNERS };
      },
      operation,
      sent,
    );

  it('forward returns the answer of the administration', async () => {
    expect(await ask('list-partners', { query: { name: 'casa' } })).toEqual({ status: 200, body: PARTNERS });
    expect(called).toEqual(['list-partners']);
  });

  it.each([
    'set-operator-token',
    'set-probe-key',
    'show-operator',
    'init-service-keys',
    'apply-erasure-ledger',
    'change-service-keys',
    'rewrite-rows',
    'retire-service-keys',
    'no-such-thing',
    'constructor',
  ])('forward never forwards %s', async (operation) => {
    expect(await ask(operation, {})).toMatchObject({ status: 404, body: { code: 'route_not_found' } });
    expect(called).toEqual([]);
  });

  it.each<Sent>([{ query: { unknown: '1' } }, { query: { limit: '0' } }, { body: { reason: 'x' } }])(
    'forward forwards nothing that does not fit the schemas: %j',
    async (sent) => {
      expect(await ask('list-partners', sent)).toMatchObject({ status: 400, body: { code: 'field_invalid' } });
      expect(called).toEqual([]);
    },
  );

  it('forward forwards a change only with its reason and its confirmation', async () => {
    const revoke = (body: object) =>
      ask('revoke-key', { params: { key_id: 'a1B2c' }, body: { partner_id: 5, ...body } });
    for (const body of [{}, { reason: 'x' }, { confirm: 'a1B2c' }]) expect((await revoke(body)).status).toBe(400);
    expect(called).toEqual([]);
    await revoke({ reason: 'INC-1', confirm: 'a1B2c' });
    expect(called).toEqual(['revoke-key']);
  });

  it('forward answers unavailable if nothing answers', async () => {
    const broken = () => Promise.reject(new Error('no connection'));
    expect(await forward(broken, 'list-partners', {})).toMatchObject({ status: 503, body: { code: 'unavailable' } });
  });
});
