import { expect, it } from 'vitest';
import { webhookViewBody } from '../../../shared/contract/webhook.ts';

it('shows the address without what may carry secrets', () => {
  const { webhook } = webhookViewBody({
    ...{ enabled: true, disabledBecause: undefined },
    url: 'https://usuario:senha@parceiro.example/webhooks/credito?loja=7#x',
  });
  expect(webhook).toMatchObject({
    configurado: true,
    secret_configurado: true,
    url: 'https://parceiro.example/webhooks/credito',
  });
});

it('shows that no address is set', () => {
  expect(webhookViewBody(undefined).webhook).toMatchObject({ configurado: false, secret_configurado: false, url: '' });
});
