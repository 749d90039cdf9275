import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { displayPrefix, makeApiKey } from '#shared/domain/partners/api-key.ts';
import type { PartnerId } from '#shared/domain/values/ids.ts';
import { holdsNoSecret, withoutSecrets } from '#shared/domain/values/secret-text.ts';
import { ENVIRONMENTS } from '#shared/domain/values/tenancy.ts';
import { newWebhookSecret } from '#shared/domain/webhooks/secret.ts';

const partner = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }) as fc.Arbitrary<PartnerId>;

it('withoutSecrets leaves of a key at most the start that lists show, at whatever length the key was cut', () => {
  fc.assert(
    fc.property(partner, fc.constantFrom(...ENVIRONMENTS), (id, environment) => {
      const key = makeApiKey(id, environment);
      const start = displayPrefix(key);
      for (let length = 1; length <= key.text.length; length++) {
        const given = key.text.slice(0, length);
        const isPublic = length <= start.length;
        expect(withoutSecrets(`leaked: "${given}", INC-42`)).toBe(
          `leaked: "${isPublic ? given : `${start}…`}", INC-42`,
        );
        expect(holdsNoSecret(given)).toBe(isPublic);
      }
    }),
  );
});

it('withoutSecrets leaves nothing of the secrets of webhooks', () => {
  expect(withoutSecrets(`old ${newWebhookSecret()}, new ${newWebhookSecret()}.`)).toBe('old whsec_…, new whsec_….');
  expect(holdsNoSecret(newWebhookSecret())).toBe(false);
});

it('holdsNoSecret is true for the form in which lists show a key, and for a text without keys', () => {
  expect(holdsNoSecret('INC-42: pmc_sandbox_00000001za1B2c…wXyZ was leaked')).toBe(true);
  expect(holdsNoSecret('INC-42')).toBe(true);
});
