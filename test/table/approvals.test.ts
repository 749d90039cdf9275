import { beforeEach, describe, expect, it } from 'vitest';
import { APPROVAL_LIFETIME, type ApprovalState, REPEATED_WITHIN, SAME_FIELDS } from '#shared/domain/audit/approvals.ts';
import type { PartnerId } from '#shared/domain/values/ids.ts';
import { TableApprovals } from '#shared/table/audit/approvals.ts';
import { usePeers } from '../makers/peers.ts';
import { clearTable } from '../makers/rows.ts';

usePeers();
beforeEach(clearTable);

const NOW = Date.UTC(2026, 10, 24, 12);
const ID = 'apr_a';
const approvals = new TableApprovals(() => true);
const wish = {
  operation: 'create-key',
  about: 7 as PartnerId,
  target: { environment: 'producao' },
  reason: 'INC-1',
  askedBy: 'role/ana',
  person: 'ana',
};
const call = (now = NOW, repetition: string | undefined = undefined) => approvals.useOrAsk(ID, wish, repetition, now);

/** Steps that lead to each state, from the first call on. */
const WAYS: Readonly<Record<ApprovalState, readonly (() => Promise<unknown>)[]>> = {
  asked: [call],
  approved: [call, () => approvals.decide(ID, 'approved', 'role/bia', NOW)],
  refused: [call, () => approvals.decide(ID, 'refused', 'role/bia', NOW)],
  used: [call, () => approvals.decide(ID, 'approved', 'role/bia', NOW), call],
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
    const usedAt = state === 'used' ? NOW : undefined;
    expect(told).toEqual({ id: ID, ...wish, state, askedAt: NOW, decidedBy, usedAt });
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
    });
  });

  it.each(['approved', 'refused'] as const)(
    `decide turns an approval from ${state} to %s only if that step is allowed`,
    async (to) => {
      const made = await approvals.decide(ID, to, 'role/caio', NOW);
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

it('one of two simultaneous decisions approves a call', async () => {
  await call();
  const approved = await both(() => approvals.decide(ID, 'approved', 'role/bia', NOW));
  expect(approved.filter(Boolean)).toHaveLength(1);
});

it('one of two simultaneous calls uses the approval, and the other one asks for no second approval', async () => {
  await inState('approved');
  const made = await outcomes(both(() => call()));
  expect(made.sort()).toEqual(['granted', 'spent']);
  expect((await approvals.list(NOW)).map(({ state }) => state)).toEqual(['used']);
});

it.each([
  ['a call with the same token is granted until the approval ends', 'token 1', APPROVAL_LIFETIME - 1, 'granted'],
  ['a call with another token is spent for ten minutes', 'token 2', REPEATED_WITHIN - 1, 'spent'],
  ['a call with another token asks again after ten minutes', 'token 2', REPEATED_WITHIN, 'asked'],
  ['a call without a token is spent for ten minutes', undefined, REPEATED_WITHIN - 1, 'spent'],
])('after the use of an approval by a token, %s', async (_, repetition, after, outcome) => {
  await inState('approved');
  await call(NOW, 'token 1');
  expect((await call(NOW + after, repetition)).outcome).toBe(outcome);
  expect((await approvals.list(NOW)).map(({ state }) => state)).toEqual([outcome === 'asked' ? 'asked' : 'used']);
});

it('an approval of a call that takes no token is granted to an equal call for ten minutes', async () => {
  await inState('approved');
  await call(NOW, SAME_FIELDS);
  const { outcome, approval } = await call(NOW + REPEATED_WITHIN - 1, SAME_FIELDS);
  expect(outcome).toBe('granted');
  expect(approval.decidedBy).toBe('role/bia');
  expect((await call(NOW + REPEATED_WITHIN, SAME_FIELDS)).outcome).toBe('asked');
});

it('decide changes nothing for a request that was refused and asked for again since the decider has seen it', async () => {
  await call();
  await approvals.decide(ID, 'refused', 'role/caio', NOW);
  await call(NOW + 1);
  for (const to of ['approved', 'refused'] as const)
    expect(await approvals.decide(ID, to, 'role/bia', NOW + 2, NOW)).toBeUndefined();
  expect((await approvals.get(ID, NOW + 2))?.state).toBe('asked');
  expect((await approvals.decide(ID, 'approved', 'role/bia', NOW + 2, NOW + 1))?.state).toBe('approved');
});

it('decide changes nothing for a call that nobody asked for, or whose approval has ended', async () => {
  expect(await approvals.decide(ID, 'approved', 'role/bia', NOW)).toBeUndefined();
  expect(await approvals.list(NOW)).toEqual([]);
  await call();
  for (const to of ['approved', 'refused'] as const)
    expect(await approvals.decide(ID, to, 'role/bia', NOW + APPROVAL_LIFETIME)).toBeUndefined();
});
