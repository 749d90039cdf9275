import { expect, it } from 'vitest';
import { callerName, callerText } from '#shared/administration/caller-name.ts';

const POOL_ROLE = 'partner-credit-prod-administration-sa-east-1-security';
const IN_POOL = `arn:aws:sts::123456789012:assumed-role/${POOL_ROLE}/CognitoIdentityCredentials/sa-east-1_AbC:7f-a1`;
const SESSION = 'arn:aws:sts::123456789012:assumed-role/partner-credit-manager/ana.lima';

it.each([
  [`${IN_POOL}/ana.lima@exemplo.com.br`, 'ana.lima@exemplo.com.br', 'security', POOL_ROLE],
  [SESSION, 'ana.lima', 'manager', 'partner-credit-manager'],
  ['arn:aws-us-gov:sts::123456789012:assumed-role/auditor/x@example.com', 'x@example.com', 'auditor', 'auditor'],
  ['arn:aws:sts::123456789012:assumed-role/AWSReservedSSO_Ops_1a2b/caio', 'caio', undefined, 'AWSReservedSSO_Ops_1a2b'],
  ['arn:aws:iam::123456789012:user/ops/night/bruno', 'bruno', undefined, undefined],
])('callerName returns person, duty and role of %s', (arn, person, duty, role) => {
  expect(callerName(arn)).toEqual({ person, duty, role });
});

it.each(['ana', '', 'arn:aws:s3:::a-bucket/a-key', 'role/bia'])('callerName returns undefined for "%s"', (text) => {
  expect(callerName(text)).toBeUndefined();
});

it.each([
  [`${IN_POOL}/ana.lima@exemplo.com.br`, 'security/ana.lima@exemplo.com.br'],
  [SESSION, 'manager/ana.lima'],
  ['arn:aws:sts::123456789012:assumed-role/AWSReservedSSO_Ops_1a2b/caio', 'caio (AWSReservedSSO_Ops_1a2b)'],
  ['arn:aws:iam::123456789012:user/ops/bruno', 'bruno'],
  ['role/bia', 'role/bia'],
])('callerText shows %s as %s', (arn, text) => expect(callerText(arn)).toBe(text));
