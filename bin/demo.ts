/** Walks the partner's flow against a running service. Exits non-zero if an answer is not as expected. */
import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import * as z from 'zod/mini';
import { BANKS } from '../shared/domain/values/bank.ts';
import { cpfFrom } from '../shared/domain/values/cpf.ts';
import { type Instant, minutes } from '../shared/domain/values/time.ts';
import { type Answer, PartnerClient, PartnerError } from '../shared/partner/client/client.ts';
import { newAnalysis } from '../shared/partner/openapi/example-bodies.ts';
import { expect, runningServiceOrExit, runOrReport } from './running-service.ts';

const PERSON = {
  nome: 'Marina Duarte Alves',
  cpf: cpfFrom(String(randomInt(100_000_000, 899_999_999))),
  data_nascimento: '1988-03-14',
  renda: 18000,
};
const SIMULATION = { valor_imovel: 500000, valor_financiado: 250000, prazo: 240, bancos: [...BANKS] };

/** The sandbox decides after 10 s, and the poller runs once a minute. */
const OUTCOME_WITHIN = minutes(2);

/** `raw` is the text as received, because the signature covers it. */
const inboxFormat = z.array(z.object({ raw: z.string(), headers: z.record(z.string(), z.string()) }));

const service = await runningServiceOrExit();
const clientOf = (key: string) => new PartnerClient({ baseUrl: service.url, key });
const sandbox = clientOf(service.keys.sandbox);
const production = clientOf(service.keys.producao);

async function show<Body>(title: string, call: Promise<Answer<Body>>): Promise<Answer<Body>> {
  const answer = await call;
  const { status, body } = answer;
  const text = body instanceof Uint8Array ? `${body.length} bytes` : JSON.stringify(body);
  console.log(`\n${title}\n  ${status} ${text.length > 600 ? `${text.slice(0, 600)}...` : text}`);
  return answer;
}

/** In production the stand-in of the operator decides. Returns the ids of the analyses. */
async function submitInProduction(form: Form): Promise<number[]> {
  const lead = await show('POST /v1/leads, production', production.call('create-lead', { body: PERSON }));
  const { lead_id } = lead.body;
  const simulated = await production.call('create-simulation', { body: { ...SIMULATION, lead_id } });
  expect(simulated.body.resultado.sucesso, 'no bank offers in production');
  const body = { ...form, lead_id, consentimento_ip: '177.45.10.20' };
  const send = () => production.call('submit-analyses', { body, idempotencyKey: randomUUID() });
  const submitted = await show('POST /v1/analises, production', send());
  return submitted.body.analises.map(({ analise_id }) => analise_id);
}

async function showWhoCalls(): Promise<void> {
  const health = await show('GET /health', sandbox.call('get-health', {}));
  expect(health.body.ok, 'the service is not up');
  const me = await show('GET /v1/me', sandbox.call('get-account', {}));
  expect(me.body.ambiente === 'sandbox', 'the key is not a sandbox key');
}

async function makeLead(): Promise<number> {
  const create = () => sandbox.call('create-lead', { body: PERSON });
  const lead = await show('POST /v1/leads', create());
  expect(lead.status === 201 && !lead.body.reaproveitado, 'the lead was not created');
  const id = lead.body.lead_id;

  const again = await show('POST /v1/leads, the same CPF', create());
  expect(again.status === 200 && again.body.lead_id === id && again.body.reaproveitado, 'the lead was not reused');

  const patched = await show('PATCH /v1/leads/{id}', sandbox.call('update-lead', { id, body: { renda: 18500.5 } }));
  expect(patched.body.atualizado.join() === 'renda', 'the patch changed something else');
  const read = await show('GET /v1/leads/{id}', sandbox.call('get-lead', { id }));
  expect(read.body.lead.renda === 18500.5, 'the lead did not keep the patch');
  return id;
}

async function simulate(leadId: number): Promise<void> {
  const body = { lead_id: leadId, ...SIMULATION };
  const simulated = await show('POST /v1/simulacoes, every bank', sandbox.call('create-simulation', { body }));
  const offers = simulated.body.resultado.resultados.filter((entry) => entry.sucesso);
  expect(offers.length === BANKS.length, 'not every bank offers');

  const [, offer] = offers;
  expect(offer !== undefined, 'there is no second offer');
  const { simulacao_id: id, parcela_1 } = offer;
  const record = await show('GET /v1/simulacoes/{id}', sandbox.call('get-simulation', { id }));
  expect(record.body.simulacao.parcelas.primeira === parcela_1, 'record and offer disagree');
  const schedule = await show('GET /v1/simulacoes/{id}/parcelas', sandbox.call('get-simulation-instalments', { id }));
  expect(schedule.body.parcelas.length === 240, 'the schedule is not complete');
  expect(schedule.body.parcelas.at(-1)?.saldo_devedor === 0, 'the balance does not end at zero');
  const pdf = await show('GET /v1/simulacoes/{id}/pdf', sandbox.call('get-simulation-pdf', { id }));
  expect(Buffer.from(pdf.body.subarray(0, 5)).toString() === '%PDF-', 'the answer is no PDF');
}

const formOf = (leadId: number) => ({
  ...newAnalysis,
  ...PERSON,
  consentimento: true as const,
  estado_civil: 'solteiro' as const,
  lead_id: leadId,
  renda: 18500.5,
  consentimento_timestamp: new Date().toISOString(),
  valor_financiado: 250000,
  prazo: 240,
  bancos: SIMULATION.bancos,
});
type Form = ReturnType<typeof formOf>;

async function submit(body: Form): Promise<number[]> {
  const idempotencyKey = randomUUID();
  const send = () => sandbox.call('submit-analyses', { body, idempotencyKey });
  const submitted = await show('POST /v1/analises', send());
  expect(submitted.body.analises.length === BANKS.length, 'the analyses were not accepted');
  const replay = await show('POST /v1/analises, the same key', send());
  expect(replay.replay, 'the second answer is no replay');
  expect(JSON.stringify(replay.body) === JSON.stringify(submitted.body), 'the replay differs from the answer');
  return submitted.body.analises.map(({ analise_id }) => analise_id);
}

/** Throws an Error if an analysis has no outcome at `until`. */
async function waitForOutcomes(ids: readonly number[], until: Instant): Promise<void> {
  for (const id of ids) {
    for (;;) {
      const status = await sandbox.call('get-analysis-status', { id });
      if (!status.body.analise.pendente) {
        await show('GET /v1/analises/{id}/status', Promise.resolve(status));
        expect(status.body.analise.situacao === 'aprovado', 'the sandbox did not approve');
        break;
      }
      expect(Date.now() < until, 'no outcome in time');
      await wait(1000);
    }
  }
}

async function showLists(id: number): Promise<void> {
  const list = await show('GET /v1/leads/{id}/analises', sandbox.call('list-lead-analyses', { id }));
  const complete = list.body.pendentes === 0 && list.body.analises.length === BANKS.length;
  expect(complete, 'the list does not show all outcomes');
  const consents = await show('GET /v1/leads/{id}/consentimentos', sandbox.call('list-lead-consents', { id }));
  expect(consents.body.consentimentos.length === 1, 'there is not exactly one consent');
  for (const [environment, api] of [
    ['sandbox', sandbox],
    ['production', production],
  ] as const) {
    const webhook = await show(`GET /v1/webhooks, ${environment}`, api.call('get-webhook', {}));
    expect(webhook.body.webhook.configurado, `no webhook is configured in ${environment}`);
  }
}

/**
 * Verifies each signature with the secret of the event's environment. Throws an Error if an event is missing at
 * `until`.
 */
async function waitForWebhooks(ids: readonly number[], until: Instant): Promise<void> {
  const wanted = new Set(ids);
  while (wanted.size > 0) {
    expect(Date.now() < until, 'the webhook did not arrive in time');
    const events = inboxFormat.parse(await (await fetch(service.inbox.url)).json());
    for (const event of events) {
      const { ambiente, data } = JSON.parse(event.raw);
      if (!wanted.delete(data.analise_id)) continue;
      const secret = ambiente === 'producao' ? service.inbox.secrets.producao : service.inbox.secrets.sandbox;
      new Webhook(secret).verify(event.raw, event.headers);
      console.log(`\nwebhook of ${ambiente}, verified by the standardwebhooks package\n  ${event.raw}`);
    }
    if (wanted.size > 0) await wait(250);
  }
}

async function withdrawConsent(id: number, form: Form): Promise<void> {
  const body = { revogado_em: new Date().toISOString(), canal: 'web' };
  const call = sandbox.call('withdraw-consent', { id, body });
  const withdrawn = await show('POST /v1/leads/{id}/consentimentos/revogacao', call);
  expect(withdrawn.status === 201, 'the withdrawal was not recorded');
  const submitted = sandbox.call('submit-analyses', { body: form, idempotencyKey: randomUUID() });
  const refused = await submitted.catch((error: unknown) => error);
  expect(refused instanceof PartnerError, 'a submission was accepted after the withdrawal');
  expect(refused.failure.codigo === 'consentimento_ausente', 'the submission was refused for another reason');
  console.log(`\nPOST /v1/analises, after the withdrawal\n  ${refused.message}`);
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
  await waitForWebhooks(ids.concat(live), until);
  await withdrawConsent(leadId, form);
  console.log('\nthe whole flow has run');
}

await runOrReport(walk);
