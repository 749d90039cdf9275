import * as z from 'zod/mini';
import { simulationIdFor } from '../domain/simulations/opportunity.ts';
import type { Instalment, Offer, Opportunity } from '../domain/simulations/simulation.ts';
import { described } from './described.ts';
import { dayField, okay } from './fields.ts';
import { amount, field, fieldsOf, instalmentParts, simulationId } from './simulation-fields.ts';

const PARTS = instalmentParts('Soma das partes: o que se paga nesta parcela');
const PLACE = fieldsOf<Instalment>()({
  numero: field(described(z.int(), 'Ordem da parcela, de 1 ao prazo.'), ({ number }) => number),
  vencimento: field(dayField('Dia em que a parcela vence.'), ({ dueDate }) => dueDate),
});
const AFTER = fieldsOf<Instalment>()({
  saldo_devedor: amount('O que se deve depois de pagar esta parcela; 0 na última', ({ balance }) => balance),
});

/** Answer of GET /v1/simulacoes/{id}/parcelas. */
export const instalmentList = described(
  z.object({
    ok: okay(),
    simulacao_id: simulationId(),
    parcelas: described(
      z.array(described(z.object({ ...PLACE.shape, ...PARTS.shape, ...AFTER.shape }), { id: 'Parcela' })),
      'O cronograma inteiro, uma linha por mês.',
    ),
  }),
  { id: 'Parcelas' },
);

export function instalmentListBody(
  opportunity: Opportunity,
  offer: Offer,
  schedule: readonly Instalment[],
): z.input<typeof instalmentList> {
  return {
    ok: true,
    simulacao_id: simulationIdFor(opportunity, offer),
    parcelas: schedule.map((row) => ({ ...PLACE.body(row), ...PARTS.body(row), ...AFTER.body(row) })),
  };
}
