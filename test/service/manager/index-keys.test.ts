import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { LeadId } from '../../../shared/domain/values/ids.ts';
import { SECRET_KEPT } from '../../../shared/runtime/secret.ts';
import { forgetServiceKeys } from '../../../shared/table/encryption.ts';
import { leadKey } from '../../../shared/table/keys.ts';
import { administration, because } from '../../makers/administration.ts';
import { api } from '../../makers/api.ts';
import { type MadePartner, makePartner, usePeers } from '../../makers/peers.ts';
import { cpfFrom, leadBody } from '../../makers/people.ts';
import { clearTable, damageSealed, rowsOf } from '../../makers/rows.ts';
import { useManager } from '../../makers/served-administration.ts';
import { newKeys, setServiceKeys } from '../../makers/service-keys.ts';
import { holdClock, passTime, releaseClock } from '../../makers/test-clock.ts';
import { put } from '../../makers/walk.ts';

const HOUR = 3_600_000;
/** The longest that a run may go on with the keys that it began with. */
const LONGEST_RUN = 60_000;
const WHY = ['--reason', 'INC-7', '--yes'] as const;

const peers = usePeers();
const manager = useManager(peers);
let partner: MadePartner;
beforeAll(async () => {
  holdClock();
});
afterAll(releaseClock);
beforeEach(async () => {
  // Rows of another test lie under keys that this one does not have.
  await clearTable();
  setServiceKeys(peers.secrets, { keys: newKeys() });
  partner = await makePartner();
});

const keys = (verb: string, options: readonly string[] = []) => manager(['keys', verb, ...options]);
const lead = async (number: number, headers = {}) =>
  Number(
    (await api('createLead', { key: partner.keys.sandbox, body: leadBody({ cpf: cpfFrom(number) }), headers })).body
      .lead_id,
  );
const held = () => JSON.parse(peers.secrets.current(process.env['KEYS_SECRET']!));
const tenancy = () => ({ unitId: partner.unitId, environment: 'sandbox' as const });
/** So much time has passed, and the containers of this process have fetched the keys anew. */
const later = (milliseconds: number) => {
  passTime(milliseconds);
  forgetServiceKeys();
};

describe('the index key', () => {
  it('is rotated, CPFs follow, and the older can go once nothing lies under it: everyone is still found', async () => {
    for (const [verb, options] of [
      ['reindex', []],
      ['reindex', ['--dry-run']],
      ['retire-index', WHY],
    ] as const) {
      const alone = await keys(verb, options);
      expect([alone.code, alone.err]).toEqual([1, expect.stringContaining('there is one index key')]);
    }
    const [one, kept, gone] = [await lead(1), await lead(2, { 'idempotency-key': 'kept' }), await lead(3)];
    const wish = ['--partner', partner.partnerId, '--unit', partner.unitId, '--token', 'once', '--json'].map(String);
    const created = (await keys('create', wish)).json();

    const began = Date.now();
    const rotated = await keys('rotate-index', [...WHY, '--json']);
    expect([rotated.code, rotated.err]).toEqual([0, expect.stringContaining('keys reindex')]);
    // Every container that fetched the keys before has let go of them by then, and the runs that it had begun are over.
    expect(rotated.json().takesOverAt).toBeGreaterThanOrEqual(began + SECRET_KEPT + LONGEST_RUN);
    const again = await keys('rotate-index', WHY);
    expect([again.code, again.err]).toEqual([1, expect.stringContaining('two index keys are held already')]);
    later(rotated.json().takesOverAt - Date.now());
    for (const [verb, options] of [
      ['reindex', []],
      ['retire-index', WHY],
    ] as const) {
      const early = await keys(verb, options);
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

    later(HOUR);
    const unmoved = await keys('retire-index', WHY);
    expect([unmoved.code, unmoved.err]).toEqual([
      1,
      expect.stringContaining('3 CPFs are found by the older index key'),
    ]);
    // A person who was erased, whose row an erasure has left.
    await put({ ...leadKey(tenancy(), gone as LeadId), id: gone, erasingSince: 1, erasedAt: 2 });
    const moved = await keys('reindex', ['--json']);
    expect([moved.code, moved.json()]).toEqual([0, expect.objectContaining({ moved: 2, removed: 1, done: true })]);
    const counted = (await keys('reindex', ['--dry-run', '--json'])).json();
    expect(counted).toMatchObject({ cpfs: 0, records: 1, takesOverAt: rotated.json().takesOverAt });
    const remembered = await keys('retire-index', WHY);
    expect([remembered.code, remembered.err]).toEqual([
      1,
      expect.stringContaining('1 Idempotency-Keys are remembered under the older index key'),
    ]);
    later(counted.recordsUntil - Date.now() + 1_000);
    expect((await keys('reindex', ['--dry-run', '--json'])).json()).toMatchObject({ cpfs: 0, records: 0 });
    const retired = await keys('retire-index', WHY);
    expect([retired.code, retired.err]).toEqual([0, expect.any(String)]);
    expect(held()).toMatchObject({ index: both.nextIndex.key, sealing: { current: 2 } });
    expect(held().nextIndex).toBeUndefined();
    forgetServiceKeys();
    expect([await lead(1), await lead(2), (await lead(3)) === gone]).toEqual([one, kept, false]);

    const audit = (await manager(['audit', 'list', '--service', '--json'])).json();
    const noted = audit.map(({ action, outcome }: Record<string, string>) => `${action} ${outcome}`);
    for (const one of [
      'rotate-index-key done',
      'reindex-rows done',
      'retire-index-key failed',
      'retire-index-key done',
    ])
      expect(noted).toContain(one);
  });

  it('stays while a CPF cannot be moved, whose row is named', async () => {
    const broken = await lead(11);
    await lead(12);
    expect((await keys('rotate-index', WHY)).code).toBe(0);
    await damageSealed(leadKey(tenancy(), broken as LeadId));
    later(HOUR);
    const run = await keys('reindex');
    const [row] = (await rowsOf('CPF#')).filter(({ leadId }) => leadId === broken);
    expect([run.code, run.err]).toEqual([1, expect.stringContaining(String(row!['pk']))]);
    expect((await keys('retire-index', WHY)).err).toContain('are found by the older index key');
  });

  it('names, carried on, the CPFs too that could not be moved before it was cut off', async () => {
    const leads = await Promise.all(Array.from({ length: 60 }, (_, number) => lead(200 + number)));
    expect((await keys('rotate-index', WHY)).code).toBe(0);
    for (const id of leads) await damageSealed(leadKey(tenancy(), id as LeadId));
    later(HOUR);
    const body = { units_per_second: 40_000, ...because };
    const { body: first } = await administration('reindex-rows', { body, remaining: 6_000 });
    expect([first.seen, first.broken_count > 0, typeof first.next_cursor]).toEqual([100, true, 'string']);
    const { brokenCount, broken } = (await keys('reindex', ['--json'])).json();
    expect([brokenCount, new Set(broken).size]).toEqual([60, 20]);
  });

  it('moves and is counted out in pieces, whose place no caller can choose', async () => {
    for (let lot = 100; lot < 160; lot += 20)
      await Promise.all(Array.from({ length: 20 }, (_, number) => lead(lot + number)));
    expect((await keys('rotate-index', WHY)).code).toBe(0);
    const { name, next } = (await administration('show-sealing-keys')).body.index;
    later(Date.parse(next.settled_at) - Date.now());
    // The time left is below a piece's: each call does one piece, the least that there is.
    const remaining = 6_000;
    const pieces = async (operation: 'reindex-rows' | 'retire-index-key', fields: object) => {
      const answers = [];
      let cursor: { cursor?: string } = {};
      do {
        const body = { ...fields, ...because, ...cursor };
        answers.push((await administration(operation, { body, remaining })).body);
        cursor = { cursor: answers.at(-1).next_cursor };
      } while (cursor.cursor);
      return answers;
    };
    const early = await pieces('retire-index-key', { name, confirm: name });
    expect(early.length).toBeGreaterThan(1);
    expect(early.at(-1)).toMatchObject({ code: 'refused', error: expect.stringMatching(/\d+ CPFs are found/) });
    const cutOff = await administration('retire-index-key', { body: { name, confirm: name, ...because }, remaining });
    expect(cutOff.body).toMatchObject({ retired: false });
    const moved = await pieces('reindex-rows', { units_per_second: 40_000 });
    expect(moved.length).toBeGreaterThan(1);
    expect(moved.at(-1).name).toBe(next.name);
    // The look that was cut off has found rows; the next one counts what there is by now.
    const answers = await pieces('retire-index-key', { name, confirm: name });
    expect(answers.length).toBeGreaterThan(1);
    expect(answers.at(-1)).toMatchObject({ retired: true });
    expect(held().nextIndex).toBeUndefined();
  });
});
