import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';
import { loadConfig } from '@smithy/core/config';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { SETTINGS, staticEndpoint } from '../../../infra/sdk-trimmings.ts';
import { STAGE_NAMES, stageValues } from '../../../infra/stages.ts';

interface Resolved {
  readonly url: URL;
  readonly properties?: object;
  readonly headers?: object;
}
type Resolver = (input: Readonly<Record<string, unknown>>) => Resolved;

const CLIENTS = [
  ['dynamodb', DynamoDBClient],
  ['secretsmanager', SecretsManagerClient],
  ['sqs', SQSClient],
] as const;
const REGIONS = [...new Set(STAGE_NAMES.map((name) => stageValues(name, {}).region))];

/** What the SDK's own rules say, and what the bundles have in their place. */
async function resolvers(service: string, Client: (typeof CLIENTS)[number][1]) {
  const { endpointProvider } = new Client({ region: 'us-east-1' }).config as unknown as { endpointProvider: Resolver };
  const module = await import(`data:text/javascript,${encodeURIComponent(staticEndpoint(service))}`);
  return { sdk: endpointProvider, own: module.defaultEndpointResolver as Resolver };
}

const plain = ({ url, properties = {}, headers = {} }: Resolved) => ({ url: url.href, properties, headers });

describe.each(CLIENTS)('the endpoint of %s', (service, Client) => {
  it.each([
    ...[...REGIONS, 'us-east-1', 'eu-central-1'].map((Region) => ({ Region })),
    { Region: 'sa-east-1', Endpoint: 'http://127.0.0.1:8000' },
  ])("is the one of the SDK's rules, or of the environment where it names one: %j", async (where) => {
    const { sdk, own } = await resolvers(service, Client);
    const asked = { UseDualStack: false, UseFIPS: false, ...where };
    expect(plain(own(asked))).toEqual(plain(sdk(asked)));
  });
});

describe('settings', () => {
  afterEach(() => vi.unstubAllEnvs());

  const NAME = 'SETTING_OF_A_TEST';
  const inEnvironment = (env: NodeJS.ProcessEnv) => env[NAME];
  const missing = () => {
    throw new Error('it is missing');
  };

  it.each([
    ['of the environment', 'set', () => 'default'],
    ['of the environment, empty', '', () => 'default'],
    ['nobody sets: a default', undefined, 'default'],
    ['nobody sets: a default that is made', undefined, async () => 'default'],
    ['nobody sets: no default', undefined, undefined],
    ['nobody sets, that must be there', undefined, missing],
  ])("are the SDK's where there are no configuration files: one %s", async (_, value, fallback) => {
    vi.stubEnv(NAME, value);
    vi.stubEnv('AWS_CONFIG_FILE', '/nowhere/config');
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', '/nowhere/credentials');
    const own = await import(`data:text/javascript,${encodeURIComponent(SETTINGS)}`);
    const settled = async (load: typeof loadConfig) => {
      const selectors = { environmentVariableSelector: inEnvironment, configFileSelector: () => undefined };
      const setting = load<string | undefined>({ ...selectors, default: fallback });
      return (await Promise.allSettled([setting(), setting()])).map((one) =>
        one.status === 'fulfilled' ? { found: one.value } : { failed: (one.reason as Error).message },
      );
    };
    expect(await settled(own.loadConfig)).toEqual(await settled(loadConfig));
  });
});
