import { expect, it } from 'vitest';
import { webhookViewBody } from '#shared/contract/webhook.ts';

it('shows the address without what may carry secrets', () => {
  const address = 'https://usuario:senha@parceiro.example/webhooks/credito?loja=7#x';
  const { webhook } = webhookViewBody({ enabled: true, disabledBecause: undefined, url: address });
  const url = 'https://parceiro.example/webhooks/credito';
  expect(webhook).toMatchObject({ configurado: true, secret_configurado: true, url });
});

it('shows that no address is set', () => {
  expect(webhookViewBody(undefined).webhook).toMatchObject({ configurado: false, secret_configurado: false, url: '' });
});
