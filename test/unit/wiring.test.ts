import { expect, it, vi } from 'vitest';
import type { Cpf } from '#shared/domain/values/cpf.ts';
import { sandboxOutcome, stopwatch } from '#shared/wiring.ts';

it('sandboxOutcome forces the outcome of a test CPF in the sandbox, and never in production', () => {
  const cpf = '90000000337' as Cpf;
  expect(sandboxOutcome()('sandbox', cpf)).toBe('recusado');
  expect(sandboxOutcome()('producao', cpf)).toBeUndefined();
});

it('a stopwatch measures on if the clock is corrected by four minutes', () => {
  const measured = stopwatch();
  const before = measured();
  vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 240_000);
  expect(measured() - before).toBeLessThan(60_000);
});
