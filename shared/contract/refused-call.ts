import * as z from 'zod/mini';
import type { RefusedCall } from '../domain/partners/partner.ts';
import { timestamp } from '../domain/values/clock.ts';
import { FAILURE_CODES } from '../domain/values/failure.ts';
import type { Environment } from '../domain/values/tenancy.ts';
import { described } from './described.ts';
import { FAILURES } from './failures.ts';
import { momentField, okay } from './fields.ts';
import { firstNotices } from './notices.ts';
import { type Page, pageOf, pageView } from './page.ts';

export const refusedCallList = described(
  z.object({
    ok: okay(),
    ...pageView,
    erros: described(
      z.array(
        described(
          z.object({
            em: momentField('Momento da recusa, UTC.'),
            metodo: described(z.string(), 'O método da chamada.'),
            rota: described(z.string(), 'A rota como a documentação a escreve; ids e valores não aparecem.'),
            status: described(z.int(), 'O status HTTP da resposta.'),
            codigo: described(z.enum(FAILURE_CODES), 'O código da resposta.'),
            campos: described(
              z.array(z.string()),
              'Os campos que a resposta apontou, só pelo nome e no máximo 20; vazio quando não era de campos.',
            ),
            request_id: described(z.string(), 'O da resposta; informe-o ao suporte.'),
          }),
          { id: 'ChamadaRecusada' },
        ),
      ),
      'As chamadas recusadas desta página, da mais nova à mais antiga.',
    ),
  }),
  { id: 'Erros' },
);

const NONE_IN_PRODUCTION = {
  campo: 'X-API-Key',
  motivo: 'A chave é de produção: as chamadas recusadas são guardadas só no sandbox. Use os seus logs e o request_id.',
};

/** In production the list is empty, with a notice that says why. */
export function refusedCallListBody(
  calls: readonly RefusedCall[],
  page: Page,
  environment: Environment,
): z.input<typeof refusedCallList> {
  const { items, more } = pageOf(calls, page);
  return {
    ok: true,
    ...page,
    tem_mais: more,
    erros: items.map(({ at, method, path, code, fields, requestId }) => ({
      em: timestamp(at),
      metodo: method,
      rota: path,
      status: FAILURES[code].status,
      codigo: code,
      campos: [...fields],
      request_id: requestId,
    })),
    avisos: firstNotices(page.avisos ?? [], environment === 'producao' ? [NONE_IN_PRODUCTION] : []),
  };
}
