import { type Operation, type PathId, ROUTES } from '#shared/contract/routes.ts';
import type { Seconds } from '#shared/domain/values/time.ts';

export interface OpenApiDocument {
  readonly info: { readonly title: string; readonly version: string };
  readonly paths?: Readonly<Record<string, unknown>> | undefined;
}

interface OpenApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly security: readonly unknown[];
  readonly parameters?: readonly {
    readonly in: string;
    readonly name: string;
    readonly description?: string;
    readonly schema?: { readonly default?: unknown };
  }[];
  readonly responses: Readonly<Record<string, { readonly content?: object }>>;
  readonly requestBody?: {
    readonly content: {
      readonly 'application/json': { readonly examples: Readonly<Record<string, { readonly value: object }>> };
    };
  };
}

/**
 * - `drawn`: the key is drawn only for this request
 * - `kept`: the key is drawn and kept with all other values that the body draws, so that the request can be repeated
 * - `again`: the kept key
 */
type KeySource = 'drawn' | 'kept' | 'again';

/** Step of a `Place`: among the items of a list, the first that has an offer. */
export const OFFERED = Symbol('the first with an offer');

/** Path to a value in a body: field names and list indexes. */
export type Place = readonly (string | number | typeof OFFERED)[];

/** Returns a place as a JavaScript expression over `corpo`, the parsed body. */
export const inScript = (place: Place) =>
  place.reduce<string>((text, step) => {
    if (step === OFFERED) return `${text}.find((um) => um.sucesso)`;
    return typeof step === 'number' ? `${text}[${step}]` : `${text}.${String(step)}`;
  }, 'corpo');

interface Step {
  readonly operation: Operation;
  readonly title?: string;
  readonly id?: Variable | undefined;
  readonly key?: KeySource;
  readonly expected: readonly number[];
  readonly keeps?: Readonly<Partial<Record<Variable, Place>>>;
  /** Conditions of a good answer: a sentence, and JavaScript over `corpo`. */
  readonly holds?: readonly (readonly [string, string])[];
  /** JavaScript over `corpo`. While it is true, the request is sent again after a pause. */
  readonly repeatWhile?: string;
}

export const VARIABLES = [
  'lead_id',
  'id_oportunidade',
  'simulacao_id',
  'analise_id',
  'evento_id',
  'idempotency_key',
  'consentimento_timestamp',
] as const;
type Variable = (typeof VARIABLES)[number];

/** Values that a request with the key source `kept` draws before it is sent, by the variable that keeps them. */
export const KEPT: Readonly<Partial<Record<Variable, string>>> = {
  idempotency_key: '{{$guid}}',
  consentimento_timestamp: '{{$isoTimestamp}}',
};

/** The pause between two polls of a pending analysis, and the most polls. An outcome comes within about 70 s. */
export const POLL: { readonly pause: Seconds; readonly most: number } = { pause: 3, most: 40 };

const STORY: readonly Step[] = [
  { operation: 'get-health', expected: [200] },
  { operation: 'get-account', expected: [200] },
  { operation: 'create-lead', key: 'drawn', expected: [200, 201], keeps: { lead_id: ['lead_id'] } },
  {
    operation: 'create-lead',
    title: 'Reaproveitar o lead: o mesmo CPF',
    key: 'drawn',
    expected: [200],
    holds: [['o lead foi reaproveitado', 'corpo.reaproveitado === true']],
  },
  { operation: 'get-lead', id: 'lead_id', expected: [200] },
  { operation: 'update-lead', id: 'lead_id', expected: [200] },
  {
    operation: 'create-simulation',
    key: 'drawn',
    expected: [200],
    keeps: {
      id_oportunidade: ['resultado', 'id_oportunidade'],
      simulacao_id: ['resultado', 'resultados', OFFERED, 'simulacao_id'],
    },
    holds: [['ao menos um banco oferece', 'corpo.resultado.sucesso === true']],
  },
  { operation: 'get-simulation', id: 'simulacao_id', expected: [200] },
  {
    operation: 'get-simulation',
    title: 'Consultar a oportunidade: a de menor CET e as demais',
    id: 'id_oportunidade',
    expected: [200],
    holds: [['traz as demais simulações', 'Array.isArray(corpo.simulacao.outras)']],
  },
  { operation: 'submit-analyses', key: 'kept', expected: [202], keeps: { analise_id: ['analises', 0, 'analise_id'] } },
  {
    operation: 'submit-analyses',
    title: 'Repetir a submissão: a mesma Idempotency-Key',
    key: 'again',
    expected: [202],
    holds: [['é a mesma análise', 'String(corpo.analises[0].analise_id) === String(guardado.analise_id)']],
  },
  {
    operation: 'get-analysis-status',
    id: 'analise_id',
    expected: [200],
    repeatWhile: 'corpo.analise.pendente',
  },
  {
    operation: 'list-lead-consents',
    id: 'lead_id',
    expected: [200],
    holds: [['o consentimento foi guardado', 'corpo.consentimentos.length > 0']],
  },
  { operation: 'withdraw-consent', id: 'lead_id', key: 'drawn', expected: [200, 201] },
  { operation: 'list-own-deliveries', expected: [200], keeps: { evento_id: ['entregas', 0, 'id'] } },
  { operation: 'resend-delivery', id: 'evento_id', expected: [202] },
  { operation: 'test-webhook', expected: [200, 404] },
];

const IDS: Readonly<Record<PathId, Variable | undefined>> = {
  none: undefined,
  lead: 'lead_id',
  simulation: 'simulacao_id',
  analysis: 'analise_id',
  event: 'evento_id',
};

const READS: readonly Step[] = ROUTES.filter(
  ({ method, tag, operation }) =>
    method === 'GET' && tag !== 'docs' && !STORY.some((step) => step.operation === operation),
).map(({ operation, pathId }) => ({ operation, id: IDS[pathId], expected: [200] }));

/** The partner's flow: every operation of the API but `reset-sandbox`. A test fails if an operation is missing. */
export const FLOW: readonly Step[] = STORY.concat(READS);

/** A request of the flow, which each collection writes in its own format. `{{name}}` is a variable. */
export interface FlowRequest extends Omit<Step, 'title' | 'id'> {
  readonly name: string;
  readonly description: string;
  readonly method: string;
  /** Path without the base address. */
  readonly path: string;
  readonly query: readonly { readonly name: string; readonly value: string; readonly description: string }[];
  /** JSON text. */
  readonly body: string | undefined;
  readonly public: boolean;
  readonly json: boolean;
}

/** Variable of the flow or of the environment for the value of a body's field. */
const IN_BODIES: Readonly<Record<string, string>> = {
  lead_id: '{{lead_id}}',
  cpf: '"{{cpf}}"',
  consentimento_timestamp: '"{{consentimento_timestamp}}"',
};

/** Returns JSON text with variables for the values that belong to one run. */
function bodyText(example: object): string {
  return JSON.stringify(example, (name, value) => (name in IN_BODIES ? `\u0000${name}` : value), 2).replace(
    /"\\u0000(\w+)"/g,
    (_, name: string) => IN_BODIES[name] ?? name,
  );
}

function operationsOf(
  document: OpenApiDocument,
): ReadonlyMap<string, { method: string; path: string; words: OpenApiOperation }> {
  return new Map(
    Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
      Object.entries(item as Record<string, OpenApiOperation>)
        .filter(([, words]) => typeof words.operationId === 'string')
        .map(([method, words]) => [words.operationId, { method: method.toUpperCase(), path, words }] as const),
    ),
  );
}

function requestsOf(document: OpenApiDocument): (step: Step, number?: number) => FlowRequest {
  const operations = operationsOf(document);
  return ({ operation, title, id, ...step }, number) => {
    const found = operations.get(operation);
    if (!found) throw new Error(`the document has no operation ${operation}`);
    const { method, path, words } = found;
    const examples = words.requestBody?.content['application/json'].examples;
    const example = examples && Object.values(examples)[0]?.value;
    const name = title ?? words.summary;
    return {
      ...step,
      operation,
      name: number === undefined ? name : `${String(number).padStart(2, '0')} ${name}`,
      description: words.description,
      method,
      path: path.replace('{id}', `{{${id}}}`),
      query: (words.parameters ?? [])
        // A filter without a default is left out, because an empty filter would be refused.
        .filter((parameter) => parameter.in === 'query' && parameter.schema?.default !== undefined)
        .map(({ name, description = '', schema }) => ({ name, value: String(schema?.default ?? ''), description })),
      body: example && bodyText(example),
      public: words.security.length === 0,
      json: !Object.values(words.responses).some(({ content = {} }) => 'application/pdf' in content),
    };
  };
}

/** Throws if the document lacks an operation. */
export function flowRequests(document: OpenApiDocument): readonly FlowRequest[] {
  const request = requestsOf(document);
  return FLOW.map((step, index) => request(step, index + 1));
}

/** Calls that are not part of the flow: a person who tries a collection keeps the earlier leads. */
const OUTSIDE: readonly Step[] = [{ operation: 'reset-sandbox', expected: [202] }];

/** Returns one request of each operation: the first that the flow makes. Throws if the document lacks an operation. */
export function singleRequests(document: OpenApiDocument): readonly FlowRequest[] {
  const request = requestsOf(document);
  const steps = FLOW.concat(OUTSIDE);
  const isFirst = ({ operation }: Step, index: number) =>
    steps.findIndex((step) => step.operation === operation) === index;
  return steps.filter(isFirst).map((step) => request(step));
}

export interface Settings {
  /** The service's address, without a slash at its end. */
  readonly baseUrl: string;
}

/** Partners fill in `chave`. */
export function environmentOf({ baseUrl }: Settings) {
  return [
    { name: 'base_url', value: baseUrl, secret: false, description: 'O endereço do serviço, sem barra no fim.' },
    { name: 'chave', value: '', secret: true, description: 'A chave do sandbox: pmc_sandbox_…' },
    {
      name: 'cpf',
      value: '900.000.001-75',
      secret: false,
      description: 'O CPF de teste, que decide o desfecho no sandbox.',
    },
  ] as const;
}
