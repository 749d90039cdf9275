import { describe, expect, it } from 'vitest';
import { withMarkedNumbers, withNumbers } from '#shared/partner/docs/numbers.ts';

describe('withNumbers', () => {
  it.each([
    ['{{anos CONSENT_KEPT}} anos', '5 anos'],
    ['{{dias PENDING_LIMIT}} dias', '30 dias'],
    ['{{horas RETRY_SPAN}} horas', '67 horas'],
    ['{{minutos CLOCK_DIFFERENCE}} minutos', '5 minutos'],
    ['{{segundos API_TIMEOUT}} segundos', '10 segundos'],
    ['de {{numero YOUNGEST}} a {{numero OLDEST}} anos', 'de 18 a 80 anos'],
  ])('withNumbers prints %s as %s', (text, printed) => {
    expect(withNumbers(text)).toBe(printed);
  });

  it.each([
    ['{{dias NOWHERE}}', 'no number NOWHERE in dias'],
    ['{{semanas PENDING_LIMIT}}', 'no number PENDING_LIMIT in semanas'],
    ['{{dias ATTEMPTS}}', 'no number ATTEMPTS in dias'],
    ['{{numero PENDING_LIMIT}}', 'no number PENDING_LIMIT in numero'],
  ])('withNumbers stops the build for %s with a sentence', (text, sentence) => {
    expect(() => withNumbers(text)).toThrow(sentence);
  });
});

describe('withMarkedNumbers', () => {
  const OF_PROD = { consentDays: 180 };

  it.each([
    ['9 days<!-- = FORM_KEPT -->, then', '180 days<!-- = FORM_KEPT -->, then'],
    ['after 9 hours<!-- = SUBMIT_LIMIT -->.', 'after 48 hours<!-- = SUBMIT_LIMIT -->.'],
    ['9 s<!-- = SUBMIT_LEASE -->', '60 s<!-- = SUBMIT_LEASE -->'],
    ['9<!-- = ATTEMPTS --> attempts', '12<!-- = ATTEMPTS --> attempts'],
    ['1,000<!-- = DELIVERIES_SEARCHED -->', '10,000<!-- = DELIVERIES_SEARCHED -->'],
    ['9 days<!-- = consentDays -->', '180 days<!-- = consentDays -->'],
  ])('withMarkedNumbers changes %s to %s', (text, filled) => {
    expect(withMarkedNumbers(text, OF_PROD)).toBe(filled);
  });

  it.each([
    ['9 days<!-- = NOWHERE -->', 'no number for 9 days<!-- = NOWHERE -->'],
    ['9 weeks<!-- = FORM_KEPT -->', 'no number for 9 weeks<!-- = FORM_KEPT -->'],
    ['nine days<!-- = FORM_KEPT -->', 'no number for  days<!-- = FORM_KEPT -->'],
    ['one, <!-- = ATTEMPTS -->', 'no number for  <!-- = ATTEMPTS -->'],
    ['kept for<!-- = ATTEMPTS -->', 'no number for  for<!-- = ATTEMPTS -->'],
  ])('withMarkedNumbers stops the build for %s with a sentence', (text, sentence) => {
    expect(() => withMarkedNumbers(text)).toThrow(sentence);
  });
});
