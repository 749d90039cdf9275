import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DescribeSecretCommand, GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CREDENTIALS } from '../../../infra/local/aws/dynamodb.ts';
import { SecretStore, startSecrets } from '../../../infra/local/aws/secrets.ts';
import type { LocalServer } from '../../../infra/local/listen.ts';

const plan = { name: 'service/keys', arn: 'arn:aws:secretsmanager:sa-east-1:000000000000:secret:service/keys-local0' };

describe('by the SDK', () => {
  let server: LocalServer;
  let client: SecretsManagerClient;
  beforeEach(async () => {
    const store = new SecretStore(undefined);
    store.make([plan]);
    server = await startSecrets(store);
    client = new SecretsManagerClient({ endpoint: server.url, region: 'sa-east-1', credentials: CREDENTIALS });
  });
  afterEach(async () => {
    client.destroy();
    await server.close();
  });

  it('has the template’s secrets and no other, empty as on AWS', async () => {
    for (const SecretId of [plan.arn, 'none'])
      await expect(client.send(new GetSecretValueCommand({ SecretId }))).rejects.toMatchObject({
        name: 'ResourceNotFoundException',
        $metadata: { httpStatusCode: 400 },
      });
    expect((await client.send(new DescribeSecretCommand({ SecretId: plan.name }))).ARN).toBe(plan.arn);
  });
});

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
