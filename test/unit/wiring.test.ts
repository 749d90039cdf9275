import { expect, it } from 'vitest';
import type { Cpf } from '#shared/domain/values/cpf.ts';
import { sandboxOutcome } from '#shared/wiring.ts';

it('sandboxOutcome forces the outcome of a test CPF in the sandbox, and never in production', () => {
  const cpf = '90000000337' as Cpf;
  expect(sandboxOutcome()('sandbox', cpf)).toBe('recusado');
  expect(sandboxOutcome()('producao', cpf)).toBeUndefined();
});
