import { beforeAll, describe, expect, it } from 'vitest';
import type { LeadId } from '../../../shared/domain/values/ids.ts';
import { KEYS_KEPT } from '../../../shared/table/encryption.ts';
import { leadKey } from '../../../shared/table/keys.ts';
import { api } from '../../makers/api.ts';
import { endpointsOfPeers, type Manager, managerHere } from '../../makers/manager.ts';
import { type MadePartner, makePartner, usePeers } from '../../makers/peers.ts';
import { cpfFrom, leadBody } from '../../makers/people.ts';
import { damageSealed, rowsOf } from '../../makers/rows.ts';
import { newKeys, setServiceKeys } from '../../makers/service-keys.ts';
import { put } from '../../makers/walk.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** The longest that a run may go on with the keys that it began with. */
const LONGEST_RUN = 60_000;
const WHY = ['--reason', 'INC-7', '--yes'] as const;

const peers = usePeers();
let manager: Manager;
let partner: MadePartner;
beforeAll(async () => {
  manager = managerHere(endpointsOfPeers());
  setServiceKeys(peers.secrets);
  partner = await makePartner();
});

const after = (milliseconds: number) => ({ now: () => Date.now() + milliseconds });
const keys = (verb: string, options: readonly string[] = [], at = after(0)) => manager(['keys', verb, ...options], at);
const lead = async (number: number, headers = {}) =>
  Number(
    (await api('createLead', { key: partner.keys.sandbox, body: leadBody({ cpf: cpfFrom(number) }), headers })).body
      .lead_id,
  );
const held = () => JSON.parse(peers.secrets.current(process.env['KEYS_SECRET']!));
const tenancy = () => ({ unitId: partner.unitId, environment: 'sandbox' as const });

describe('the index key', () => {
  it('is rotated, CPFs follow, and the older can go once nothing lies under it: everyone is still found', async () => {
    const alone = await keys('reindex');
    expect([alone.code, alone.err]).toEqual([1, expect.stringContaining('there is one index key')]);
    const [one, kept, gone] = [await lead(1), await lead(2, { 'idempotency-key': 'kept' }), await lead(3)];
    const wish = ['--partner', partner.partnerId, '--unit', partner.unitId, '--token', 'once', '--json'].map(String);
    const created = (await keys('create', wish)).json();

    const began = Date.now();
    const rotated = await keys('rotate-index', [...WHY, '--json']);
    expect(rotated.code).toBe(0);
    // Every container that fetched the keys before has let go of them by then, and the runs that it had begun are over.
    expect(rotated.json().from).toBeGreaterThanOrEqual(began + KEYS_KEPT + LONGEST_RUN);
    const again = await keys('rotate-index', WHY, after(DAY));
    expect([again.code, again.err]).toEqual([1, expect.stringContaining('two index keys are held already')]);
    for (const verb of ['reindex', 'retire-index']) {
      const early = await keys(verb, verb === 'reindex' ? [] : WHY, after(rotated.json().from - Date.now()));
      expect([verb, early.code, early.err]).toEqual([
        verb,
        1,
        expect.stringContaining('may still write under the older'),
      ]);
    }

    const both = held();
    expect((await keys('rotate-sealing', WHY)).code).toBe(0);
    expect(held()).toMatchObject({ index: both.index, nextIndex: both.nextIndex });
    expect((await keys('create', wish)).json().key).toBe(created.key);

    const unmoved = await keys('retire-index', WHY, after(HOUR));
    expect([unmoved.code, unmoved.err]).toEqual([
      1,
      expect.stringContaining('3 CPFs are found by the older index key'),
    ]);
    // A person who was erased, whose row an erasure has left.
    await put({ ...leadKey(tenancy(), gone as LeadId), id: gone, erasingSince: 1, erasedAt: 2 });
    const moved = await keys('reindex', ['--json'], after(HOUR));
    expect([moved.code, moved.json()]).toEqual([0, expect.objectContaining({ moved: 2, removed: 1, done: true })]);
    const remembered = await keys('retire-index', WHY, after(HOUR));
    expect([remembered.code, remembered.err]).toEqual([
      1,
      expect.stringContaining('1 Idempotency-Keys are remembered under the older index key'),
    ]);
    const counted = await keys('reindex', ['--dry-run', '--json'], after(2 * DAY));
    expect(counted.json()).toMatchObject({ cpfs: 0, records: 0 });
    const retired = await keys('retire-index', WHY, after(2 * DAY));
    expect([retired.code, retired.err]).toEqual([0, expect.any(String)]);
    expect(held()).toMatchObject({ index: both.nextIndex.key, sealing: { current: 2 } });
    expect(held().nextIndex).toBeUndefined();
    expect([await lead(1), await lead(2), (await lead(3)) === gone]).toEqual([one, kept, false]);
  });

  it('stays while a CPF cannot be moved, whose row is named', async () => {
    setServiceKeys(peers.secrets, { keys: newKeys() });
    partner = await makePartner();
    const broken = await lead(11);
    await lead(12);
    // Rows of the first story are sealed by keys that are gone.
    expect((await keys('rotate-index', WHY)).code).toBe(0);
    await damageSealed(leadKey(tenancy(), broken as LeadId));
    const run = await keys('reindex', [], after(HOUR));
    const [row] = (await rowsOf('CPF#')).filter(({ leadId }) => leadId === broken);
    expect([run.code, run.err]).toEqual([1, expect.stringContaining(String(row!['pk']))]);
    expect((await keys('retire-index', WHY, after(HOUR))).err).toContain('are found by the older index key');
  });
});
