import * as z from 'zod/mini';
import { BANKS } from '../domain/values/bank.ts';
import { FAILURE_CODES, Failure, type FailureCode, LARGEST_BODY } from '../domain/values/failure.ts';
import type { Seconds } from '../domain/values/time.ts';
import { described } from './described.ts';

interface FailureText {
  readonly status: number;
  /** A sentence for people, which says how to correct the call. */
  readonly erro: string;
  /** Value of Retry-After if the failure itself names none. */
  readonly retryAfter?: Seconds;
  readonly headers?: Readonly<Record<string, string>>;
}

export const BANKS_TO_USE = /* @__PURE__ */ `${BANKS.slice(0, -1).join(', ')} ou ${BANKS.at(-1)}`;

/**
 * The list is closed in v1. After a 5xx a partner may not know whether the call was done, and a call with another
 * Idempotency-Key would be a second credit query. So the sentence of each 5xx names the key, and the sentence of
 * `idempotency_conflito` names the original body first.
 */
export const FAILURES: Readonly<Record<FailureCode, FailureText>> = {
  json_invalido: {
    status: 400,
    erro: 'O corpo não é um objeto JSON válido em UTF-8. Corrija o corpo e envie de novo.',
  },
  campo_obrigatorio: { status: 400, erro: 'Faltam campos obrigatórios. Preencha os que estão listados em campos.' },
  campo_invalido: { status: 400, erro: 'Há campos com valor inválido. Corrija os que estão listados em campos.' },
  auth_invalid: {
    status: 401,
    erro: 'Chave ausente ou inválida. Envie a sua chave no cabeçalho X-API-Key.',
    // RFC 9110, 15.5.2: a 401 must say how to authenticate.
    headers: { 'WWW-Authenticate': 'Bearer' },
  },
  sem_permissao: {
    status: 403,
    erro: 'A chave não tem o escopo desta operação. Peça ao gestor uma chave com esse escopo.',
  },
  nao_encontrado: {
    status: 404,
    erro: 'Não encontrado. Confira o id e se a chave é do mesmo ambiente em que ele foi criado.',
  },
  rota_nao_encontrada: { status: 404, erro: 'Esta rota não existe. Confira o caminho na documentação.' },
  metodo_nao_permitido: {
    status: 405,
    erro: 'A rota não aceita este método. Use um dos que estão no cabeçalho Allow.',
  },
  idempotencia_em_andamento: {
    status: 409,
    erro: 'A primeira chamada com esta Idempotency-Key ainda está em andamento. Repita a mesma chamada em instantes.',
    retryAfter: 2,
  },
  corpo_muito_grande: { status: 413, erro: `O corpo passa de ${LARGEST_BODY / 1024} KiB. Envie um corpo menor.` },
  tipo_nao_suportado: { status: 415, erro: 'O corpo deve ser JSON em UTF-8. Envie Content-Type: application/json.' },
  banco_invalido: { status: 422, erro: `Há banco fora da lista. Use ${BANKS_TO_USE} em bancos.` },
  consentimento_ausente: {
    status: 422,
    erro: 'Sem o consentimento do titular não há consulta de crédito. Envie consentimento true e os três campos que o comprovam; se o titular o revogou, colha um mais novo.',
  },
  idempotency_conflito: {
    status: 422,
    erro: 'Esta Idempotency-Key já foi usada em outro pedido. Para repetir aquele, envie o corpo dele; só um pedido novo leva uma chave nova.',
  },
  divergencia_titular: {
    status: 422,
    erro: 'Os dados do titular diferem dos do lead. Envie nome, cpf e data_nascimento como estão no lead.',
  },
  lead_nao_encontrado: {
    status: 422,
    erro: 'O lead não existe nesta unidade e neste ambiente, ou a eliminação dos dados dele foi pedida. Crie o lead e use o lead_id dele; se a criação devolve o mesmo lead_id, não repita.',
  },
  campo_nao_alteravel: {
    status: 422,
    erro: 'Há campos que não se alteram depois da criação do lead. Retire os que estão em campos.',
  },
  rate_limited: {
    status: 429,
    erro: 'O limite de chamadas por minuto foi atingido. Espere os segundos de Retry-After e repita.',
    retryAfter: 1,
  },
  erro_interno: {
    status: 500,
    erro: 'Falha inesperada do serviço. Repita a chamada com a mesma Idempotency-Key; se persistir, informe o request_id ao suporte.',
  },
  tempo_esgotado: {
    status: 504,
    erro: 'O serviço não respondeu a tempo. Repita a chamada com a mesma Idempotency-Key.',
    retryAfter: 2,
  },
  operador_falhou: {
    status: 502,
    erro: 'O operador não respondeu como devia. Repita a chamada com a mesma Idempotency-Key.',
    retryAfter: 2,
  },
  servico_indisponivel: {
    status: 503,
    erro: 'O serviço está indisponível no momento. Repita a chamada com a mesma Idempotency-Key depois dos segundos de Retry-After.',
    retryAfter: 2,
  },
};

/** All `fields` have the same fault. */
export const fieldFailure = (code: FailureCode, fields: readonly string[], reason: string): Failure =>
  new Failure(code, { fields: fields.map((field) => ({ field, reason })) });

export const errorBody = described(
  z.object({
    erro: described(
      z.string(),
      'O que houve e como corrigir, em uma frase para pessoas; pode mudar. O programa decide por codigo.',
    ),
    codigo: described(
      z.enum(FAILURE_CODES),
      'Qual falha é: estável, e a lista é fechada na v1. É por ele que o programa decide.',
    ),
    campos: described(
      z.optional(
        z.array(
          z.object({
            campo: described(
              z.string(),
              'Qual campo, com pontos até onde ele está (bancos.0); parâmetros e cabeçalhos pelo seu nome.',
            ),
            motivo: described(z.string(), 'O que há de errado com o campo e como corrigir, em uma frase para pessoas.'),
          }),
        ),
      ),
      'Todos os campos com esta falha, quando ela é de campos.',
    ),
    request_id: described(z.string(), 'Identifica a chamada para o suporte; igual ao cabeçalho X-Request-Id.'),
  }),
  { id: 'Erro', description: 'Corpo de toda resposta que não é 2xx.' },
);

/** `base` is the path in front of our paths, which the link to the guide's text on the code needs (RFC 8288). */
export function failureAnswer(
  failure: Failure,
  requestId: string,
  base = '',
): { status: number; headers: Record<string, string>; body: z.input<typeof errorBody> } {
  const { status, erro, retryAfter, headers } = FAILURES[failure.code];
  const seconds = failure.retryAfter ?? retryAfter;
  const answered: Record<string, string> = {
    Link: `<${base}/docs/erros#${failure.code}>; rel="help"`,
    ...headers,
    ...failure.headers,
  };
  if (seconds !== undefined) answered['Retry-After'] = String(seconds);
  return {
    status,
    headers: answered,
    body: {
      erro: failure.text ?? erro,
      codigo: failure.code,
      campos: failure.fields?.map(({ field, reason }) => ({ campo: field, motivo: reason })),
      request_id: requestId,
    },
  };
}
