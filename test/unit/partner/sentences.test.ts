import { describe, expect, it } from 'vitest';
import { consentViewOf } from '../../../shared/contract/consent.ts';
import { moment } from '../../../shared/contract/fields.ts';
import type { Consent } from '../../../shared/domain/analyses/consent.ts';
import { quote } from '../../../shared/domain/simulations/pricing/quote.ts';
import type { Day } from '../../../shared/domain/values/clock.ts';
import { centavos } from '../../../shared/domain/values/money.ts';
import { pageSource } from '../../../shared/partner/docs/contents.ts';
import { account } from '../../../shared/partner/openapi/examples.ts';
import { openapiDocument } from '../../../shared/partner/openapi/openapi.ts';
import { makeQuoteRequest, offerOf, reais } from '../../makers/quote-request.ts';

type Node = Readonly<Record<string, unknown>>;
const { schemas } = (openapiDocument() as unknown as { components: { schemas: Record<string, Node> } }).components;

/** Every description of a field of a schema, at whatever depth. */
function told(node: unknown, field: string): string[] {
  if (typeof node !== 'object' || node === null) return [];
  const own = (node as { properties?: Record<string, Node> }).properties?.[field]?.['description'];
  const inner = Object.values(node).flatMap((value) => told(value, field));
  return typeof own === 'string' ? [own, ...inner] : inner;
}

describe('what the contract says of', () => {
  it('the needed income tells of two incomes that grow alike, since they make the shares of the insurance', () => {
    const sentence =
      'Menor renda mensal com que este banco oferece estas condições; com dois proponentes sem `participacao`, a soma das rendas na mesma proporção, em reais.';
    expect(told(schemas['Simulacao'], 'renda_necessaria')).toEqual([sentence]);
    expect(told(schemas['OfertaComPrecos'], 'renda_necessaria')).toEqual([sentence]);
    const couple = makeQuoteRequest({
      ...{ income: reais('119.10'), birthDate: '1974-06-27' as Day, financedValue: reais('50000.00') },
      secondBorrower: { birthDate: '2000-07-24' as Day, income: reais('1262.78') },
    });
    const needs = offerOf(quote('cashme', couple)).requiredIncome;
    const alone = { ...couple, income: centavos(needs - couple.secondBorrower!.income) };
    expect(offerOf(quote('cashme', alone)).requiredIncome).toBeGreaterThan(needs);
  });

  it('the moment of a step is when what shows it began, not when the outcome or the delivery came', () => {
    expect(told(schemas['Conta'], 'em')).toEqual([
      'Momento do que mostra o passo, UTC: em um desfecho, o envio da análise; no webhook e no reenvio, a criação do evento. null enquanto falta.',
    ]);
    const steps = new Map(account.validacao!.passos.map(({ passo, em }) => [passo, em]));
    expect(steps.get('aprovado')).toBe(steps.get('analise'));
  });
});

describe('what the guide says of', () => {
  it('moments makes an exception of the consent’s, which keeps the offset that it was sent with', () => {
    const givenAt = moment().parse('2026-01-02T12:00:00-03:00');
    expect(consentViewOf({ givenAt, analysisIds: [] } as unknown as Consent).timestamp).toBe(givenAt);
    expect(pageSource('perguntas')).toContain('o `timestamp` de um consentimento volta no fuso em que foi enviado');
  });
});
