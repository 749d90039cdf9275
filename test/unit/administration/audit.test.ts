import { describe, expect, it } from 'vitest';
import { auditLine, exportAudit, isWanted } from '#shared/administration/audit.ts';

const ANA = 'arn:aws:sts::123456789012:assumed-role/partner-credit-manager/ana.lima@exemplo.com.br';

it('auditLine writes the moment in the time of São Paulo, with the offset', () => {
  const record = {
    about: 'service',
    at: Date.UTC(2026, 10, 1, 2, 59, 59, 999),
    who: ANA,
    action: 'change-service-keys',
    target: {},
    reason: 'INC-1',
    outcome: 'done',
  } as const;
  const line = auditLine(record);
  expect(JSON.parse(line)).toMatchObject({ at: '2026-10-31T23:59:59.999-03:00', who: ANA, partner_id: null });
  expect(line).toMatch(/\}\n$/);
});

it.each([
  ['2026-01', true],
  ['2026-12', true],
  ['2026-00', false],
  ['2026-13', false],
  ['2026-1', false],
  ['2026-01-01', false],
])('export-audit knows whether %s is a month', (text, isMonth) => {
  expect(exportAudit.query.safeParse({ month: text }).success).toBe(isMonth);
});

describe('isWanted', () => {
  const row = { who: ANA, action: 'rotate-key', target: { environment: 'producao', replaced: 'a1B2c', key: 'zZ9zZ' } };

  it.each([
    ['no filter', {}],
    ['empty filters, as an empty form has', { who: '', operation: '', key: '' }],
    ['a part of the e-mail, whatever its case', { who: ' LIMA@ex' }],
    ['the operation', { operation: 'rotate-key' }],
    ['the key that was made', { key: 'zZ9zZ' }],
    ['the key that was replaced', { key: 'a1B2c' }],
    ['all of them', { who: 'ana', operation: 'rotate-key', key: 'a1B2c' }],
  ])('isWanted is true for %s', (_, filter) => expect(isWanted(row, filter)).toBe(true));

  it.each([
    ['another person', { who: 'bia' }],
    ['a part of the role, which is no person', { who: 'manager' }],
    ['another operation', { operation: 'rotate' }],
    ['another key', { key: 'b1B2c' }],
    ['a text that is another fact', { key: 'producao' }],
    ['the right person and another key', { who: 'ana', key: 'b1B2c' }],
  ])('isWanted is false for %s', (_, filter) => expect(isWanted(row, filter)).toBe(false));
});
