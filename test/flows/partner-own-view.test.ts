import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Inbox, type InboxEvent, startInbox } from '../../infra/local/inbox.ts';
import { drawId, type PartnerId, type UnitId } from '../../shared/domain/values/ids.ts';
import { createKey } from '../../shared/table/api-keys.ts';
import { createPartner, createUnit, validatePartner } from '../../shared/table/partner-register.ts';
import { sandboxChecklistOf } from '../../shared/table/sandbox-checklist.ts';
import { enableWebhook, setWebhook } from '../../shared/table/webhook-endpoints.ts';
import { newWebhookSecret } from '../../shared/webhook/sign.ts';
import { api, handlerOf, type Operation } from '../makers/api.ts';
import { type CallOptions, lambdaContext } from '../makers/call.ts';
import { analysisBody, leadBody } from '../makers/people.ts';
import { useScene } from '../makers/scene.ts';
import { QueueView, sqsEvent } from '../makers/sqs.ts';
import { passPeersTime, passTime } from '../makers/test-clock.ts';

// One partner from its first mistake to its key for production, with nothing but what its own key shows it.

const scene = useScene({ environment: 'sandbox' });
const OUTCOME_CPFS = ['900.000.001-75', '900.000.002-56', '900.000.003-37', '900.000.004-18', '900.000.005-07'];
let inbox: Inbox;
const arrived: InboxEvent[] = [];
let queue: QueueView;
let partnerId: PartnerId;
let unitId: UnitId;
let key: string;

beforeAll(async () => {
  process.env['LOCAL_WEBHOOK_TARGETS'] = 'true';
  inbox = await startInbox((event) => arrived.push(event));
  queue = new QueueView(process.env['DELIVERY_QUEUE_URL']!);
  const now = Date.now();
  [partnerId, unitId] = [drawId<PartnerId>(now), drawId<UnitId>(now)];
  await createPartner(partnerId, 'Casa Nova', now);
  await createUnit(partnerId, unitId, 'Centro', now);
  key = (await createKey({ partnerId, unitId, environment: 'sandbox' }, now)).text;
  const secret = newWebhookSecret();
  inbox.expect(secret);
  await setWebhook(partnerId, inbox.url, secret, now);
});
afterAll(async () => {
  delete process.env['LOCAL_WEBHOOK_TARGETS'];
  await inbox.close();
});

const run = async (operation: string, event: unknown) => (await handlerOf(operation))(event, lambdaContext(55_000));
const call = (operation: Operation, options: CallOptions = {}) => api(operation, { key, ...options });
const webhook = async () => (await call('getWebhook')).body.webhook;
async function deliveries(query: Record<string, string> = {}) {
  passPeersTime(5_000);
  return (await call('listOwnDeliveries', { query: { limit: '100', ...query } })).body.entregas;
}
const submit = (lead: number, cpf: string) =>
  call('submitAnalyses', { body: analysisBody(lead, { cpf }), headers: { 'idempotency-key': cpf } });

/** Lets the worker have what the queue shows, until it shows nothing. */
async function deliverAll(): Promise<void> {
  for (let messages = await queue.receive(2); messages.length > 0; messages = await queue.receive()) {
    await run('deliver-webhook', sqsEvent(messages));
    await Promise.all(messages.map((one) => queue.remove(one)));
  }
}
const made = async () => {
  passPeersTime(5_000);
  const { pronta, passos } = (await call('getAccount')).body.validacao;
  return {
    pronta,
    missing: passos.flatMap(({ passo, feito }: { passo: string; feito: boolean }) => (feito ? [] : [passo])),
  };
};

it('a partner sees its error, its disabled address and what is missing, mends each itself, and gets its key', async () => {
  // A mistake: the answer is lost on its side, and found again.
  const refused = await call('createLead', { body: leadBody({ cpf: '900.000.001-76' }) });
  expect((await call('listRefusedCalls')).body.erros).toMatchObject([
    { rota: '/v1/leads', status: 400, codigo: 'campo_invalido', campos: ['cpf'], request_id: refused.body.request_id },
  ]);

  // The first outcome meets a receiver that says 410: the address is disabled, and its events are kept.
  const [cpf, ...others] = OUTCOME_CPFS as [string, ...string[]];
  const lead = (await call('createLead', { body: leadBody({ cpf }) })).body.lead_id;
  await fetch(new URL('/fail-next?n=1&status=410', inbox.url), { method: 'POST' });
  expect((await submit(lead, cpf)).status).toBe(202);
  passTime(10_000);
  await scene.poll();
  await deliverAll();
  passPeersTime(5_000);
  expect(await webhook()).toMatchObject({
    ...{ ativo: false, entregas_suspensas: 1, causa: expect.stringContaining('410') },
    desativado_em: expect.stringMatching(/Z$/),
  });
  const [kept] = await deliveries();
  expect(kept).toMatchObject({
    situacao: 'suspensa',
    tentativas: [{ numero: 1, status_http: 410, falha: 'http_4xx' }],
  });

  // It goes on trying the flow, and asks for the event once more: kept, with a word on why.
  const again = await call('resendDelivery', { id: kept.id });
  expect([again.status, again.body.entrega.situacao, again.body.avisos.length]).toEqual([202, 'suspensa', 1]);
  await call('createLead', { body: leadBody({ cpf }) });
  await call('createSimulation', { body: { lead_id: lead, valor_imovel: 900_000, bancos: ['itau'] } });
  expect((await submit(lead, cpf)).headers['idempotent-replay']).toBe('true');
  for (const one of others) {
    const { lead_id } = (await call('createLead', { body: leadBody({ cpf: one }) })).body;
    await submit(lead_id, one);
  }
  passTime(10_000);
  await scene.poll();
  await deliverAll();
  expect(await made()).toEqual({ pronta: false, missing: ['webhook', 'reenvio'] });
  expect((await webhook()).entregas_suspensas).toBe(5);

  // The receiver is mended and the manager enables the address: what was kept goes out by itself.
  await enableWebhook(partnerId, Date.now());
  passPeersTime(5_000);
  await run('sweep-deliveries', {});
  await deliverAll();
  expect(await deliveries({ situacao: 'entregue' })).toHaveLength(5);
  expect(await webhook()).toMatchObject({ ativo: true, causa: null, entregas_suspensas: 0 });

  // It wants to see one again: the same id and bytes, in one more attempt.
  passTime(60_000);
  expect((await call('resendDelivery', { id: kept.id })).body.entrega.situacao).toBe('pendente');
  await deliverAll();
  const came = arrived.filter(({ id, status }) => id === kept.id && status === 200);
  expect(came.map(({ verified }) => verified)).toEqual([1, 2].map(() => ({ service: true, standard: true })));
  expect(came[0]!.raw).toBe(came[1]!.raw);

  // Nothing is missing, for the manager neither, and production is opened.
  expect(await made()).toEqual({ pronta: true, missing: [] });
  const wanted = { partnerId, unitId, environment: 'producao' } as const;
  await expect(createKey(wanted, Date.now())).rejects.toThrow();
  expect((await sandboxChecklistOf(partnerId)).missing).toEqual([]);
  await validatePartner(partnerId, Date.now());
  const production = (await createKey(wanted, Date.now())).text;
  const account = (await api('getAccount', { key: production })).body;
  expect([account.ambiente, account.validacao]).toEqual(['producao', undefined]);
  expect((await api('listOwnDeliveries', { key: production })).body.entregas).toEqual([]);
});
