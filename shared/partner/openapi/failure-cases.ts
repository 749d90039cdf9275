import type * as z from 'zod';
import { FAILURES } from '../../contract/failures.ts';
import { parsePage } from '../../contract/page.ts';
import type { Route } from '../../contract/routes.ts';
import { FAILURE_CODES, Failure, type FailureCode } from '../../domain/values/failure.ts';
import type { OperationWords } from './documentation.ts';

/** What of a route and its body decides how it can fail. */
interface Facts {
  readonly keyed: boolean;
  readonly changes: boolean;
  readonly idempotency: Route['idempotency'];
  readonly pathId: boolean;
  readonly patch: boolean;
  /** Whether something must be there: a field of the body, or the Idempotency-Key. */
  readonly requires: boolean;
  /** Names of the body's fields. */
  readonly fields: ReadonlySet<string>;
}

/** When a route can answer a failure; `elsewhere` is for what answers before any route is known. */
const FAILS: Readonly<Record<FailureCode, 'elsewhere' | ((facts: Facts) => boolean)>> = {
  json_invalido: ({ changes }) => changes,
  campo_obrigatorio: ({ requires }) => requires,
  // Every query is read, if only to refuse a parameter that is repeated.
  campo_invalido: ({ keyed }) => keyed,
  auth_invalid: ({ keyed }) => keyed,
  sem_permissao: ({ keyed }) => keyed,
  nao_encontrado: ({ pathId }) => pathId,
  rota_nao_encontrada: 'elsewhere',
  metodo_nao_permitido: 'elsewhere',
  idempotencia_em_andamento: ({ idempotency }) => idempotency !== 'none',
  corpo_muito_grande: ({ changes }) => changes,
  tipo_nao_suportado: ({ changes }) => changes,
  banco_invalido: ({ fields }) => fields.has('bancos'),
  consentimento_ausente: ({ fields }) => fields.has('consentimento'),
  idempotency_conflito: ({ idempotency }) => idempotency !== 'none',
  // The holder is compared with the lead wherever both are named.
  divergencia_titular: ({ fields }) => fields.has('lead_id') && fields.has('cpf'),
  lead_nao_encontrado: ({ fields }) => fields.has('lead_id'),
  campo_nao_alteravel: ({ patch }) => patch,
  // On public routes too: the gateway bounds them.
  rate_limited: () => true,
  erro_interno: () => true,
  tempo_esgotado: () => true,
  // No route: a bank submission without an answer that can be trusted is accepted (202) and reconciled.
  operador_falhou: () => false,
  servico_indisponivel: () => true,
};

/** What answers before any route is known. */
export const ELSEWHERE: readonly FailureCode[] = FAILURE_CODES.filter((code) => FAILS[code] === 'elsewhere');

/** Whether a body must have at least one field. */
export function requiresOf(schema: z.ZodObject): boolean {
  return Object.values(schema.shape).some((field) => !field.safeParse(undefined).success);
}

function factsOf(route: Route, { body }: OperationWords): Facts {
  return {
    keyed: route.scope !== 'public',
    changes: route.method !== 'GET',
    idempotency: route.idempotency,
    pathId: route.path.includes('{id}'),
    patch: route.method === 'PATCH',
    requires: route.idempotency === 'required' || (body !== undefined && requiresOf(body.schema)),
    fields: new Set(Object.keys(body?.schema.shape ?? {})),
  };
}

/** One way in which a failure comes about, as an example. */
export interface FailureCase {
  readonly summary: string;
  readonly failure: Failure;
  /** Whether only this route shows it. */
  readonly own: boolean;
}

/** The failure that a call throws. Throws where it throws none: then the example is no longer one. */
function failureOf(summary: string, call: () => unknown): FailureCase {
  try {
    call();
  } catch (failure) {
    if (failure instanceof Failure) return { summary, failure, own: true };
    throw failure;
  }
  throw new Error(`the example "${summary}" is accepted`);
}

const invalid = (summary: string, field: string, reason: string): FailureCase => ({
  summary,
  failure: new Failure('campo_invalido', { fields: [{ field, reason }] }),
  own: true,
});

/** The cases of a route's own, in the order in which they are checked. */
function ownCases(route: Route, words: OperationWords): FailureCase[] {
  const cases: FailureCase[] = [];
  if (route.idempotency === 'required') {
    const reason = 'é obrigatório nesta rota; envie uma chave nova por pedido, por exemplo um UUID';
    const failure = new Failure('campo_obrigatorio', { fields: [{ field: 'Idempotency-Key', reason }] });
    cases.push({ summary: 'Falta a Idempotency-Key', failure, own: true });
  }
  if (route.idempotency !== 'none') {
    const reason = 'já foi usada com outro corpo; use uma chave nova ou repita o corpo original';
    const failure = new Failure('idempotency_conflito', { fields: [{ field: 'Idempotency-Key', reason }] });
    cases.push({ summary: 'Chave já usada com outro corpo', failure, own: true });
  }
  if (words.id) {
    const reason = 'deve ser um número inteiro positivo, como o que a criação devolveu';
    cases.push(invalid('Id que não é um inteiro positivo', 'id', reason));
  }
  if (words.query) {
    cases.push(failureOf('Página fora dos limites', () => parsePage({ limit: '500', offset: '-1' })));
  }
  const { read, refused = [] } = words.body ?? {};
  cases.push(
    ...refused.map(({ summary, body }) => failureOf(summary, () => read?.(body as Parameters<typeof read>[0]))),
  );
  cases.push(
    ...(words.failures ?? []).map(({ summary, failure }) =>
      failureOf(summary, () => {
        throw failure();
      }),
    ),
  );
  return cases;
}

const WITHOUT_FIELDS: Readonly<Partial<Record<FailureCode, FailureCase>>> = {
  campo_invalido: {
    ...invalid('Parâmetro repetido', 'parametro', 'veio repetido; envie o parâmetro uma vez'),
    own: false,
  },
};

/**
 * Every failure that a route can answer, each with the cases that its examples show: the bodies that the contract
 * refuses are really read, so that an example is what the service says. Throws where an example no longer fails, or
 * fails in a way that no rule lets the route fail.
 */
export function failureCasesOf(route: Route, words: OperationWords): ReadonlyMap<FailureCode, readonly FailureCase[]> {
  const facts = factsOf(route, words);
  const own = ownCases(route, words);
  const cases = new Map<FailureCode, readonly FailureCase[]>();
  for (const code of FAILURE_CODES) {
    const rule = FAILS[code];
    if (rule === 'elsewhere' || !rule(facts)) continue;
    const shown = own.filter(({ failure }) => failure.code === code);
    const general = WITHOUT_FIELDS[code] ?? { summary: summaryOf(code), failure: new Failure(code), own: false };
    cases.set(code, shown.length > 0 ? shown : [general]);
  }
  const undeclared = own.find(({ failure }) => !cases.has(failure.code));
  if (undeclared) throw new Error(`no rule lets ${route.operation} answer ${undeclared.failure.code}`);
  return cases;
}

/** The first sentence of a failure's text. */
export function summaryOf(code: FailureCode): string {
  return `${FAILURES[code].erro.split(/\.(?: |$)/)[0]}.`;
}
