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

// Which failures a route can answer, and the case that each example of them shows.

/** Whether a body must have at least one field. */
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

/** When a route can answer a failure; `elsewhere` is for what answers before any route is known. */
const FAILS: Readonly<Record<FailureCode, 'elsewhere' | Rule>> = {
  json_invalido: hasBody,
  campo_obrigatorio: ({ idempotency }, { body }) =>
    idempotency === 'required' || (body !== undefined && isBodyRequired(body.schema)),
  // Every query is read, if only to refuse a parameter that is repeated.
  // On public routes the gateway answers it to what it cannot read.
  campo_invalido: always,
  auth_invalid: keyed,
  // On public routes the firewall, where a stage has one.
  sem_permissao: always,
  nao_encontrado: ({ path }) => path.includes('{id}'),
  rota_nao_encontrada: 'elsewhere',
  metodo_nao_permitido: 'elsewhere',
  idempotencia_em_andamento: idempotent,
  corpo_muito_grande: hasBody,
  tipo_nao_suportado: hasBody,
  banco_invalido: bodyNames('bancos'),
  consentimento_ausente: bodyNames('consentimento'),
  idempotency_conflito: idempotent,
  // The holder is compared with the lead wherever both are named.
  divergencia_titular: bodyNames('lead_id', 'cpf'),
  lead_nao_encontrado: bodyNames('lead_id'),
  campo_nao_alteravel: ({ method }) => method === 'PATCH',
  // On public routes too: the gateway bounds them.
  rate_limited: always,
  erro_interno: always,
  tempo_esgotado: always,
  // No route: a bank submission without an answer that can be trusted is accepted (202) and reconciled.
  operador_falhou: () => false,
  servico_indisponivel: always,
};

/** What answers before any route is known. */
export const ELSEWHERE: readonly FailureCode[] = FAILURE_CODES.filter((code) => FAILS[code] === 'elsewhere');

/** One cause of a failure, as an example. */
export interface FailureCase {
  readonly summary: string;
  readonly failure: Failure;
  /** Whether only this route shows it. */
  readonly own: boolean;
}

/** Causes, for what a failure's own words do not show. */
const CAUSES: Readonly<Partial<Record<FailureCode, readonly [summary: string, failure: Failure]>>> = {
  campo_invalido: ['Parâmetro repetido', parametersRepeated(['parametro'])],
  json_invalido: ['Vírgula que sobra', jsonMalformed({ cause: 'trailingComma', line: 3, column: 14 })],
  auth_invalid: ['Chave que não veio', keyRefused('missing')],
};

/** The case of a failure that has the same cause on every route. */
export function generalCase(code: FailureCode): FailureCase {
  const own = `${FAILURES[code].erro.split(/\.(?: |$)/)[0]}.`;
  const [summary, failure] = CAUSES[code] ?? [own, new Failure(code)];
  return { summary, failure, own: false };
}

/** The failure that a call throws. Throws where it throws none: then the example is no longer one. */
function failureOf(summary: string, call: () => unknown): Failure {
  try {
    call();
  } catch (failure) {
    if (failure instanceof Failure) return failure;
    throw failure;
  }
  throw new Error(`the example "${summary}" is accepted`);
}

/** The cases of a route's own, in the order in which they are checked. */
function ownCases(route: Route, { id, query, body, failures = [] }: OperationWords): FailureCase[] {
  const cases: FailureCase[] = [];
  const add = (summary: string, failure: Failure) => cases.push({ summary, failure, own: true });
  const addThrown = (summary: string, call: () => unknown) => add(summary, failureOf(summary, call));
  if (route.idempotency === 'required') add('Falta a Idempotency-Key', keyMissing());
  if (route.idempotency !== 'none') add('Chave já usada com outro corpo', keyReused());
  if (id && route.pathId === 'event') add('Id que não é o de um evento', eventIdMalformed());
  else if (id) add('Id que não é um inteiro positivo', pathIdMalformed());
  if (query) addThrown('Página fora dos limites', () => parsePage({ limit: '500', offset: '-1' }));
  for (const [summary, refused] of body?.refused ?? []) addThrown(summary, () => body?.read(refused));
  for (const [summary, failure] of failures) add(summary, failure);
  return cases;
}

/**
 * Every failure that a route can answer, each with the cases that its examples show: the bodies that the contract
 * refuses are really read, so that an example is what the service says. Throws where an example no longer fails, or
 * fails in a way that no rule lets the route fail.
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
