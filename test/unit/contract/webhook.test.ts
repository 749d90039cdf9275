import { expect, it } from 'vitest';
import { webhookViewBody } from '#shared/contract/webhook.ts';

it('webhookViewBody shows the address without the parts that may carry secrets', () => {
  const address = 'https://usuario:senha@parceiro.example/webhooks/credito?loja=7#x';
  const { webhook } = webhookViewBody('sandbox', { enabled: true, disabledBecause: undefined, url: address });
  const url = 'https://parceiro.example/webhooks/credito';
  expect(webhook).toMatchObject({ configurado: true, secret_configurado: true, url });
});

it('webhookViewBody shows that no address is set', () => {
  expect(webhookViewBody('sandbox', undefined).webhook).toMatchObject({
    configurado: false,
    secret_configurado: false,
    url: '',
  });
});
