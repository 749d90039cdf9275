import { expect, it } from 'vitest';
import { type Facts, hasPlaceholder, PLACEHOLDERS, withFacts } from '#shared/partner/docs/facts.ts';

const FACTS: Facts = {
  baseUrl: 'https://api.banco.com.br/dev',
  supportEmail: 'ajuda@banco.com.br',
  supportHours: 'das 9h às 18h & "feriados" <não>',
  contactUntil: '2027-10-31',
  officerName: 'Pessoa encarregada',
  officerEmail: 'encarregada@banco.com.br',
  consentDays: '180',
  rateDays: '365',
  statusPage: undefined,
  webhookAddresses: [],
  leadRetention: { sandboxDays: 90, monthsWithoutAnalysis: 24, yearsAfterAnalysis: 5 },
};
const all = Object.values(PLACEHOLDERS).join('\n');
const told = (placeholder: string, changes: Partial<Facts> = {}) =>
  withFacts(placeholder, 'text/plain', { ...FACTS, ...changes });

it('withFacts replaces every placeholder, however often a text has it', () => {
  const filled = withFacts(`${all}\n${all}`, 'text/markdown; charset=utf-8', FACTS);
  expect(hasPlaceholder(all)).toBe(true);
  expect(hasPlaceholder(filled)).toBe(false);
  expect(filled.split(FACTS.supportHours)).toHaveLength(3);
});

it('withFacts escapes a fact as the kind of file requires', () => {
  const html = withFacts(PLACEHOLDERS.supportHours, 'text/html; charset=utf-8', FACTS);
  expect(html).toBe('das 9h às 18h &amp; &quot;feriados&quot; &lt;não&gt;');
  const json = withFacts(`["${PLACEHOLDERS.supportHours}"]`, 'application/json; charset=utf-8', FACTS);
  expect(JSON.parse(json)).toEqual([FACTS.supportHours]);
  expect(told(PLACEHOLDERS.supportHours, { supportHours: '$& $1' })).toBe('$& $1');
});

it('withFacts names the person in charge of personal data, with the address', () => {
  expect(told(PLACEHOLDERS.officerName)).toBe('Pessoa encarregada');
  expect(told(`[${PLACEHOLDERS.officerEmail}]`)).toBe('[encarregada@banco.com.br]');
});

it('withFacts names the health check if the stage has no status page', () => {
  expect(told(PLACEHOLDERS.statusPage)).toBe('https://api.banco.com.br/dev/health');
  expect(told(PLACEHOLDERS.statusPage, { statusPage: 'https://estado' })).toBe('https://estado');
});

it('withFacts names the terms after which leads are deleted, or says that none are', () => {
  expect(told(PLACEHOLDERS.leadRetention)).toMatch(/90 dias.*24 meses.*5 anos/);
  expect(told(PLACEHOLDERS.leadRetention, { leadRetention: undefined })).not.toMatch(/\d|undefined/);
});

it('withFacts names the fixed addresses of webhooks, or says that there are none', () => {
  const webhookAddresses = ['198.51.100.7', '198.51.100.8'];
  expect(told(PLACEHOLDERS.webhookAddresses)).toContain('não filtre por IP');
  expect(told(PLACEHOLDERS.webhookAddresses, { webhookAddresses })).toContain('de 198.51.100.7 e 198.51.100.8.');
});
