import { describe, expect, it } from 'vitest';
import { type Facts, hasPlaceholder, PLACEHOLDERS, withFacts } from '../../../shared/partner/docs/facts.ts';

const FACTS: Facts = {
  baseUrl: 'https://api.banco.com.br/dev',
  supportEmail: 'ajuda@banco.com.br',
  supportHours: 'das 9h às 18h & "feriados" <não>',
  statusPage: undefined,
  webhookAddresses: [],
};
const all = Object.values(PLACEHOLDERS).join('\n');

describe('the facts of a deployment', () => {
  it('take every place that a text has for them, wherever and however often', () => {
    const filled = withFacts(`${all}\n${all}`, 'text/markdown; charset=utf-8', FACTS);
    expect(hasPlaceholder(all)).toBe(true);
    expect(hasPlaceholder(filled)).toBe(false);
    expect(filled.split(FACTS.supportHours)).toHaveLength(3);
  });

  it('are escaped as the file’s kind asks', () => {
    expect(withFacts(PLACEHOLDERS.supportHours, 'text/html; charset=utf-8', FACTS)).toBe(
      'das 9h às 18h &amp; &quot;feriados&quot; &lt;não&gt;',
    );
    const json = withFacts(`{"hours": "${PLACEHOLDERS.supportHours}"}`, 'application/json; charset=utf-8', FACTS);
    expect(JSON.parse(json)).toEqual({ hours: FACTS.supportHours });
    const money = { ...FACTS, supportHours: '$& $1' };
    expect(withFacts(PLACEHOLDERS.supportHours, 'text/plain', money)).toBe('$& $1');
  });

  it('name the health check where the stage has no page of status', () => {
    const told = (facts: Facts) => withFacts(PLACEHOLDERS.statusPage, 'text/plain', facts);
    expect(told(FACTS)).toBe('https://api.banco.com.br/dev/health');
    expect(told({ ...FACTS, statusPage: 'https://estado.banco.com.br' })).toBe('https://estado.banco.com.br');
  });

  it('name the fixed addresses, or say that there are none', () => {
    const told = (webhookAddresses: string[]) =>
      withFacts(PLACEHOLDERS.webhookAddresses, 'text/plain', { ...FACTS, webhookAddresses });
    expect(told([])).toContain('não filtre por IP');
    expect(told(['198.51.100.7', '198.51.100.8'])).toContain('saem de 198.51.100.7 e 198.51.100.8.');
  });
});
