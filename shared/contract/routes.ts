import type { Scope } from '../domain/partners/partner.ts';

/** Kind of thing that an id in a path names. An `event` has an id of the form `evt_...`; all other ids are numbers. */
export type PathId = 'none' | 'lead' | 'simulation' | 'analysis' | 'event';

export interface Route {
  /** Name of the function, and of its file below functions/api/. */
  readonly operation: string;
  readonly tag: 'leads' | 'simulations' | 'analyses' | 'consents' | 'webhooks' | 'account' | 'health' | 'docs';
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** Path in API Gateway's form. */
  readonly path: `/${string}`;
  /** `all`: a key with all scopes. `any`: every valid key. `public`: no key. */
  readonly scope: Scope | 'all' | 'any' | 'public';
  readonly idempotency: 'none' | 'optional' | 'required';
  /** Kind of the id in the path. An id of the kind `simulation` may also be the id of the opportunity. */
  readonly pathId: PathId;
  /** Further paths that the same function answers. The OpenAPI document does not list them. */
  readonly files?: readonly `/${string}`[];
  /** Row in the specification's table of endpoints. Undefined for endpoints that we added. */
  readonly specification?: number;
}

type Facts = Pick<Route, 'scope' | 'files' | 'specification'> & Partial<Pick<Route, 'idempotency' | 'pathId'>>;

/** Returns a route. `file` is its file below functions/api/. `idempotency` and `pathId` are `none` if left out. */
// @__NO_SIDE_EFFECTS__
function route<
  Tag extends Route['tag'],
  Name extends string,
  Method extends Route['method'],
  Path extends Route['path'],
  const RouteFacts extends Facts,
>(file: `${Tag}/${Name}`, address: `${Method} ${Path}`, facts: RouteFacts) {
  const [tag, operation] = file.split('/') as [Tag, Name];
  const [method, path] = address.split(' ') as [Method, Path];
  const idempotency = (facts.idempotency ?? 'none') as RouteFacts extends { idempotency: infer Rule } ? Rule : 'none';
  const pathId = (facts.pathId ?? 'none') as RouteFacts extends { pathId: infer Named } ? Named : 'none';
  return { operation, tag, method, path, ...facts, idempotency, pathId };
}

export const createLead = route('leads/create-lead', 'POST /v1/leads', {
  scope: 'leads',
  idempotency: 'optional',
  specification: 1,
});
export const getLead = route('leads/get-lead', 'GET /v1/leads/{id}', {
  scope: 'leads',
  pathId: 'lead',
  specification: 2,
});
export const updateLead = route('leads/update-lead', 'PATCH /v1/leads/{id}', {
  scope: 'leads',
  pathId: 'lead',
  specification: 3,
});
export const createSimulation = route('simulations/create-simulation', 'POST /v1/simulacoes', {
  scope: 'simulacoes',
  idempotency: 'optional',
  specification: 4,
});
export const getSimulation = route('simulations/get-simulation', 'GET /v1/simulacoes/{id}', {
  scope: 'simulacoes',
  pathId: 'simulation',
  specification: 5,
});
export const getSimulationInstalments = route(
  'simulations/get-simulation-instalments',
  'GET /v1/simulacoes/{id}/parcelas',
  { scope: 'simulacoes', pathId: 'simulation' },
);
export const getSimulationPdf = route('simulations/get-simulation-pdf', 'GET /v1/simulacoes/{id}/pdf', {
  scope: 'simulacoes',
  pathId: 'simulation',
});
export const getSimulationComparison = route(
  'simulations/get-simulation-comparison',
  'GET /v1/simulacoes/{id}/comparativo',
  { scope: 'simulacoes', pathId: 'simulation' },
);
export const submitAnalyses = route('analyses/submit-analyses', 'POST /v1/analises', {
  scope: 'analises',
  idempotency: 'required',
  specification: 6,
});
export const listAnalyses = route('analyses/list-analyses', 'GET /v1/analises', { scope: 'acompanhamento' });
export const getAnalysisStatus = route('analyses/get-analysis-status', 'GET /v1/analises/{id}/status', {
  scope: 'acompanhamento',
  pathId: 'analysis',
  specification: 7,
});
export const listLeadAnalyses = route('analyses/list-lead-analyses', 'GET /v1/leads/{id}/analises', {
  scope: 'acompanhamento',
  pathId: 'lead',
  specification: 8,
});
export const listLeadConsents = route('consents/list-lead-consents', 'GET /v1/leads/{id}/consentimentos', {
  scope: 'acompanhamento',
  pathId: 'lead',
  specification: 9,
});
export const withdrawConsent = route('consents/withdraw-consent', 'POST /v1/leads/{id}/consentimentos/revogacao', {
  scope: 'analises',
  idempotency: 'optional',
  pathId: 'lead',
});
export const getWebhook = route('webhooks/get-webhook', 'GET /v1/webhooks', {
  scope: 'acompanhamento',
  specification: 10,
});
export const listOwnDeliveries = route('webhooks/list-own-deliveries', 'GET /v1/webhooks/entregas', {
  scope: 'acompanhamento',
});
export const resendDelivery = route('webhooks/resend-delivery', 'POST /v1/webhooks/entregas/{id}/reenvio', {
  scope: 'acompanhamento',
  pathId: 'event',
});
export const testWebhook = route('webhooks/test-webhook', 'POST /v1/webhooks/teste', { scope: 'acompanhamento' });
export const getAccount = route('account/get-account', 'GET /v1/me', { scope: 'any', specification: 11 });
export const listRefusedCalls = route('account/list-refused-calls', 'GET /v1/erros', { scope: 'any' });
export const resetSandbox = route('account/reset-sandbox', 'POST /v1/sandbox/reinicio', { scope: 'all' });
export const getHealth = route('health/get-health', 'GET /health', { scope: 'public', specification: 12 });
export const getOpenapi = route('docs/get-openapi', 'GET /openapi.json', { scope: 'public' });
export const getOpenapi30 = route('docs/get-openapi-30', 'GET /openapi-3.0.json', { scope: 'public' });
export const getDocs = route('docs/get-docs', 'GET /docs', {
  scope: 'public',
  files: ['/docs/{file}', '/docs/pacotes/{file}', '/llms.txt', '/.well-known/security.txt'],
});

const ROWS = [
  createLead,
  getLead,
  updateLead,
  createSimulation,
  getSimulation,
  getSimulationInstalments,
  getSimulationPdf,
  getSimulationComparison,
  submitAnalyses,
  listAnalyses,
  getAnalysisStatus,
  listLeadAnalyses,
  listLeadConsents,
  withdrawConsent,
  getWebhook,
  listOwnDeliveries,
  resendDelivery,
  testWebhook,
  getAccount,
  listRefusedCalls,
  resetSandbox,
  getHealth,
  getOpenapi,
  getOpenapi30,
  getDocs,
] as const;

export type Operation = (typeof ROWS)[number]['operation'];

export const ROUTES: readonly (Route & { readonly operation: Operation })[] = ROWS;

/** Returns the methods by which a route may be called. A GET also answers HEAD, without a body. */
export const methodsOf = ({ method }: Pick<Route, 'method'>): readonly string[] =>
  method === 'GET' ? ['GET', 'HEAD'] : [method];
