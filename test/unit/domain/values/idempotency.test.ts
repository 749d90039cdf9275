import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { canonicalJson, stillRunning } from '../../../../shared/domain/values/idempotency.ts';

describe('the text by which two bodies are compared', () => {
  it('has its names in order at any depth, lists as they are, and no undefined value', () => {
    const body = { uf: 'SP', bancos: ['itau', 'bradesco'], extra: undefined, titular: { nome: 'A', cpf: null } };
    expect(canonicalJson(body)).toBe('{"bancos":["itau","bradesco"],"titular":{"cpf":null,"nome":"A"},"uf":"SP"}');
  });

  const turned = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(turned)
      : typeof value === 'object' && value !== null
        ? Object.fromEntries(
            Object.entries(value)
              .reverse()
              .map(([name, part]) => [name, turned(part)]),
          )
        : value;

  it('holds everything, and depends on the content alone', () => {
    const content = fc.jsonValue({ maxDepth: 3 }).filter((value) => !JSON.stringify(value).includes('__proto__'));
    fc.assert(
      fc.property(content, (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(turned(value))).toBe(canonicalJson(value));
      }),
    );
  });
});

describe('the failure while another run holds the key', () => {
  test.each([
    ['what is left of the lock, in whole seconds', 10_001, 11],
    ['two seconds at least', 1, 2],
    ['two seconds where the lock has just run out', 0, 2],
    ['a minute at most', 61_000, 60],
  ])('asks to wait for %s', (_, left, seconds) => {
    const failure = stillRunning(1_780_000_000_000 + left, 1_780_000_000_000);
    expect([failure.code, failure.retryAfter]).toEqual(['idempotencia_em_andamento', seconds]);
  });
});
