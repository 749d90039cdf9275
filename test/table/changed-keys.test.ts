// Changes of the service's keys after an older version of their secret was put back, or if an answer is lost.

import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type AwsLike, startAwsLike } from '#infra/local/aws/aws-like.ts';
import { forgetServiceKeys, primeEncryption } from '#shared/table/rows/encryption.ts';
import { confirmIndexKeys } from '#shared/table/rows/index-keys.ts';
import {
  initServiceKeys,
  retireIndexKey,
  retireSealingKey,
  rotateIndexKey,
  rotateSealingKey,
  TableServiceKeys,
} from '#shared/table/sealing/service-keys.ts';
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
const indexName = async () => (await new TableServiceKeys().indexing()).name;
const rotateIndex = async () => rotateIndexKey(await indexName(), Date.now());
const retireIndex = async () => retireIndexKey(await indexName(), later());

/** Each change, with the step that makes it possible and the part of the keys that it changes. */
const CHANGES: readonly [string, () => Promise<unknown>, () => Promise<unknown>, () => unknown][] = [
  ['retire-sealing', rotateSealingKey, () => retireSealingKey(1, later()), () => Object.keys(held().sealing.keys)],
  ['retire-index', rotateIndex, retireIndex, () => [held().index, held().nextIndex]],
  ['rotate-sealing', rotateSealingKey, () => rotateSealingKey(), () => Object.keys(held().sealing.keys)],
  ['rotate-index', rotateSealingKey, rotateIndex, () => held().nextIndex !== undefined],
];

describe.each(CHANGES)('%s', (name, prepare, change, part) => {
  it(`${name} works again each time that an older version of the secret was put back`, async () => {
    await prepare();
    const before = part();
    await change();
    const changed = part();
    expect(changed).not.toEqual(before);
    for (let time = 0; time < 2; time++) {
      putBack(1);
      expect(part()).toEqual(before);
      await change();
      expect(part()).not.toEqual(before);
    }
    // The keys can be changed further from there.
    await rotateSealingKey();
  });

  it(`${name} refuses if it would change nothing, and works once its advice is followed`, async () => {
    await prepare();
    const before = part();
    await change();
    // An engineer puts back the version before, and then the wanted one. The labels are as before the first change.
    putBack(0);
    putBack(1);
    await expect(change()).rejects.toThrow('make its newest version the current one, then the wanted one');
    expect(part()).toEqual(before);
    putBack(2);
    putBack(1);
    await change();
    expect(part()).not.toEqual(before);
  });

  it(`${name} writes one version if the answer of Secrets Manager is lost`, async () => {
    await prepare();
    const number = versions().length;
    const lost = wire.order({ fault: 'answer_lost', service: 'secretsmanager', action: 'PutSecretValue' });
    await change();
    expect(lost.met).toBe(1);
    expect(versions()).toHaveLength(number + 1);
  });
});

it('retireSealingKey refuses the current key, and any key while functions may still seal by it', async () => {
  await expect(retireSealingKey(1, later())).rejects.toThrow('rotate first');
  await rotateSealingKey();
  await expect(retireSealingKey(1, Date.now())).rejects.toThrow('may still seal by an older version');
});

describe('retireSealingKey', () => {
  const kept = () => JSON.parse(peers.secrets.current(process.env['RETIRED_KEYS_SECRET']!));
  const [AT, COPIES] = [later(), 35 * DAY];
  beforeEach(async () => {
    await rotateSealingKey();
    await rotateSealingKey();
  });

  it('a retired sealing key is kept while a copy of the table lives, and the next retirement deletes it', async () => {
    const { keys } = held().sealing;
    const puts = [0, 1].map(() => wire.pause({ service: 'secretsmanager', action: 'PutSecretValue' }));
    const retired = retireSealingKey(1, AT);
    puts[0]!.release();
    await puts[1]!.reached;
    expect(held().sealing.keys[1]).toEqual(keys[1]);
    expect(kept()[1].key).toEqual(keys[1]);
    puts[1]!.release();
    expect(await retired).toBe(AT + COPIES);
    await retireSealingKey(2, AT + COPIES - 1);
    expect(kept()).toEqual({
      1: { key: keys[1], until: AT + COPIES },
      2: { key: keys[2], until: AT + 2 * COPIES - 1 },
    });
    await rotateSealingKey();
    await retireSealingKey(3, AT + COPIES);
    expect(Object.keys(kept())).toEqual(['2', '3']);
  });

  it('no sealing key is lost if two retirements come at once', async () => {
    const { keys } = held().sealing;
    const pause = wire.pause({ service: 'secretsmanager', action: 'PutSecretValue' });
    const late = expect(retireSealingKey(1, AT)).rejects.toThrow('someone else at this moment');
    await pause.reached;
    await retireSealingKey(2, AT);
    pause.release();
    await late;
    expect(held().sealing.keys[1]).toEqual(keys[1]);
    expect(kept()[2].key).toEqual(keys[2]);
  });
});

it('rotateSealingKey is refused if another rotation is written after its last read', async () => {
  await rotateSealingKey();
  await rotateSealingKey();
  putBack(1);
  const pause = wire.pause({ service: 'secretsmanager', action: 'PutSecretValue' });
  const late = expect(rotateSealingKey()).rejects.toThrow('someone else at this moment');
  await pause.reached;
  await rotateSealingKey();
  const made = text();
  pause.release();
  await late;
  expect(text()).toBe(made);
});

it('rotateSealingKey is refused if other keys are written between its reads', async () => {
  const reads = [0, 1].map(() => wire.pause({ service: 'secretsmanager', action: 'GetSecretValue' }));
  const late = expect(rotateSealingKey()).rejects.toThrow('someone else at this moment');
  reads[0]!.release();
  await reads[1]!.reached;
  setServiceKeys(peers.secrets);
  const made = text();
  reads[1]!.release();
  await late;
  expect(text()).toBe(made);
});

it('two rotations at once both succeed if the second continues from the keys of the first', async () => {
  const pauses = [0, 1, 2, 3].map(() => wire.pause({ service: 'secretsmanager', action: 'GetSecretValue' }));
  const early = rotateSealingKey();
  for (const pause of pauses.slice(0, 3)) pause.release();
  await pauses[3]!.reached;
  expect(await rotateSealingKey()).toBe(3);
  pauses[3]!.release();
  expect(await early).toBe(2);
});

it('a rotation is refused if a late read still shows the version before the last rotation as the current one', async () => {
  const act = peers.secrets.act.bind(peers.secrets);
  const past = act('GetSecretValue', { SecretId: process.env['KEYS_SECRET'] });
  await rotateSealingKey();
  const rotated = text();
  const late = vi
    .spyOn(peers.secrets, 'act')
    .mockImplementation((action, body) => (body['VersionStage'] === 'AWSCURRENT' ? past : act(action, body)));
  try {
    await expect(rotateSealingKey()).rejects.toThrow('the keys were changed from this state before');
  } finally {
    late.mockRestore();
  }
  expect(text()).toBe(rotated);
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

  it('confirmIndexKeys accepts a rotation, and refuses a foreign index key until the right one is back', async () => {
    await look();
    await look(rotateIndex);
    await look(retireIndex);
    const right = held();
    await expect(look(foreign)).rejects.toThrow(/^rows are found by index key \S+, and \S+ is held$/);
    await expect(look()).rejects.toThrow('is held');
    await look(() => setServiceKeys(peers.secrets, { keys: right }));
  });

  it('confirmIndexKeys refuses keys from before a rotation, since rows may lie under the newer key', async () => {
    await look();
    await look(rotateIndex);
    await expect(look(() => putBack(0))).rejects.toThrow('is held');
  });

  it('confirmIndexKeys fetches the keys again in a container that holds those from before a rotation', async () => {
    await look();
    const remembered = text();
    await look(rotateIndex);
    const rotated = text();
    // The container fetches the keys before the rotation, and checks them after it.
    peers.secrets.put({ SecretId: process.env['KEYS_SECRET']!, SecretString: remembered });
    forgetServiceKeys();
    await primeEncryption();
    peers.secrets.put({ SecretId: process.env['KEYS_SECRET']!, SecretString: rotated });
    await confirmIndexKeys();
    expect((await rowsOf('INDEXED#'))[0]!['names']).toHaveLength(2);
  });
});

it('keys init writes no keys after the service has lost its keys, because they would open none of its rows', async () => {
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
