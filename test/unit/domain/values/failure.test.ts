import { expect, it } from 'vitest';
import { Failure } from '../../../../shared/domain/values/failure.ts';

it('a failure has its code, and what else is known of it', () => {
  const cause = new Error('of the peer');
  const fields = [{ field: 'uf', reason: 'é obrigatório; preencha o campo' }];
  const details = { text: 'Um texto.', fields, retryAfter: 7, headers: { Allow: 'GET' }, cause };
  const failure = new Failure('campo_obrigatorio', details);
  expect(failure).toMatchObject({
    name: 'Failure',
    message: 'campo_obrigatorio',
    code: 'campo_obrigatorio',
    ...details,
  });
});

it('a failure that nothing else caused says so', () => {
  expect(Object.hasOwn(new Failure('nao_encontrado'), 'cause')).toBe(false);
});
