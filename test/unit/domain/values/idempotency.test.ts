import { expect, it, test } from 'vitest';
import { canonicalJson, stillRunning } from '#shared/domain/values/idempotency.ts';

it('two bodies are compared by names in order at any depth, lists as they are, and no undefined value', () => {
  const body = { uf: 'SP', bancos: ['itau', 'bradesco'], extra: undefined, titular: { nome: 'A', cpf: null } };
  expect(canonicalJson(body)).toBe('{"bancos":["itau","bradesco"],"titular":{"cpf":null,"nome":"A"},"uf":"SP"}');
});

test.each([
  ['what is left of the lock, in whole seconds', 10_001, 11],
  ['two seconds at least', 1, 2],
  ['two seconds where the lock has just run out', 0, 2],
  ['a minute at most', 61_000, 60],
])('the failure while another run holds the key asks to wait for %s', (_, left, seconds) => {
  const failure = stillRunning(1_780_000_000_000 + left, 1_780_000_000_000);
  expect(failure.code).toBe('idempotencia_em_andamento');
  expect(failure.retryAfter).toBe(seconds);
});
