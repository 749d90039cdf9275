// Changes of the service's keys after an older version of their secret was put back, or if an answer is lost.

import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type AwsLike, startAwsLike } from '#infra/local/aws/aws-like.ts';
import { forgetServiceKeys, primeEncryption } from '#shared/table/rows/encryption.ts';
import { confirmIndexKeys } from '#shared/table/rows/index-keys.ts';
import { changeServiceKeys, heldKeys, initServiceKeys, retireServiceKeys } from '#shared/table/sealing/service-keys.ts';
import { CALM, usePeers } from '../makers/peers.ts';
import { clearTable, rowsOf } from '../makers/rows.ts';
import { newKeys, putBackKeys, setServiceKeys } from '../makers/service-keys.ts';

const DAY = 86_400_000;

const peers = usePeers();
/** Intercepts the calls to Secrets Manager only. */
let wire: AwsLike;
beforeAll(async () => {
  // The client that other files share must keep its address, so it is made before the address changes.
  await primeEncryption();
  const address = process.env['AWS_ENDPOINT_URL_SECRETS_MANAGER']!;
  wire = await startAwsLike({ dynamodb: address, sqs: address, secretsmanager: address }, CALM);
  process.env['AWS_ENDPOINT_URL_SECRETS_MANAGER'] = wire.url;
});
afterAll(() => wire.close());

/** Number of the secret's version with which a test begins. */
let first: number;
beforeEach(() => {
  setServiceKeys(peers.secrets);
  first = versions().length - 1;
});

const versions = () => peers.secrets['find'](process.env['KEYS_SECRET']).versions;
const text = () => peers.secrets.current(process.env['KEYS_SECRET']!);
const held = () => JSON.parse(text());
const putBack = (steps: number) => putBackKeys(peers.secrets, first + steps);
const later = () => Date.now() + DAY;
const change = async () => changeServiceKeys((await heldKeys()).current, Date.now());
/** Retires an old sealing key and the oldest index key. */
const retire = async (version = 1) => {
  const keys = await heldKeys();
  return retireServiceKeys(
    { versions: [version], names: keys.index.slice(0, 1).map(({ name }) => name) },
    keys,
    later(),
  );
};
const versionsHeld = () => Object.keys(held().sealing.keys);

/** Each change, with the step that makes it possible. */
const CHANGES: readonly [string, () => Promise<unknown>, () => Promise<unknown>][] = [
  ['changeServiceKeys', change, change],
  ['retireServiceKeys', change, retire],
];

describe.each(CHANGES)('%s', (name, prepare, act) => {
  const part = () => [versionsHeld(), held().index.length];

  it(`${name} works again each time that an older version of the secret was put back`, async () => {
    await prepare();
    const before = part();
    await act();
    const changed = part();
    expect(changed).not.toEqual(before);
    for (let time = 0; time < 2; time++) {
      putBack(1);
      expect(part()).toEqual(before);
      await act();
      expect(part()).not.toEqual(before);
    }
    // The keys can be changed further from there.
    await change();
  });

  it(`${name} refuses if it would change nothing, and works once its advice is followed`, async () => {
    await prepare();
    const before = part();
    await act();
    // An engineer puts back the version before, and then the wanted one. The labels are as before the first change.
    putBack(0);
    putBack(1);
    await expect(act()).rejects.toThrow('make its newest version the current one, then the wanted one');
    expect(part()).toEqual(before);
    putBack(2);
    putBack(1);
    await act();
    expect(part()).not.toEqual(before);
  });

  it(`${name} writes one version if the answer of Secrets Manager is lost`, async () => {
    await prepare();
    const number = versions().length;
    const lost = wire.order({ fault: 'answer_lost', service: 'secretsmanager', action: 'PutSecretValue' });
    await act();
    expect(lost.met).toBe(1);
    expect(versions()).toHaveLength(number + 1);
  });
});

it('a fourth index key is not made, and the sealing key is changed all the same', async () => {
  await change();
  await change();
  const { index } = held();
  expect(index).toHaveLength(3);
  await change();
  expect(held()).toMatchObject({ sealing: { current: 4 }, index });
});

it('changeServiceKeys changes nothing if another call has changed the keys', async () => {
  await change();
  const made = text();
  await expect(changeServiceKeys(1, Date.now())).rejects.toThrow('version 2 is the current one by now');
  expect(text()).toBe(made);
});

describe('retireServiceKeys', () => {
  const kept = () => JSON.parse(peers.secrets.current(process.env['RETIRED_KEYS_SECRET']!));
  const [AT, COPIES] = [later(), 35 * DAY];
  const retireAt = async (version: number, at: number) =>
    retireServiceKeys({ versions: [version], names: [] }, await heldKeys(), at);

  it('retireServiceKeys refuses keys that are not old, and any key while functions may still write with it', async () => {
    await expect(retireAt(1, AT)).rejects.toThrow('There is no old key');
    await change();
    await expect(retireAt(1, Date.now())).rejects.toThrow('may still write with old keys');
    await expect(retireAt(2, AT)).rejects.toThrow('only old keys can be retired');
    const keys = await heldKeys();
    const newest = { versions: [], names: [keys.index.at(-1)!.name] };
    await expect(retireServiceKeys(newest, keys, AT)).rejects.toThrow('only old keys can be retired');
    expect(held().sealing.current).toBe(2);
  });

  it('retireServiceKeys refuses if the keys were changed after the rows were looked at', async () => {
    await change();
    const keys = await heldKeys();
    await change();
    const looked = retireServiceKeys({ versions: [1], names: [] }, keys, AT + DAY);
    await expect(looked).rejects.toThrow('the keys were changed meanwhile');
  });

  it('retireServiceKeys removes an index key from between two others', async () => {
    await change();
    await change();
    const keys = await heldKeys();
    const [oldest, middle, newest] = held().index;
    await retireServiceKeys({ versions: [], names: [keys.index[1]!.name] }, keys, AT + DAY);
    expect(middle).toBeDefined();
    expect(held().index).toEqual([oldest, newest]);
    expect(versionsHeld()).toEqual(['1', '2', '3']);
  });

  it('a retired sealing key is kept while a copy of the table lives, and the next retirement deletes it', async () => {
    await change();
    await change();
    const { keys } = held().sealing;
    const puts = [0, 1].map(() => wire.pause({ service: 'secretsmanager', action: 'PutSecretValue' }));
    const retired = retireAt(1, AT);
    puts[0]!.release();
    await puts[1]!.reached;
    expect(held().sealing.keys[1]).toEqual(keys[1]);
    expect(kept()[1].key).toEqual(keys[1]);
    puts[1]!.release();
    expect(await retired).toBe(AT + COPIES);
    await retireAt(2, AT + COPIES - 1);
    expect(kept()).toEqual({
      1: { key: keys[1], until: AT + COPIES },
      2: { key: keys[2], until: AT + 2 * COPIES - 1 },
    });
    await change();
    await retireAt(3, AT + COPIES);
    expect(Object.keys(kept())).toEqual(['2', '3']);
  });

  it('no sealing key is lost if two retirements come at once', async () => {
    await change();
    await change();
    const { keys } = held().sealing;
    const pause = wire.pause({ service: 'secretsmanager', action: 'PutSecretValue' });
    const late = expect(retireAt(1, AT)).rejects.toThrow('someone else at this moment');
    await pause.reached;
    await retireAt(2, AT);
    pause.release();
    await late;
    expect(held().sealing.keys[1]).toEqual(keys[1]);
    expect(kept()[2].key).toEqual(keys[2]);
  });
});

it('changeServiceKeys is refused if another change is written after its last read', async () => {
  await change();
  await change();
  putBack(1);
  const pause = wire.pause({ service: 'secretsmanager', action: 'PutSecretValue' });
  const late = expect(change()).rejects.toThrow('someone else at this moment');
  await pause.reached;
  await change();
  const made = text();
  pause.release();
  await late;
  expect(text()).toBe(made);
});

it('changeServiceKeys is refused if other keys are written between its reads', async () => {
  const reads = [0, 1].map(() => wire.pause({ service: 'secretsmanager', action: 'GetSecretValue' }));
  const late = expect(changeServiceKeys(1, Date.now())).rejects.toThrow('someone else at this moment');
  reads[0]!.release();
  await reads[1]!.reached;
  setServiceKeys(peers.secrets);
  const made = text();
  reads[1]!.release();
  await late;
  expect(text()).toBe(made);
});

it('two changes at once both succeed if the second continues from the keys of the first', async () => {
  const pauses = [0, 1, 2, 3].map(() => wire.pause({ service: 'secretsmanager', action: 'GetSecretValue' }));
  const early = changeServiceKeys(1, Date.now());
  for (const pause of pauses.slice(0, 3)) pause.release();
  await pauses[3]!.reached;
  await change();
  pauses[3]!.release();
  await early;
  expect(versionsHeld()).toEqual(['1', '2', '3']);
});

it('changeServiceKeys is refused if a late read still shows the version before the last change', async () => {
  const act = peers.secrets.act.bind(peers.secrets);
  const past = act('GetSecretValue', { SecretId: process.env['KEYS_SECRET'] });
  await change();
  const changed = text();
  const late = vi
    .spyOn(peers.secrets, 'act')
    .mockImplementation((action, body) => (body['VersionStage'] === 'AWSCURRENT' ? past : act(action, body)));
  try {
    await expect(change()).rejects.toThrow('the keys were changed from this state before');
  } finally {
    late.mockRestore();
  }
  expect(text()).toBe(changed);
});

describe('confirmIndexKeys', () => {
  beforeEach(clearTable);

  /** Changes the keys, and checks them as a container does that has just started. */
  const look = async (change?: () => unknown) => {
    await change?.();
    forgetServiceKeys();
    return confirmIndexKeys();
  };
  const foreign = () => setServiceKeys(peers.secrets, { keys: { ...held(), index: newKeys().index } });

  it('confirmIndexKeys accepts a change, and refuses a foreign index key until the right one is back', async () => {
    await look();
    await look(change);
    await look(retire);
    const right = held();
    await expect(look(foreign)).rejects.toThrow(/^rows are found by index key \S+, and \S+ is held$/);
    await expect(look()).rejects.toThrow('is held');
    await look(() => setServiceKeys(peers.secrets, { keys: right }));
  });

  it('confirmIndexKeys refuses keys from before a change, since rows may lie under the newest index key', async () => {
    await look();
    await look(change);
    await expect(look(() => putBack(0))).rejects.toThrow('is held');
  });

  it('confirmIndexKeys fetches the keys again in a container that holds those from before a change', async () => {
    await look();
    const remembered = text();
    await look(change);
    const changed = text();
    // The container fetches the keys before the change, and checks them after it.
    peers.secrets.put({ SecretId: process.env['KEYS_SECRET']!, SecretString: remembered });
    forgetServiceKeys();
    await primeEncryption();
    peers.secrets.put({ SecretId: process.env['KEYS_SECRET']!, SecretString: changed });
    await confirmIndexKeys();
    expect((await rowsOf('INDEXED#'))[0]!['names']).toHaveLength(2);
  });
});

it('initServiceKeys writes no keys after the service has lost its keys, because they would open none of its rows', async () => {
  await clearTable();
  await confirmIndexKeys();
  const lost = process.env['KEYS_SECRET']!;
  const name = 'partner-credit-lost/keys';
  peers.secrets.make([{ name, arn: `arn:aws:secretsmanager:sa-east-1:000000000000:secret:${name}` }]);
  process.env['KEYS_SECRET'] = name;
  try {
    await expect(initServiceKeys()).rejects.toThrow(
      /^this is no new stage: rows of the table are found by index key \S+,/,
    );
    expect(peers.secrets['find'](name).versions).toHaveLength(0);
    await clearTable();
    await initServiceKeys();
    expect(peers.secrets['find'](name).versions).toHaveLength(1);
  } finally {
    process.env['KEYS_SECRET'] = lost;
    forgetServiceKeys();
  }
});
