import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { SecretStore } from '../../../infra/local/aws/secrets.ts';

const plan = { name: 'service/keys', arn: 'arn:aws:secretsmanager:sa-east-1:000000000000:secret:service/keys-local0' };

describe('kept in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'secrets-'));
  const file = join(folder, 'secrets.json');
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is there after a restart, readable by its owner only, and initialised once', () => {
    const first = new SecretStore(file);
    first.make([plan]);
    first.initialise(plan.name, () => 'first');
    const second = new SecretStore(file);
    second.make([plan]);
    second.initialise(plan.name, () => 'second');
    expect(second.current(plan.name)).toBe('first');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});
