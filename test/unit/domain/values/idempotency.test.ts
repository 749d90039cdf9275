import { expect, it, test } from 'vitest';
import { canonicalJson, stillRunning } from '#shared/domain/values/idempotency.ts';

it('canonicalJson sorts names at every depth, keeps the order of lists and drops undefined values', () => {
  const body = { uf: 'SP', bancos: ['itau', 'bradesco'], extra: undefined, titular: { nome: 'A', cpf: null } };
  expect(canonicalJson(body)).toBe('{"bancos":["itau","bradesco"],"titular":{"cpf":null,"nome":"A"},"uf":"SP"}');
});

test.each([
  ['the rest of the lock, rounded up to a whole second', 10_001, 11],
  ['two seconds if the lock ends within one second', 1, 2],
  ['two seconds if the lock has just ended', 0, 2],
  ['a minute if the lock lasts longer than a minute', 61_000, 60],
])('stillRunning asks the caller to wait for %s', (_, left, seconds) => {
  const failure = stillRunning(1_780_000_000_000 + left, 1_780_000_000_000);
  expect(failure.code).toBe('idempotencia_em_andamento');
  expect(failure.retryAfter).toBe(seconds);
});
