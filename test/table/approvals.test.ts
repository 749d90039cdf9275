import { beforeEach, describe, expect, it } from 'vitest';
import {
  APPROVAL_LIFETIME,
  type Approval,
  type ApprovalState,
  approvalId,
  auditOfAsking,
  REPEATED_WITHIN,
  type Repetition,
  type Wish,
} from '#shared/domain/audit/approvals.ts';
import type { PartnerId } from '#shared/domain/values/ids.ts';
import { TableApprovals } from '#shared/table/audit/approvals.ts';
import { TableAuditTrail } from '#shared/table/audit/audit.ts';
import { usePeers } from '../makers/peers.ts';
import { clearTable, rowsOf } from '../makers/rows.ts';

usePeers();
beforeEach(clearTable);

const NOW = Date.UTC(2026, 10, 24, 12);
const PARTNER = 7 as PartnerId;
const approvals = new TableApprovals(() => true);
const wish: Wish = {
  operation: 'set-webhook',
  about: PARTNER,
  target: { environment: 'producao' },
  fields: [
    { field: 'partner_id', value: 7, name: 'Casa Nova' },
    { field: 'url', value: 'https://new.example', replaces: 'https://old.example' },
    { field: 'replaces', value: null },
  ],
  reason: 'INC-1',
  askedBy: 'role/ana',
  person: 'ana',
};
const ID = approvalId(wish);
/** The wish with another address until now. */
const replacing = (replaces: string): Wish => ({
  ...wish,
  fields: wish.fields.map((field) => (field.field === 'url' ? { ...field, replaces } : field)),
});
let calls = 0;
/** Makes a call, by a mark of its own unless `repetition` names one. */
const call = (now = NOW, repetition: Partial<Repetition> = {}, asked = wish) =>
  approvals.useOrAsk(asked, { mark: `call ${++calls}`, isMade: false, ...repetition }, now);
/** Returns the only request that is kept. */
async function kept(now = NOW): Promise<Approval> {
  const [approval, ...others] = await approvals.list(now);
  if (!approval || others.length > 0) throw new Error('there is not exactly one request');
  return approval;
}
const decide = async (to: 'approved' | 'refused', by: string) => approvals.decide(await kept(), to, by, NOW);

/** Steps that lead to each state, from the first call on. */
const WAYS: Readonly<Record<ApprovalState, readonly (() => Promise<unknown>)[]>> = {
  asked: [call],
  approved: [call, () => decide('approved', 'role/bia')],
  refused: [call, () => decide('refused', 'role/bia')],
  used: [call, () => decide('approved', 'role/bia'), call],
};
async function inState(state: ApprovalState) {
  for (const step of WAYS[state]) await step();
}

describe.each<[ApprovalState, { call: 'asked' | 'granted'; approved: boolean; refused: boolean }]>([
  ['asked', { call: 'asked', approved: true, refused: true }],
  ['approved', { call: 'granted', approved: false, refused: true }],
  ['refused', { call: 'asked', approved: false, refused: false }],
  ['used', { call: 'asked', approved: false, refused: false }],
])('an approval that is %s', (state, next) => {
  beforeEach(() => inState(state));

  it(`get and list return an approval that is ${state}, with the person who decided it`, async () => {
    const told = await approvals.get(ID, NOW);
    const decidedBy = state === 'asked' ? undefined : 'role/bia';
    const use = state === 'used' ? { usedAt: NOW, usedBy: wish.askedBy } : {};
    expect(told).toEqual({ id: ID, ...wish, state, askedAt: NOW, decidedBy, ...use });
    expect(await approvals.list(NOW)).toEqual([told]);
  });

  it(`useOrAsk of an approval that is ${state} returns ${next.call} within 24 hours, and asked later`, async () => {
    const last = NOW + APPROVAL_LIFETIME;
    expect(await approvals.get(ID, last)).toBeUndefined();
    expect(await approvals.list(last)).toEqual([]);
    const anew = state === 'refused' || state === 'used';
    const { outcome, approval } = await call(last - 1);
    expect(outcome).toBe(next.call);
    expect(approval.askedAt).toBe(anew ? last - 1 : NOW);
    await clearTable();
    await inState(state);
    expect(await call(last)).toEqual({
      outcome: 'asked',
      approval: { id: ID, ...wish, state: 'asked', askedAt: last },
      isNew: true,
    });
  });

  it.each(['approved', 'refused'] as const)(
    `decide turns an approval from ${state} to %s only if that step is allowed`,
    async (to) => {
      const made = await decide(to, 'role/caio');
      expect(made?.state).toBe(next[to] ? to : undefined);
      expect((await approvals.get(ID, NOW))?.state).toBe(next[to] ? to : state);
    },
  );
});

const both = <T>(work: () => Promise<T>) => Promise.all([work(), work()]);
const outcomes = async (calls: Promise<readonly { outcome: string }[]>) => (await calls).map(({ outcome }) => outcome);

it('useOrAsk stores one request if two equal calls ask at the same time', async () => {
  const asked = await both(() => call());
  expect(asked.map(({ outcome }) => outcome)).toEqual(['asked', 'asked']);
  expect(await approvals.list(NOW)).toEqual([asked[0]!.approval]);
});

it('useOrAsk says once that a request is new, if two equal calls ask at the same time, or one asks again', async () => {
  const asked = await both(() => call());
  expect(asked.filter(({ isNew }) => isNew)).toHaveLength(1);
  expect((await call(NOW + 1)).isNew).toBeUndefined();
});

it('one of two simultaneous decisions approves a call', async () => {
  await call();
  const approved = await both(() => decide('approved', 'role/bia'));
  expect(approved.filter(Boolean)).toHaveLength(1);
});

it('one of two simultaneous calls uses the approval, and the other one asks for no second approval', async () => {
  await inState('approved');
  const made = await outcomes(both(() => call()));
  expect(made.sort()).toEqual(['granted', 'spent']);
  expect((await approvals.list(NOW)).map(({ state }) => state)).toEqual(['used']);
});

/** How a call was made that used the approval. */
const FIRST = { mark: 'token 1', seenAt: NOW - 9 };
it.each<[string, Partial<Repetition>, number, string]>([
  ['a call with the same mark is granted until the approval ends', FIRST, APPROVAL_LIFETIME - 1, 'granted'],
  ['a call with the same mark asks again in another state', { ...FIRST, seenAt: NOW + 1 }, 1, 'asked'],
  ['a call with the same mark that was made is granted', { mark: FIRST.mark, isMade: true }, 1, 'granted'],
  ['a call with another mark is spent for ten minutes', { ...FIRST, mark: 'x' }, REPEATED_WITHIN - 1, 'spent'],
  ['a made call with another mark is spent', { mark: 'x', isMade: true }, REPEATED_WITHIN - 1, 'spent'],
  ['a call with another mark asks again after ten minutes', { ...FIRST, mark: 'x' }, REPEATED_WITHIN, 'asked'],
])('after the use of an approval, %s', async (_, repetition, after, outcome) => {
  await inState('approved');
  await call(NOW, FIRST);
  expect((await call(NOW + after, repetition)).outcome).toBe(outcome);
  expect((await approvals.list(NOW)).map(({ state }) => state)).toEqual([outcome === 'asked' ? 'asked' : 'used']);
});

it.each<[string, Partial<Repetition>, string]>([
  ['is granted if the call was made', { mark: FIRST.mark, isMade: true }, 'granted'],
  ['asks again if it was not', FIRST, 'asked'],
  ['is spent if its mark is another one', { ...FIRST, mark: 'x' }, 'spent'],
])('a repetition that replaces another value %s', async (_, repetition, outcome) => {
  await inState('approved');
  await call(NOW, FIRST);
  expect((await call(NOW + 1, repetition, replacing('https://new.example'))).outcome).toBe(outcome);
});

it('decide changes nothing for a request that was refused and asked for again since the decider has seen it', async () => {
  await call();
  const seen = await kept();
  await decide('refused', 'role/caio');
  await call(NOW + 1);
  for (const to of ['approved', 'refused'] as const)
    expect(await approvals.decide(seen, to, 'role/bia', NOW + 2)).toBeUndefined();
  const again = await kept(NOW + 2);
  expect(again.state).toBe('asked');
  expect((await approvals.decide(again, 'approved', 'role/bia', NOW + 2))?.state).toBe('approved');
});

it('decide changes nothing for a request that was asked for with another reason since the decider has seen it', async () => {
  await call();
  const seen = await kept();
  await decide('refused', 'role/ana');
  await call(NOW, {}, { ...wish, reason: 'INC-2' });
  expect(await approvals.decide(seen, 'approved', 'role/bia', NOW)).toBeUndefined();
  expect((await kept()).state).toBe('asked');
  expect(await approvals.get(ID, NOW)).toBeUndefined();
});

it('decide changes nothing for a call that nobody asked for, or whose approval has ended', async () => {
  const nobody = { id: ID, ...wish, state: 'asked', askedAt: NOW } as const;
  expect(await approvals.decide(nobody, 'approved', 'role/bia', NOW)).toBeUndefined();
  expect(await approvals.list(NOW)).toEqual([]);
  await call();
  for (const to of ['approved', 'refused'] as const)
    expect(await approvals.decide(nobody, to, 'role/bia', NOW + APPROVAL_LIFETIME)).toBeUndefined();
});

it('useOrAsk returns the approved reason if the call that uses the approval gives another one', async () => {
  await inState('approved');
  const { outcome, approval } = await call(NOW, {}, { ...wish, reason: 'INC-2' });
  expect(outcome).toBe('granted');
  expect(approval.reason).toBe('INC-1');
  expect(approval.id).toBe(ID);
});

it.each(['asked', 'approved'] as const)(
  'useOrAsk asks again, under another id, if a value that a call replaces has changed since it was %s',
  async (state) => {
    await inState(state);
    const changed = replacing('https://mallory.example');
    const { outcome, approval } = await call(NOW + 1, {}, changed);
    expect(outcome).toBe('asked');
    expect(approval).toEqual({ id: approvalId(changed), ...changed, state: 'asked', askedAt: NOW + 1 });
    expect(approval.id).not.toBe(ID);
    expect(await kept(NOW + 1)).toEqual(approval);
  },
);

it('giveBack makes an approval usable once more, and only the use that it names', async () => {
  await inState('approved');
  await call(NOW, FIRST);
  await approvals.giveBack(wish, 'another use');
  expect((await kept()).state).toBe('used');
  await approvals.giveBack(wish, FIRST.mark);
  expect(await kept()).toEqual({ id: ID, ...wish, state: 'approved', askedAt: NOW, decidedBy: 'role/bia' });
  expect((await call(NOW + 1)).outcome).toBe('granted');
  await approvals.giveBack(wish, FIRST.mark);
  expect((await kept()).state).toBe('used');
});

describe('the row of the audit for a request', () => {
  const audit = new TableAuditTrail();
  const rows = async () => (await audit.newest(PARTNER, 10)).items;

  it('useOrAsk notes a request in the audit when it stores the request, and no use of it', async () => {
    await inState('used');
    expect(await rows()).toEqual([{ ...auditOfAsking(wish), at: NOW, outcome: 'done' }]);
  });

  it('useOrAsk notes one request if two equal calls ask at the same time, or one asks again', async () => {
    await both(() => call());
    await call(NOW + 1);
    expect(await rows()).toHaveLength(1);
  });

  it('useOrAsk notes each request that is stored in the place of another one', async () => {
    await inState('refused');
    await call(NOW + 1);
    expect((await rows()).map(({ at }) => at)).toEqual([NOW + 1, NOW]);
  });
});

it('the row of a request holds no field in plain text, since a field may name a person or hold a secret', async () => {
  await call();
  const [row] = await rowsOf('APPROVAL#');
  expect(row?.['sealed']).toBeInstanceOf(Uint8Array);
  expect(JSON.stringify({ ...row, sealed: undefined })).not.toMatch(/Casa Nova|new\.example|old\.example/);
});
