import type { Scope } from '../domain/partners/partner.ts';

/** One row per endpoint: the gateway, the permissions, the OpenAPI document, the local run and the tests read it. */
export interface Route {
  /** Name of the function, and of its file below functions/api/. */
  readonly operation: string;
  /** Folder of the file. */
  readonly tag: 'leads' | 'simulations' | 'analyses' | 'consents' | 'webhooks' | 'account' | 'health' | 'docs';
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** As API Gateway writes it. */
  readonly path: `/${string}`;
  /** `all`: a key of every scope. `any`: every valid key. `public`: no key. */
  readonly scope: Scope | 'all' | 'any' | 'public';
  readonly idempotency: 'none' | 'optional' | 'required';
  /** Of what the id in the path is: a number of ours, or an event's `evt_...`. @default number */
  readonly pathId?: 'event';
  /** Further paths that the same function answers, of which the interface's description does not tell. */
  readonly files?: readonly `/${string}`[];
  /** The row of the specification's table of endpoints; none for our additions. */
  readonly specification?: number;
}

export const createLead = {
  operation: 'create-lead',
  tag: 'leads',
  method: 'POST',
  path: '/v1/leads',
  scope: 'leads',
  idempotency: 'optional',
  specification: 1,
} as const satisfies Route;

export const getLead = {
  operation: 'get-lead',
  tag: 'leads',
  method: 'GET',
  path: '/v1/leads/{id}',
  scope: 'leads',
  idempotency: 'none',
  specification: 2,
} as const satisfies Route;

export const updateLead = {
  operation: 'update-lead',
  tag: 'leads',
  method: 'PATCH',
  path: '/v1/leads/{id}',
  scope: 'leads',
  idempotency: 'none',
  specification: 3,
} as const satisfies Route;

export const createSimulation = {
  operation: 'create-simulation',
  tag: 'simulations',
  method: 'POST',
  path: '/v1/simulacoes',
  scope: 'simulacoes',
  idempotency: 'optional',
  specification: 4,
} as const satisfies Route;

export const getSimulation = {
  operation: 'get-simulation',
  tag: 'simulations',
  method: 'GET',
  path: '/v1/simulacoes/{id}',
  scope: 'simulacoes',
  idempotency: 'none',
  specification: 5,
} as const satisfies Route;

export const getSimulationInstalments = {
  operation: 'get-simulation-instalments',
  tag: 'simulations',
  method: 'GET',
  path: '/v1/simulacoes/{id}/parcelas',
  scope: 'simulacoes',
  idempotency: 'none',
} as const satisfies Route;

export const getSimulationPdf = {
  operation: 'get-simulation-pdf',
  tag: 'simulations',
  method: 'GET',
  path: '/v1/simulacoes/{id}/pdf',
  scope: 'simulacoes',
  idempotency: 'none',
} as const satisfies Route;

export const getSimulationComparison = {
  operation: 'get-simulation-comparison',
  tag: 'simulations',
  method: 'GET',
  path: '/v1/simulacoes/{id}/comparativo',
  scope: 'simulacoes',
  idempotency: 'none',
} as const satisfies Route;

export const submitAnalyses = {
  operation: 'submit-analyses',
  tag: 'analyses',
  method: 'POST',
  path: '/v1/analises',
  scope: 'analises',
  idempotency: 'required',
  specification: 6,
} as const satisfies Route;

export const getAnalysisStatus = {
  operation: 'get-analysis-status',
  tag: 'analyses',
  method: 'GET',
  path: '/v1/analises/{id}/status',
  scope: 'acompanhamento',
  idempotency: 'none',
  specification: 7,
} as const satisfies Route;

export const listLeadAnalyses = {
  operation: 'list-lead-analyses',
  tag: 'analyses',
  method: 'GET',
  path: '/v1/leads/{id}/analises',
  scope: 'acompanhamento',
  idempotency: 'none',
  specification: 8,
} as const satisfies Route;

export const listLeadConsents = {
  operation: 'list-lead-consents',
  tag: 'consents',
  method: 'GET',
  path: '/v1/leads/{id}/consentimentos',
  scope: 'acompanhamento',
  idempotency: 'none',
  specification: 9,
} as const satisfies Route;

export const getWebhook = {
  operation: 'get-webhook',
  tag: 'webhooks',
  method: 'GET',
  path: '/v1/webhooks',
  scope: 'acompanhamento',
  idempotency: 'none',
  specification: 10,
} as const satisfies Route;

export const listOwnDeliveries = {
  operation: 'list-own-deliveries',
  tag: 'webhooks',
  method: 'GET',
  path: '/v1/webhooks/entregas',
  scope: 'acompanhamento',
  idempotency: 'none',
} as const satisfies Route;

export const resendDelivery = {
  operation: 'resend-delivery',
  tag: 'webhooks',
  method: 'POST',
  path: '/v1/webhooks/entregas/{id}/reenvio',
  scope: 'acompanhamento',
  idempotency: 'none',
  pathId: 'event',
} as const satisfies Route;

export const getAccount = {
  operation: 'get-account',
  tag: 'account',
  method: 'GET',
  path: '/v1/me',
  scope: 'any',
  idempotency: 'none',
  specification: 11,
} as const satisfies Route;

export const listRefusedCalls = {
  operation: 'list-refused-calls',
  tag: 'account',
  method: 'GET',
  path: '/v1/erros',
  scope: 'any',
  idempotency: 'none',
} as const satisfies Route;

export const resetSandbox = {
  operation: 'reset-sandbox',
  tag: 'account',
  method: 'POST',
  path: '/v1/sandbox/reinicio',
  scope: 'all',
  idempotency: 'none',
} as const satisfies Route;

export const getHealth = {
  operation: 'get-health',
  tag: 'health',
  method: 'GET',
  path: '/health',
  scope: 'public',
  idempotency: 'none',
  specification: 12,
} as const satisfies Route;

export const getOpenapi = {
  operation: 'get-openapi',
  tag: 'docs',
  method: 'GET',
  path: '/openapi.json',
  scope: 'public',
  idempotency: 'none',
} as const satisfies Route;

export const getOpenapi30 = {
  operation: 'get-openapi-30',
  tag: 'docs',
  method: 'GET',
  path: '/openapi-3.0.json',
  scope: 'public',
  idempotency: 'none',
} as const satisfies Route;

export const getDocs = {
  operation: 'get-docs',
  tag: 'docs',
  method: 'GET',
  path: '/docs',
  files: ['/docs/{file}', '/llms.txt', '/.well-known/security.txt'],
  scope: 'public',
  idempotency: 'none',
} as const satisfies Route;

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
  getAnalysisStatus,
  listLeadAnalyses,
  listLeadConsents,
  getWebhook,
  listOwnDeliveries,
  resendDelivery,
  getAccount,
  listRefusedCalls,
  resetSandbox,
  getHealth,
  getOpenapi,
  getOpenapi30,
  getDocs,
] as const;

/** Names of the operations. */
export type Operation = (typeof ROWS)[number]['operation'];

export const ROUTES: readonly (Route & { readonly operation: Operation })[] = ROWS;

/** The methods by which a route is called: what can be read can be asked about (HEAD), and is answered without a body. */
export const methodsOf = ({ method }: Pick<Route, 'method'>): readonly string[] =>
  method === 'GET' ? ['GET', 'HEAD'] : [method];
