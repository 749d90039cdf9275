import * as z from 'zod/mini';
import { FAILURES } from '#shared/contract/failures.ts';
import { parsePage } from '#shared/contract/page.ts';
import {
  eventIdMalformed,
  jsonMalformed,
  keyMissing,
  keyRefused,
  keyReused,
  parametersRepeated,
  pathIdMalformed,
} from '#shared/contract/request-failures.ts';
import type { Route } from '#shared/contract/routes.ts';
import { FAILURE_CODES, Failure, type FailureCode } from '#shared/domain/values/failure.ts';
import type { OperationWords } from './operation-words.ts';

export const isBodyRequired = (schema: z.ZodMiniObject): boolean =>
  Object.values(schema.shape).some((field) => !z.safeParse(field, undefined).success);

type Rule = (route: Route, words: OperationWords) => boolean;

const always: Rule = () => true;
const keyed: Rule = ({ scope }) => scope !== 'public';
const hasBody: Rule = ({ method }) => method !== 'GET';
const idempotent: Rule = ({ idempotency }) => idempotency !== 'none';
const bodyNames =
  (...fields: readonly string[]): Rule =>
  (_, { body }) =>
    fields.every((field) => field in (body?.schema.shape ?? {}));

/** Says which routes can answer a failure. `elsewhere`: the failure is answered before any route is known. */
const FAILS: Readonly<Record<FailureCode, 'elsewhere' | Rule>> = {
  json_invalido: hasBody,
  campo_obrigatorio: ({ idempotency }, { body }) =>
    idempotency === 'required' || (body !== undefined && isBodyRequired(body.schema)),
  // A repeated parameter is refused. On public routes the gateway answers this to a call that it cannot read.
  campo_invalido: always,
  auth_invalid: keyed,
  // On public routes the firewall answers this, if the stage has a firewall.
  sem_permissao: always,
  nao_encontrado: ({ path, operation }) => path.includes('{id}') || operation === 'test-webhook',
  rota_nao_encontrada: 'elsewhere',
  metodo_nao_permitido: 'elsewhere',
  idempotencia_em_andamento: idempotent,
  corpo_muito_grande: hasBody,
  tipo_nao_suportado: hasBody,
  banco_invalido: bodyNames('bancos'),
  consentimento_ausente: bodyNames('consentimento'),
  idempotency_conflito: idempotent,
  // The holder is compared with the lead in every body that names both.
  divergencia_titular: bodyNames('lead_id', 'cpf'),
  lead_nao_encontrado: bodyNames('lead_id'),
  campo_nao_alteravel: ({ method }) => method === 'PATCH',
  // Public routes can answer this, too, since the gateway limits them.
  rate_limited: always,
  erro_interno: always,
  tempo_esgotado: always,
  // No route answers this: a bank submission without a trustworthy answer is accepted (202) and checked later.
  operador_falhou: () => false,
  servico_indisponivel: always,
};

export const ELSEWHERE: readonly FailureCode[] = FAILURE_CODES.filter((code) => FAILS[code] === 'elsewhere');

export interface FailureCase {
  readonly summary: string;
  readonly failure: Failure;
  readonly own: boolean;
}

/** Causes of failures whose own text does not show a cause. */
const CAUSES: Readonly<Partial<Record<FailureCode, readonly [summary: string, failure: Failure]>>> = {
  campo_invalido: ['Parâmetro repetido', parametersRepeated(['parametro'])],
  json_invalido: ['Vírgula que sobra', jsonMalformed({ cause: 'trailingComma', line: 3, column: 14 })],
  auth_invalid: ['Chave que não veio', keyRefused('missing')],
};

export function generalCase(code: FailureCode): FailureCase {
  const own = `${FAILURES[code].erro.split(/\.(?: |$)/)[0]}.`;
  const [summary, failure] = CAUSES[code] ?? [own, new Failure(code)];
  return { summary, failure, own: false };
}

/** Throws an Error if the call does not fail, because then the example is wrong. */
function failureOf(summary: string, call: () => unknown): Failure {
  try {
    call();
  } catch (failure) {
    if (failure instanceof Failure) return failure;
    throw failure;
  }
  throw new Error(`the example "${summary}" is accepted`);
}

/** Returns the cases that only this route shows, in the order in which the failures are checked. */
function ownCases(route: Route, { id, query, body, failures = [] }: OperationWords): FailureCase[] {
  const cases: FailureCase[] = [];
  const add = (summary: string, failure: Failure) => cases.push({ summary, failure, own: true });
  const addThrown = (summary: string, call: () => unknown) => add(summary, failureOf(summary, call));
  if (route.idempotency === 'required') add('Falta a Idempotency-Key', keyMissing());
  if (route.idempotency !== 'none') add('Chave já usada em outro pedido', keyReused());
  if (id && route.pathId === 'event') add('Id que não é o de um evento', eventIdMalformed());
  else if (id) add('Id que não é um inteiro positivo', pathIdMalformed());
  if (query) addThrown('Página fora dos limites', () => parsePage({ limit: '500', offset: '-1' }));
  for (const [summary, refused] of body?.refused ?? []) addThrown(summary, () => body?.read(refused));
  for (const [summary, failure] of failures) add(summary, failure);
  return cases;
}

/**
 * The bodies that the contract refuses are really read. Throws if an example no longer fails, or if it fails with a
 * code that no rule allows on this route.
 */
export function failureCasesOf(route: Route, words: OperationWords): ReadonlyMap<FailureCode, readonly FailureCase[]> {
  const own = ownCases(route, words);
  const cases = new Map<FailureCode, readonly FailureCase[]>();
  for (const code of FAILURE_CODES) {
    const rule = FAILS[code];
    if (rule === 'elsewhere' || !rule(route, words)) continue;
    const shown = own.filter(({ failure }) => failure.code === code);
    cases.set(code, shown.length > 0 ? shown : [generalCase(code)]);
  }
  const undeclared = own.find(({ failure }) => !cases.has(failure.code));
  if (undeclared) throw new Error(`no rule lets ${route.operation} answer ${undeclared.failure.code}`);
  return cases;
}
