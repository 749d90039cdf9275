import { expect, it } from 'vitest';
import { approvalId, isSamePerson } from '#shared/domain/audit/approvals.ts';

it.each([
  ['the e-mail, which can be the name of an AWS session', 'ana@x', true],
  ['the number in the pool, even if the e-mail has changed', 'pool:7/new@x', true],
  ['neither of them', 'pool:8/new@x', false],
])('isSamePerson recognises a person by %s', (_, other, same) => {
  expect(isSamePerson('pool:7/ana@x', other)).toBe(same);
  expect(isSamePerson(other, 'pool:7/ana@x')).toBe(same);
});

it('an approval has the same id for the same call, whatever the reason', () => {
  const wish = { operation: 'x', about: 'service', target: {}, reason: 'r', askedBy: 'a', person: 'p' } as const;
  const ids = [wish, { ...wish, reason: 's' }, { ...wish, person: 'q' }].map((one) => approvalId(one, { unit: 1 }));
  expect(ids).toEqual([expect.stringMatching(/^apr_[0-9a-f]{32}$/), ids[0], expect.not.stringMatching(ids[0]!)]);
});
