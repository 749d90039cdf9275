import * as z from 'zod/mini';
import { simulationIdFor } from '../domain/simulations/opportunity.ts';
import type { Instalment, Offer, Opportunity } from '../domain/simulations/simulation.ts';
import { reaisFromCentavos } from '../domain/values/money.ts';
import { described } from './described.ts';
import { dayField, okay } from './fields.ts';
import { instalmentParts, instalmentPartsOf, reais, simulationId } from './simulation-fields.ts';

/** Answer of GET /v1/simulacoes/{id}/parcelas. */
export const instalmentList = described(
  z.object({
    ok: okay(),
    simulacao_id: simulationId(),
    parcelas: described(
      z.array(
        described(
          z.object({
            numero: described(z.int(), 'Ordem da parcela, de 1 ao prazo.'),
            vencimento: dayField('Dia em que a parcela vence.'),
            ...instalmentParts(),
            total: reais('Soma das partes: o que se paga nesta parcela'),
            saldo_devedor: reais('O que se deve depois de pagar esta parcela; 0 na última'),
          }),
          { id: 'Parcela' },
        ),
      ),
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
    parcelas: schedule.map((row) => ({
      numero: row.number,
      vencimento: row.dueDate,
      ...instalmentPartsOf(row),
      saldo_devedor: reaisFromCentavos(row.balance),
    })),
  };
}
