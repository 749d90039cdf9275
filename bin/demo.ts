/** Walks the partner's flow against a running service, shows each answer, and exits non-zero on any surprise. */
import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { BANKS } from '../shared/domain/values/bank.ts';
import { cpfFrom } from '../shared/domain/values/cpf.ts';
import { newAnalysis } from '../shared/partner/openapi/example-bodies.ts';
import { expect, runningService, runOrTell } from './running-service.ts';

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: the demo looks at answers as a partner's script would.
  readonly body: any;
}

const PERSON = {
  nome: 'Marina Duarte Alves',
  cpf: cpfFrom(String(randomInt(100_000_000, 899_999_999))),
  data_nascimento: '1988-03-14',
  renda: 18000,
};
const WISH = { valor_imovel: 500000, valor_financiado: 250000, prazo: 240, bancos: BANKS };

/** Milliseconds that the flow may take from submission to outcome: 10 s of the sandbox, a schedule's minute, and room. */
const OUTCOME_WITHIN = 120_000;

const service = runningService();

async function call(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
  key = service.keys.sandbox,
): Promise<Reply> {
  const response = await fetch(service.url + path, {
    method,
    headers: { 'X-API-Key': key, ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const type = response.headers.get('content-type') ?? '';
  const bytes = Buffer.from(await response.arrayBuffer());
  return {
    status: response.status,
    headers: response.headers,
    body: type.startsWith('application/json') ? JSON.parse(bytes.toString('utf8')) : bytes,
  };
}

function show(title: string, reply: Reply): Reply {
  const text = Buffer.isBuffer(reply.body) ? `${reply.body.length} bytes` : JSON.stringify(reply.body);
  console.log(`\n${title}\n  ${reply.status} ${text.length > 600 ? `${text.slice(0, 600)}...` : text}`);
  return reply;
}

/** The same once in production, where the stand-in of the operator decides. Gives the analyses. */
async function submitInProduction(form: object): Promise<number[]> {
  const key = service.keys.producao;
  const lead = show('POST /v1/leads, production', await call('POST', '/v1/leads', PERSON, {}, key));
  const lead_id: number = lead.body.lead_id;
  const simulated = await call('POST', '/v1/simulacoes', { ...WISH, lead_id }, {}, key);
  expect(simulated.body.resultado.sucesso, 'no bank offers in production');
  const asked = { ...form, lead_id, consentimento_ip: '177.45.10.20' };
  const headers = { 'Idempotency-Key': randomUUID() };
  const submitted = show('POST /v1/analises, production', await call('POST', '/v1/analises', asked, headers, key));
  expect(submitted.status === 202, 'the analyses were not accepted in production');
  return submitted.body.analises.map((entry: { analise_id: number }) => entry.analise_id);
}

async function showWhoCalls(): Promise<void> {
  const health = show('GET /health', await call('GET', '/health'));
  expect(health.status === 200 && health.body.ok === true, 'the service is not up');

  const me = show('GET /v1/me', await call('GET', '/v1/me'));
  expect(me.status === 200 && me.body.ambiente === 'sandbox', 'the key is not a sandbox key');
}

/** Makes the lead, meets it again by its CPF and patches it. Gives its id. */
async function makeLead(): Promise<number> {
  const lead = show('POST /v1/leads', await call('POST', '/v1/leads', PERSON));
  expect(lead.status === 201 && lead.body.reaproveitado === false, 'the lead was not created');
  const leadId: number = lead.body.lead_id;

  const again = show('POST /v1/leads, the same CPF', await call('POST', '/v1/leads', PERSON));
  expect(again.status === 200 && again.body.lead_id === leadId && again.body.reaproveitado, 'the lead was not reused');

  const patched = show('PATCH /v1/leads/{id}', await call('PATCH', `/v1/leads/${leadId}`, { renda: 18500.5 }));
  expect(patched.status === 200 && patched.body.atualizado.join() === 'renda', 'the patch changed something else');
  const read = show('GET /v1/leads/{id}', await call('GET', `/v1/leads/${leadId}`));
  expect(read.body.lead.renda === 18500.5, 'the lead did not keep the patch');
  return leadId;
}

/** Simulates at all banks, and reads one offer's record, schedule and document. */
async function simulate(leadId: number): Promise<void> {
  const wish = { lead_id: leadId, ...WISH };
  const simulated = show('POST /v1/simulacoes, every bank', await call('POST', '/v1/simulacoes', wish));
  expect(simulated.status === 200 && simulated.body.resultado.sucesso, 'no bank offers');
  const offers = simulated.body.resultado.resultados.filter((entry: { sucesso: boolean }) => entry.sucesso);
  expect(offers.length === 6, 'not every bank offers');

  const id: number = offers[1].simulacao_id;
  const record = show('GET /v1/simulacoes/{id}', await call('GET', `/v1/simulacoes/${id}`));
  expect(record.body.simulacao.parcelas.primeira === offers[1].parcela_1, 'record and offer disagree');
  const schedule = show('GET /v1/simulacoes/{id}/parcelas', await call('GET', `/v1/simulacoes/${id}/parcelas`));
  expect(schedule.body.parcelas.length === 240, 'the schedule is not complete');
  expect(schedule.body.parcelas[239].saldo_devedor === 0, 'the balance does not end at zero');

  const pdf = show('GET /v1/simulacoes/{id}/pdf', await call('GET', `/v1/simulacoes/${id}/pdf`));
  expect(pdf.body.subarray(0, 5).toString() === '%PDF-', 'the answer is no PDF');
}

const formOf = (leadId: number) => ({
  ...newAnalysis,
  ...PERSON,
  lead_id: leadId,
  renda: 18500.5,
  consentimento_timestamp: new Date().toISOString(),
  valor_financiado: 250000,
  prazo: 240,
  bancos: BANKS,
});

/** Submits twice under one key. Gives the analyses. */
async function submit(form: object): Promise<number[]> {
  const key = { 'Idempotency-Key': randomUUID() };
  const submitted = show('POST /v1/analises', await call('POST', '/v1/analises', form, key));
  expect(submitted.status === 202 && submitted.body.analises.length === BANKS.length, 'the analyses were not accepted');
  const replay = show('POST /v1/analises, the same key', await call('POST', '/v1/analises', form, key));
  expect(replay.headers.get('idempotent-replay') === 'true', 'the second answer is no replay');
  expect(JSON.stringify(replay.body) === JSON.stringify(submitted.body), 'the replay differs from the answer');
  return submitted.body.analises.map((entry: { analise_id: number }) => entry.analise_id);
}

/** Asks for each analysis until its outcome is there, by `until` at the latest. */
async function waitForOutcomes(ids: readonly number[], until: number): Promise<void> {
  for (const analysis of ids) {
    for (;;) {
      const status = await call('GET', `/v1/analises/${analysis}/status`);
      expect(status.status === 200, `status answered ${status.status}`);
      if (!status.body.analise.pendente) {
        show('GET /v1/analises/{id}/status', status);
        expect(status.body.analise.situacao === 'aprovado', 'the sandbox did not approve');
        break;
      }
      expect(Date.now() < until, 'no outcome in time');
      await wait(1000);
    }
  }
}

async function showLists(leadId: number): Promise<void> {
  const list = show('GET /v1/leads/{id}/analises', await call('GET', `/v1/leads/${leadId}/analises`));
  expect(
    list.body.pendentes === 0 && list.body.analises.length === BANKS.length,
    'the list does not show all outcomes',
  );
  const consents = show('GET /v1/leads/{id}/consentimentos', await call('GET', `/v1/leads/${leadId}/consentimentos`));
  expect(consents.body.consentimentos.length === 1, 'there is not exactly one consent');
  const webhook = show('GET /v1/webhooks', await call('GET', '/v1/webhooks'));
  expect(webhook.body.webhook.configurado, 'no webhook is configured');
}

/** Looks into the inbox until the event of each analysis is there, and verifies its signature. */
async function waitForWebhooks(ids: readonly number[], until: number): Promise<void> {
  const wanted = new Set(ids);
  while (wanted.size > 0) {
    expect(Date.now() < until, 'the webhook did not arrive in time');
    const events = (await (await fetch(service.inbox.url)).json()) as {
      raw: string;
      headers: Record<string, string>;
    }[];
    for (const event of events) {
      const analysis = JSON.parse(event.raw).data.analise_id;
      if (!wanted.delete(analysis)) continue;
      new Webhook(service.inbox.secret).verify(event.raw, event.headers);
      console.log(`\nwebhook, verified by the standardwebhooks package\n  ${event.raw}`);
    }
    if (wanted.size > 0) await wait(250);
  }
}

async function walk(): Promise<void> {
  await showWhoCalls();
  const leadId = await makeLead();
  await simulate(leadId);
  const form = formOf(leadId);
  const ids = await submit(form);
  const live = await submitInProduction(form);
  console.log('\nwaiting for the outcome ...');
  const until = Date.now() + OUTCOME_WITHIN;
  await waitForOutcomes(ids, until);
  await showLists(leadId);
  await waitForWebhooks([...ids, ...live], until);
  console.log('\nthe whole flow has run');
}

await runOrTell(walk);
