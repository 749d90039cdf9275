import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { canonicalJson, stillRunning } from '../../../../shared/domain/values/idempotency.ts';

describe('the text by which two bodies are compared', () => {
  it('is the same whatever the order of the names, at any depth', () => {
    const one = { uf: 'SP', bancos: ['itau', 'bradesco'], titular: { nome: 'A', cpf: null } };
    const other = { titular: { cpf: null, nome: 'A' }, bancos: ['itau', 'bradesco'], uf: 'SP' };
    expect(canonicalJson(one)).toBe('{"bancos":["itau","bradesco"],"titular":{"cpf":null,"nome":"A"},"uf":"SP"}');
    expect(canonicalJson(other)).toBe(canonicalJson(one));
  });

  it('leaves undefined values out, and keeps the order of lists', () => {
    expect(canonicalJson({ b: undefined, a: [2, 1] })).toBe('{"a":[2,1]}');
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
