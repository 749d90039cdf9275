import { once } from 'node:events';
import { GetSecretValueCommand, PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterEach, expect, it, vi } from 'vitest';
import { DeadlineReached, deadlineSignal, withDeadline } from '#shared/runtime/deadline.ts';
import { putSecret } from '#shared/runtime/secret.ts';
import { parseServiceKeys } from '#shared/table/rows/encryption.ts';
import { changeServiceKeys, newServiceKeys } from '#shared/table/sealing/service-keys.ts';

process.env['KEYS_SECRET'] = 'keys';
const KEYS = newServiceKeys();
const TEXTS: Readonly<Record<string, string>> = { keys: KEYS };
afterEach(() => vi.restoreAllMocks());

/** Makes Secrets Manager answer a read only once the invocation is over, as if the container had been frozen. */
function frozen() {
  const written: string[] = [];
  const send = async (command: unknown, { abortSignal }: { abortSignal?: AbortSignal } = {}) => {
    if (command instanceof GetSecretValueCommand) {
      if (!abortSignal?.aborted) await once(abortSignal!, 'abort');
      const VersionId = command.input.VersionStage === 'AWSPREVIOUS' ? 'v0' : 'v1';
      return { SecretString: TEXTS[command.input.SecretId!], VersionId, CreatedDate: new Date() };
    }
    abortSignal?.throwIfAborted();
    if (command instanceof PutSecretValueCommand) written.push(command.input.SecretString!);
    return {};
  };
  vi.spyOn(SecretsManagerClient.prototype, 'send').mockImplementation(send as never);
  return written;
}

it('changeServiceKeys writes nothing once its invocation is over', async () => {
  const written = frozen();
  await expect(withDeadline(0, () => changeServiceKeys(1, Date.now()))).rejects.toThrow(DeadlineReached);
  expect(written).toEqual([]);
});

it('putSecret writes nothing once its invocation is over', async () => {
  const written = frozen();
  const late = async () => {
    await once(deadlineSignal()!, 'abort');
    await putSecret('operator', 'an older token');
  };
  await expect(withDeadline(5, late)).rejects.toThrow(DeadlineReached);
  expect(written).toEqual([]);
});

it('parseServiceKeys refuses a version that two bytes cannot hold', () => {
  const { index, sealing } = JSON.parse(KEYS);
  const [key] = Object.values(sealing.keys);
  const textOf = (version: number) =>
    JSON.stringify({ index, sealing: { current: version, keys: { [version]: key } } });
  expect(parseServiceKeys(textOf(65_535)).current).toBe(65_535);
  expect(() => parseServiceKeys(textOf(65_536))).toThrow();
});
