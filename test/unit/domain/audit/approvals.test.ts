import { expect, it } from 'vitest';
import {
  type ApprovalField,
  approvalId,
  auditOfAsking,
  callId,
  isSamePerson,
  type Wish,
} from '#shared/domain/audit/approvals.ts';

it.each([
  ['the e-mail, which can be the name of an AWS session', 'ana@x', true],
  ['the number in the pool, even if the e-mail has changed', 'pool:7/new@x', true],
  ['neither of them', 'pool:8/new@x', false],
])('isSamePerson recognises a person by %s', (_, other, same) => {
  expect(isSamePerson('pool:7/ana@x', other)).toBe(same);
  expect(isSamePerson(other, 'pool:7/ana@x')).toBe(same);
});

const URL_FIELD: ApprovalField = { field: 'url', value: 'https://new', name: 'the new one', replaces: 'https://old' };
const WISH: Wish = {
  operation: 'set-webhook',
  about: 'service',
  target: { host: 'new' },
  fields: [URL_FIELD],
  reason: 'r',
  askedBy: 'role/ana',
  person: 'ana',
};
const withField = (change: Partial<ApprovalField>): Wish => ({ ...WISH, fields: [{ ...URL_FIELD, ...change }] });

it('the id of an approval is apr_ and 128 bits in hex, and the same for the same request', () => {
  expect(approvalId(WISH)).toMatch(/^apr_[0-9a-f]{32}$/);
  expect(approvalId({ ...WISH })).toBe(approvalId(WISH));
});

it.each<[what: string, other: Wish, isSameCall: boolean]>([
  ['person', { ...WISH, person: 'bia' }, false],
  ['operation', { ...WISH, operation: 'create-key' }, false],
  ['subject', { ...WISH, about: 7 as Wish['about'] }, false],
  ['field', withField({ field: 'other' }), false],
  ['value', withField({ value: 'https://new?tenant=mallory' }), false],
  ['type of a value', withField({ value: true }), false],
  ['further field', { ...WISH, fields: [URL_FIELD, { field: 'raw', value: true }] }, false],
  ['name', withField({ name: undefined }), true],
  ['replaced value', withField({ replaces: undefined }), true],
  ['reason', { ...WISH, reason: 's' }, true],
])('a request with another %s has another approval id', (_, other, isSameCall) => {
  expect(approvalId(other)).not.toBe(approvalId(WISH));
  expect(callId(other) === callId(WISH)).toBe(isSameCall);
});

it('the audit notes a request with who asked for which operation and why, without the fields', () => {
  expect(auditOfAsking(WISH)).toEqual({
    about: 'service',
    who: 'role/ana',
    action: 'ask-approval',
    target: { host: 'new', operation: 'set-webhook', approval: approvalId(WISH) },
    reason: 'r',
  });
});
