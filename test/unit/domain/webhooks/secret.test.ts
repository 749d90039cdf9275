import { expect, it } from 'vitest';
import { newWebhookSecret } from '#shared/domain/webhooks/secret.ts';

it('newWebhookSecret returns whsec_ and the base64 of 32 bytes from the given source', () => {
  const bytes = Buffer.from('0123456789abcdef'.repeat(2));
  expect(newWebhookSecret((count) => bytes.subarray(0, count))).toBe(`whsec_${bytes.toString('base64')}`);
});

it('newWebhookSecret returns another secret each time', () => {
  expect(newWebhookSecret()).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(newWebhookSecret()).not.toBe(newWebhookSecret());
});
