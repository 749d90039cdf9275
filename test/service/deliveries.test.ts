import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { EventId } from '#shared/domain/values/ids.ts';
import type { AttemptResult, Delivery } from '#shared/domain/webhooks/delivery.ts';
import type { EndpointOwner } from '#shared/domain/webhooks/endpoint.ts';
import { newWebhookSecret } from '#shared/domain/webhooks/secret.ts';
import { TableDeliveries } from '#shared/table/webhooks/deliveries.ts';
import { disableWebhook, setWebhook } from '#shared/table/webhooks/webhook-endpoints.ts';
import { api } from '../makers/api.ts';
import { bookDelivery } from '../makers/booked.ts';
import { stoppedAt } from '../makers/intercepted.ts';
import { type MadePartner, makePartner } from '../makers/peers.ts';
import { useScene } from '../makers/scene.ts';
import { passTime } from '../makers/test-clock.ts';

vi.mock('#shared/wiring.ts', async (real) => (await import('../makers/intercepted.ts')).openWiring(await real()));

useScene();
const ADDRESS = 'https://hooks.parceiro.com.br/eventos';
const FAILED: AttemptResult = { delivered: false, failure: 'http_5xx', status: 503, milliseconds: 31.4, detail: 'no' };
let partner: MadePartner;
/** The owner of the partner's webhook of the sandbox, to which the events of these tests go. */
const sandbox = (): EndpointOwner => ({ partnerId: partner.partnerId, environment: 'sandbox' });

beforeEach(async () => {
  partner = await makePartner(120);
  await setWebhook(sandbox(), ADDRESS, newWebhookSecret(), Date.now());
});

const own = (overrides: Partial<Delivery> = {}) => ({
  ...{ unitId: partner.unitId, environment: 'sandbox' as const, dueAt: Date.now(), createdAt: Date.now() },
  ...overrides,
});
const list = (query: Record<string, string> = {}, key = partner.keys.sandbox) =>
  api('listOwnDeliveries', { key, query });
const resend = (id: string, key = partner.keys.sandbox) => api('resendDelivery', { key, id });
const webhook = async (key = partner.keys.sandbox) => (await api('getWebhook', { key })).body.webhook;
const stored = async (id: EventId) => (await new TableDeliveries().get(id))!;

it('GET /v1/webhooks/entregas shows each attempt and when the next is due, but no text of the receiver', async () => {
  const at = Date.now();
  const history = [{ number: 1, at, result: FAILED }];
  const { eventId, analysisId, body } = await bookDelivery(
    partner.partnerId,
    own({ attempts: 1, history, dueAt: at + 5000, createdAt: at }),
  );
  expect((await list()).body).toEqual({
    ...{ ok: true, limit: 20, offset: 0, tem_mais: false },
    entregas: [
      {
        ...{ id: eventId, tipo: 'analise.resultado', analise_id: analysisId, situacao: 'pendente' },
        tentativas: [{ numero: 1, em: new Date(at).toISOString(), status_http: 503, falha: 'http_5xx', ms: 31 }],
        proxima_em: new Date(at + 5000).toISOString(),
        criada_em: new Date(at).toISOString(),
        corpo: body,
      },
    ],
  });
});

it('GET /v1/webhooks/entregas shows the bytes of an event in the sandbox, and not in production', async () => {
  const sent = '{"id":"evt_1","data":{"status_original":"Em análise… \\u00e9 \\"assim\\""}}';
  await bookDelivery(partner.partnerId, own({ body: sent }));
  const { analysisId } = await bookDelivery(partner.partnerId, own({ environment: 'producao', body: sent }));
  const [listed] = (await list()).body.entregas;
  expect(listed.corpo).toBe(sent);
  const queries: Record<string, string>[] = [{}, { analise_id: String(analysisId) }];
  for (const query of queries) {
    const { body, text } = await list(query, partner.keys.producao);
    expect(body.entregas).toHaveLength(1);
    expect(body.entregas[0]).not.toHaveProperty('corpo');
    expect(text).not.toContain('status_original');
  }
});

it('POST /v1/webhooks/entregas/{id}/reenvio answers without the bytes of the event', async () => {
  const { eventId } = await bookDelivery(partner.partnerId, own({ state: 'entregue', attempts: 1 }));
  const { status, body } = await resend(eventId);
  expect(status).toBe(202);
  expect(body.entrega).toMatchObject({ id: eventId });
  expect(body.entrega).not.toHaveProperty('corpo');
});

it('GET /v1/webhooks/entregas names every parameter that is wrong', async () => {
  const { status, body } = await list({ limit: '0', situacao: 'nova', analise_id: '1.5' });
  expect(status).toBe(400);
  expect(body.codigo).toBe('campo_invalido');
  expect(body.campos.map(({ campo }: { campo: string }) => campo)).toEqual(['limit', 'situacao', 'analise_id']);
});

it('POST /v1/webhooks/entregas/{id}/reenvio makes the delivery due at once, and refuses a second time in a minute', async () => {
  const state = 'entregue';
  const later = Date.now() + 3_600_000;
  const { eventId, body } = await bookDelivery(partner.partnerId, own({ state, attempts: 2, dueAt: later }));
  const made = await resend(eventId);
  expect(made.status).toBe(202);
  expect(made.body.entrega.situacao).toBe('pendente');
  expect(made.body.avisos).toBeUndefined();
  const row = await stored(eventId);
  expect(row).toMatchObject({ state: 'pendente', attempts: 2, body });
  expect(row.dueAt).toBeLessThanOrEqual(Date.now());
  passTime(20_000);
  const again = await resend(eventId);
  expect(again.status).toBe(429);
  expect(again.body.codigo).toBe('rate_limited');
  // The rest of the minute, less the time that the calls in between took.
  expect(Number(again.headers['retry-after'])).toBeLessThanOrEqual(40);
  expect(Number(again.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  passTime(40_000);
  expect((await resend(eventId)).status).toBe(202);
});

it('POST /v1/webhooks/entregas/{id}/reenvio keeps the delivery if the webhook is disabled, with a notice', async () => {
  const { eventId } = await bookDelivery(partner.partnerId, own({ state: 'esgotada', attempts: 4 }));
  const at = Date.now();
  await disableWebhook(sandbox(), 'failing', at);
  const made = await resend(eventId);
  expect(made.status).toBe(202);
  expect(made.body.entrega.situacao).toBe('suspensa');
  expect(made.body.entrega.proxima_em).toBeNull();
  expect(made.body.avisos).toEqual([{ campo: 'id', motivo: expect.stringContaining('desativado') }]);
  expect((await resend(eventId)).status).toBe(429);
  expect(await webhook()).toMatchObject({
    ...{ ativo: false, desativado_em: new Date(at).toISOString(), entregas_suspensas: 1 },
    causa: expect.stringContaining('5 dias'),
  });
});

it('POST /v1/webhooks/entregas/{id}/reenvio answers with a notice if the partner has no webhook', async () => {
  const bare = await makePartner();
  const { eventId } = await bookDelivery(bare.partnerId, {
    unitId: bare.unitId,
    environment: 'sandbox',
    state: 'sem_destino',
  });
  const { status, body } = await resend(eventId, bare.keys.sandbox);
  expect(status).toBe(202);
  expect(body.avisos[0].motivo).toContain('Não há endereço');
});

it.each(['before', 'after'] as const)(
  'POST /v1/webhooks/entregas/{id}/reenvio that breaks off %s any of its calls leaves a row for the sweeper',
  async (when) => {
    const { eventId } = await bookDelivery(partner.partnerId, own({ state: 'entregue', attempts: 1 }));
    const states: string[] = [];
    for (let at = 1; ; at++) {
      const outcome = await stoppedAt({ at, when }, () => resend(eventId));
      if (outcome.finished) break;
      const { state, dueAt } = await stored(eventId);
      states.push(state);
      if (state === 'entregue') continue;
      const { items } = await new TableDeliveries().listDue(Date.now() + 180_000);
      expect(items.filter((item) => item.eventId === eventId)).toMatchObject([{ attempt: 2, dueAt }]);
      passTime(60_000);
    }
    // The first call of a container may check the key twice, so more than one state may be the old one.
    expect(states[0]).toBe('entregue');
    expect(states.at(-1)).toBe('pendente');
  },
);

describe('a partner with a webhook in each environment', () => {
  it('GET /v1/webhooks shows the webhook of the environment of the key, or that this environment has none', async () => {
    expect(await webhook(partner.keys.producao)).toMatchObject({ configurado: false, url: '', ativo: false });
    const production = { partnerId: partner.partnerId, environment: 'producao' } as const;
    await setWebhook(production, 'https://producao.parceiro.com.br/', newWebhookSecret(), Date.now());
    expect(await webhook(partner.keys.sandbox)).toMatchObject({ url: ADDRESS, ativo: true });
    expect(await webhook(partner.keys.producao)).toMatchObject({
      url: 'https://producao.parceiro.com.br/',
      ativo: true,
    });
  });

  it('GET /v1/webhooks shows that a webhook is disabled and what it keeps only to keys of its environment', async () => {
    const production = { partnerId: partner.partnerId, environment: 'producao' } as const;
    await setWebhook(production, 'https://producao.parceiro.com.br/', newWebhookSecret(), Date.now());
    await disableWebhook(sandbox(), 'gone', Date.now());
    const { eventId } = await bookDelivery(partner.partnerId, own({ state: 'esgotada', attempts: 4 }));
    await resend(eventId);
    expect(await webhook(partner.keys.sandbox)).toMatchObject({ ativo: false, entregas_suspensas: 1 });
    expect(await webhook(partner.keys.producao)).toMatchObject({ ativo: true, entregas_suspensas: 0 });
  });

  it('POST /v1/webhooks/entregas/{id}/reenvio sends an event though the webhook of the other environment is disabled', async () => {
    const production = { partnerId: partner.partnerId, environment: 'producao' } as const;
    await setWebhook(production, 'https://producao.parceiro.com.br/', newWebhookSecret(), Date.now());
    await disableWebhook(sandbox(), 'failing', Date.now());
    const environment = 'producao';
    const { eventId } = await bookDelivery(partner.partnerId, own({ environment, state: 'esgotada', attempts: 12 }));
    const made = await resend(eventId, partner.keys.producao);
    expect(made.status).toBe(202);
    expect(made.body.entrega.situacao).toBe('pendente');
    expect(made.body.avisos).toBeUndefined();
  });
});
