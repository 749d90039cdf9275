import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import type { Instant } from '#shared/domain/values/time.ts';
import { createKey } from '#shared/table/partners/api-keys.ts';
import { forgetDerivationKeys } from '#shared/table/rows/derivation-keys.ts';
import { forgetServiceKeys } from '#shared/table/rows/encryption.ts';
import { retireIndexKey, rotateIndexKey, TableServiceKeys } from '#shared/table/sealing/service-keys.ts';
import { type MadePartner, makePartner, usePeers } from './peers.ts';
import { clearTable } from './rows.ts';
import { newKeys, setServiceKeys } from './service-keys.ts';
import { holdClock, passTime, releaseClock } from './test-clock.ts';

/**
 * Returns steps of a story in which the index key is rotated and API keys are made with tokens. Each test begins with
 * new service keys and a partner. The clock is held.
 */
export function useRotations() {
  const peers = usePeers();
  const keys = new TableServiceKeys();
  let partner: MadePartner;
  let secrets: { readonly keys: string; readonly derivationKeys: string };

  async function begin(): Promise<void> {
    process.env['KEYS_SECRET'] = secrets.keys;
    process.env['DERIVATION_KEYS_SECRET'] = secrets.derivationKeys;
    await clearTable();
    setServiceKeys(peers.secrets, { keys: newKeys() });
    partner = await makePartner();
  }

  beforeAll(() => {
    holdClock();
    secrets = {
      keys: String(process.env['KEYS_SECRET']),
      derivationKeys: String(process.env['DERIVATION_KEYS_SECRET']),
    };
  });
  afterAll(releaseClock);
  beforeEach(begin);

  /** From now on this process knows only what the secrets hold now, as a container that has just started. */
  function startAgain(): void {
    forgetServiceKeys();
    forgetDerivationKeys();
  }

  function passUntil(moment: Instant): void {
    passTime(Math.max(0, moment - Date.now()));
    startAgain();
  }

  /** Returns the name of the only index key, or of the older of two. */
  const olderName = async () => (await keys.indexing()).name;

  /** Lets time pass until no row is written under the older of two index keys. */
  async function untilSettled(): Promise<void> {
    const { next } = await keys.indexing();
    passUntil(next?.settledAt ?? Date.now());
  }

  async function retire(): Promise<void> {
    await untilSettled();
    await retireIndexKey(await olderName(), Date.now());
    startAgain();
  }

  /** Returns the names of the index keys that are held. */
  async function held(): Promise<readonly string[]> {
    const { name, next } = await keys.indexing();
    return next ? [name, next.name].sort() : [name];
  }

  /** Returns the names of the index keys that have a derivation key. */
  function derivedFor(): readonly string[] {
    const text = peers.secrets.current(String(process.env['DERIVATION_KEYS_SECRET']));
    return Object.keys(JSON.parse(text)).sort();
  }

  const wanted = (token: string) =>
    ({ partnerId: partner.partnerId, unitId: partner.unitId, environment: 'sandbox', token }) as const;

  return {
    peers,
    keys,
    partner: () => partner,
    /** Begins with new service keys, and a partner whose rows they seal. */
    begin,
    startAgain,
    passUntil,
    untilSettled,
    olderName,
    held,
    derivedFor,
    /** Expects that each index key that is held has a derivation key. */
    async expectDerivationKeys(where: string): Promise<void> {
      expect(derivedFor(), where).toEqual(expect.arrayContaining([...(await held())]));
    },
    rotate: async () => rotateIndexKey(await olderName(), Date.now()),
    retire,
    /** What `createKey` is asked for: a sandbox key of the partner. */
    wanted,
    /** Makes the API key of a token, or finds it. Returns its text. */
    keyOf: async (token: string) => (await createKey(wanted(token), Date.now())).text,
    /** Puts empty secrets in the place of both, as a new stage has them. */
    emptySecrets(stage: string): void {
      const names = ['keys', 'derivation-keys'].map((end) => `partner-credit-${stage}/${end}`);
      peers.secrets.make(
        names.map((name) => ({ name, arn: `arn:aws:secretsmanager:sa-east-1:000000000000:secret:${name}-local0` })),
      );
      [process.env['KEYS_SECRET'], process.env['DERIVATION_KEYS_SECRET']] = names;
      startAgain();
    },
    /** Removes all derivation keys. */
    loseDerivationKeys(): void {
      peers.secrets.put({ SecretId: secrets.derivationKeys, SecretString: '{}' });
      startAgain();
    },
  };
}
