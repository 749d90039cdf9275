// Changes of the service's keys where an older version of their secret was put back, and where an answer is lost.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AwsLike, startAwsLike } from '#infra/local/aws/aws-like.ts';
import { forgetServiceKeys, primeEncryption } from '#shared/table/rows/encryption.ts';
import { confirmIndexKeys } from '#shared/table/rows/index-keys.ts';
import {
  retireIndexKey,
  retireSealingKey,
  rotateIndexKey,
  rotateSealingKey,
  TableServiceKeys,
} from '#shared/table/sealing/service-keys.ts';
import { CALM, usePeers } from '../makers/peers.ts';
import { clearTable, rowsOf } from '../makers/rows.ts';
import { newKeys, putBackKeys, setServiceKeys } from '../makers/service-keys.ts';

const HOUR = 3_600_000;

const peers = usePeers();
/** Stands before Secrets Manager alone. */
let wire: AwsLike;
beforeAll(async () => {
  // The client that other files share keeps the address behind the wire.
  await primeEncryption();
  const address = process.env['AWS_ENDPOINT_URL_SECRETS_MANAGER']!;
  wire = await startAwsLike({ dynamodb: address, sqs: address, secretsmanager: address }, CALM);
  process.env['AWS_ENDPOINT_URL_SECRETS_MANAGER'] = wire.url;
});
afterAll(() => wire.close());

/** The number of the version that a test begins with. */
let first: number;
beforeEach(() => {
  setServiceKeys(peers.secrets);
  first = versions().length - 1;
});

const versions = () => peers.secrets['find'](process.env['KEYS_SECRET']).versions;
const text = () => peers.secrets.current(process.env['KEYS_SECRET']!);
const held = () => JSON.parse(text());
const putBack = (steps: number) => putBackKeys(peers.secrets, first + steps);
const later = () => Date.now() + HOUR;
const indexName = async () => (await new TableServiceKeys().indexing()).name;
const rotateIndex = async () => rotateIndexKey(await indexName(), Date.now());
const retireIndex = async () => retireIndexKey(await indexName(), later());

/** Each change, after what makes it possible, and what of the keys it changes. */
const CHANGES: readonly [string, () => Promise<unknown>, () => Promise<unknown>, () => unknown][] = [
  ['retire-sealing', rotateSealingKey, () => retireSealingKey(1, later()), () => Object.keys(held().sealing.keys)],
  ['retire-index', rotateIndex, retireIndex, () => [held().index, held().nextIndex]],
  ['rotate-sealing', rotateSealingKey, () => rotateSealingKey(), () => Object.keys(held().sealing.keys)],
  ['rotate-index', rotateSealingKey, rotateIndex, () => held().nextIndex !== undefined],
];

describe.each(CHANGES)('%s', (_, prepare, change, part) => {
  it('is made again after a version was put back, as often as that happens', async () => {
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
    // The keys go on being changed from there.
    await rotateSealingKey();
  });

  it('says so where it would change nothing, and what to do then helps', async () => {
    await prepare();
    const before = part();
    await change();
    // By hand to the version before, and from there to the wanted one: labels as before the first change.
    putBack(0);
    putBack(1);
    await expect(change()).rejects.toThrow('make its newest version the current one, then the wanted one');
    expect(part()).toEqual(before);
    putBack(2);
    putBack(1);
    await change();
    expect(part()).not.toEqual(before);
  });

  it('is made once where the answer of Secrets Manager is lost', async () => {
    await prepare();
    const number = versions().length;
    const lost = wire.order({ fault: 'answer_lost', service: 'secretsmanager', action: 'PutSecretValue' });
    await change();
    expect(lost.met).toBe(1);
    expect(versions()).toHaveLength(number + 1);
  });
});

it('a sealing key is retired neither while it is the current one nor while functions may seal by it', async () => {
  await expect(retireSealingKey(1, later())).rejects.toThrow('rotate first');
  await rotateSealingKey();
  await expect(retireSealingKey(1, Date.now())).rejects.toThrow('may still seal by an older version');
});

describe('a retired sealing key', () => {
  const kept = () => JSON.parse(peers.secrets.current(process.env['RETIRED_KEYS_SECRET']!));
  const [AT, COPIES] = [later(), 35 * 24 * HOUR];
  beforeEach(async () => {
    await rotateSealingKey();
    await rotateSealingKey();
  });

  it('is kept as long as a copy of the table lives, and goes with the next retirement after that', async () => {
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

  it('is nowhere lost while two retire at once', async () => {
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

it('of two changes at once: the later is refused after all its reading', async () => {
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

it('of two changes at once: the later is refused in the middle of its reading', async () => {
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

it('of two changes at once: both are told of success where the second goes on from the first', async () => {
  const pauses = [0, 1, 2, 3].map(() => wire.pause({ service: 'secretsmanager', action: 'GetSecretValue' }));
  const early = rotateSealingKey();
  for (const pause of pauses.slice(0, 3)) pause.release();
  await pauses[3]!.reached;
  expect(await rotateSealingKey()).toBe(3);
  pauses[3]!.release();
  expect(await early).toBe(2);
});

describe('the table’s own index key', () => {
  beforeEach(clearTable);

  /** The keys are changed so, and looked at by a container that has just started. */
  const look = async (change?: () => unknown) => {
    await change?.();
    forgetServiceKeys();
    return confirmIndexKeys();
  };
  const foreign = () => setServiceKeys(peers.secrets, { keys: { ...held(), index: newKeys().index } });

  it('is followed through a rotation; another that the secret holds is refused until it is right again', async () => {
    await look();
    await look(rotateIndex);
    await look(retireIndex);
    const right = held();
    await expect(look(foreign)).rejects.toThrow(/^rows are found by index key \S+, and \S+ is held$/);
    await expect(look()).rejects.toThrow('is held');
    await look(() => setServiceKeys(peers.secrets, { keys: right }));
  });

  it('is refused once a version from before the rotation is put back: rows may lie under the newer', async () => {
    await look();
    await look(rotateIndex);
    await expect(look(() => putBack(0))).rejects.toThrow('is held');
  });

  it('is not mistaken by a container that remembers the keys from before a rotation', async () => {
    await look();
    const remembered = text();
    await look(rotateIndex);
    const rotated = text();
    // Fetched before the rotation, and asked after it.
    peers.secrets.put({ SecretId: process.env['KEYS_SECRET']!, SecretString: remembered });
    forgetServiceKeys();
    await primeEncryption();
    peers.secrets.put({ SecretId: process.env['KEYS_SECRET']!, SecretString: rotated });
    await confirmIndexKeys();
    expect((await rowsOf('INDEXED#'))[0]!['names']).toHaveLength(2);
  });
});
