import { expect, it } from 'vitest';
import { REFERENCE_SOURCES } from '#shared/partner/docs/reference-source.ts';

it('the page of an event says what each answer of the receiver does', () => {
  const page = REFERENCE_SOURCES['analise.resultado'];
  expect(page).toContain('## Resposta 2XX\n');
  expect(page).toContain('- 410: O endereço não existe mais');
  expect(page).toContain('- 3XX: Conta como falha');
});

it('the page of the test event promises no further attempt', () => {
  const page = REFERENCE_SOURCES['webhook.teste'];
  expect(page).toContain('- outra: ');
  expect(page).not.toContain('É tentado de novo');
});

it('the page of an operation lists the codes of its failures', () => {
  const page = REFERENCE_SOURCES['withdraw-consent'];
  expect(page).toContain('## Códigos de erro');
  expect(page).toContain('[`idempotency_conflito`](erros.md#idempotency_conflito)');
});
