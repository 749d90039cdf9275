import type { AnalysisId, PartnerId, UnitId } from '#shared/domain/values/ids.ts';
import type { Tenancy } from '#shared/domain/values/tenancy.ts';
import type { Attempt, AttemptResult, Delivery } from '#shared/domain/webhooks/delivery.ts';
import { eventIdOf } from '#shared/domain/webhooks/delivery.ts';
import type { WebhookEndpoint } from '#shared/domain/webhooks/endpoint.ts';

/** The delivery of an event about an analysis. Such an event has a unit. */
export type AnalysisDelivery = Delivery & Tenancy;

/** Returns a delivery in production before its first attempt. */
export function makeDelivery(overrides: Partial<Delivery> = {}): AnalysisDelivery {
  const tenancy = { unitId: 11 as UnitId, environment: 'producao' } as const;
  const eventId = eventIdOf(tenancy, 9001 as AnalysisId, 'analise.resultado', 1);
  return {
    ...tenancy,
    eventId,
    partnerId: 3 as PartnerId,
    analysisId: 9001 as AnalysisId,
    type: 'analise.resultado',
    body: JSON.stringify({ id: eventId, type: 'analise.resultado', data: { analise_id: 9001, banco: 'itau' } }),
    state: 'pendente',
    attempts: 0,
    dueAt: 1_763_640_000_000,
    createdAt: 1_763_640_000_000,
    history: [] as readonly Attempt[],
    ...overrides,
    unitId: overrides.unitId ?? tenancy.unitId,
  };
}

/** Returns an enabled endpoint with the secret of the contract's examples and no rotation in progress. */
export function makeEndpoint(overrides: Partial<WebhookEndpoint> = {}): WebhookEndpoint {
  return {
    url: 'https://hooks.parceiro.com.br/eventos?loja=7',
    enabled: true,
    secret: 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=',
    previousSecret: undefined,
    previousUntil: undefined,
    changedAt: 1_763_640_000_000,
    health: { failures: 0, failingSince: undefined },
    disabledBecause: undefined,
    ...overrides,
  };
}

// Results of an attempt.
export const success: AttemptResult = { delivered: true, status: 200, milliseconds: 10 };
export const failed: AttemptResult = {
  delivered: false,
  failure: 'http_5xx',
  status: 500,
  milliseconds: 10,
  detail: 'no',
};
export const gone: AttemptResult = { ...failed, failure: 'http_4xx', status: 410 };
