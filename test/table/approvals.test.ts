import { beforeEach, describe, expect, it } from 'vitest';
import { APPROVAL_LIFETIME, type ApprovalState } from '#shared/domain/audit/approvals.ts';
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
const call = (now = NOW) => approvals.useOrAsk(ID, wish, now);

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

describe.each<[ApprovalState, { call: ApprovalState; approved: boolean; refused: boolean }]>([
  ['asked', { call: 'asked', approved: true, refused: true }],
  ['approved', { call: 'used', approved: false, refused: true }],
  ['refused', { call: 'asked', approved: false, refused: false }],
  ['used', { call: 'asked', approved: false, refused: false }],
])('an approval that is %s', (state, next) => {
  beforeEach(() => inState(state));

  it(`get and list return an approval that is ${state}, with the person who decided it`, async () => {
    const told = await approvals.get(ID, NOW);
    const decidedBy = state === 'asked' ? undefined : 'role/bia';
    expect(told).toEqual({ id: ID, ...wish, state, askedAt: NOW, ...(decidedBy && { decidedBy }) });
    expect(await approvals.list(NOW)).toEqual([told]);
  });

  it(`after useOrAsk, an approval that was ${state} is ${next.call} within 24 hours, and asked again later`, async () => {
    const last = NOW + APPROVAL_LIFETIME;
    expect(await approvals.get(ID, last)).toBeUndefined();
    expect(await approvals.list(last)).toEqual([]);
    const anew = state === 'refused' || state === 'used';
    expect(await call(last - 1)).toMatchObject({ state: next.call, askedAt: anew ? last - 1 : NOW });
    await clearTable();
    await inState(state);
    expect(await call(last)).toEqual({ id: ID, ...wish, state: 'asked', askedAt: last });
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

it('one of two simultaneous decisions approves a call, and one of two simultaneous calls uses the approval', async () => {
  await call();
  const both = (work: () => Promise<unknown>) => Promise.all([work(), work()]);
  const approved = await both(() => approvals.decide(ID, 'approved', 'role/bia', NOW));
  expect(approved.filter(Boolean)).toHaveLength(1);
  const states = (await Promise.all([call(), call()])).map(({ state }) => state);
  expect(states.sort()).toEqual(['asked', 'used']);
});

it('decide changes nothing for a call that nobody asked for, or whose approval has ended', async () => {
  expect(await approvals.decide(ID, 'approved', 'role/bia', NOW)).toBeUndefined();
  expect(await approvals.list(NOW)).toEqual([]);
  await call();
  for (const to of ['approved', 'refused'] as const)
    expect(await approvals.decide(ID, to, 'role/bia', NOW + APPROVAL_LIFETIME)).toBeUndefined();
});
