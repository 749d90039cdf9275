import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { SecretStore } from '#infra/local/aws/secrets.ts';

const plan = { name: 'service/keys', arn: 'arn:aws:secretsmanager:sa-east-1:000000000000:secret:service/keys-local0' };

it('a secret in a file survives a restart, only its owner can read it, and it is initialised once', () => {
  const folder = mkdtempSync(join(tmpdir(), 'secrets-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'secrets.json');
  for (const secret of ['first', 'second']) {
    const store = new SecretStore(file);
    store.make([plan]);
    store.initialise(plan.name, () => secret);
    expect(store.current(plan.name)).toBe('first');
  }
  expect(statSync(file).mode & 0o777).toBe(0o600);
});
