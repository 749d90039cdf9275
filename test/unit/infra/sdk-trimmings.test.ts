import { loadConfig } from '@smithy/core/config';
import { afterEach, expect, it, vi } from 'vitest';
import { SETTINGS } from '#infra/sdk-trimmings.ts';

afterEach(() => vi.unstubAllEnvs());

const NAME = 'SETTING_OF_A_TEST';
const inEnvironment = (env: NodeJS.ProcessEnv) => env[NAME];
const missing = () => {
  throw new Error('it is missing');
};

it.each([
  ['a setting of the environment', 'set', () => 'default'],
  ['an empty setting of the environment', '', () => 'default'],
  ['a default', undefined, 'default'],
  ['a default from a function', undefined, async () => 'default'],
  ['no setting and no default', undefined, undefined],
  ['a missing setting that is required', undefined, missing],
])('without configuration files, SETTINGS finds the same as the SDK for %s', async (_, value, fallback) => {
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
