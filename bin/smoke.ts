/**
 * Walks the partner's flow in the sandbox of a deployed stage: npm run smoke -- --stage prod. Exits non-zero if an
 * answer is not as expected. No call reaches a bank.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Command } from 'commander';
import { stageNamed, stageValues } from '../infra/stages.ts';
import { parseApiKey } from '../shared/domain/partners/api-key.ts';
import { type Instant, type Milliseconds, minutes } from '../shared/domain/values/time.ts';
import { PartnerClient } from '../shared/partner/client/client.ts';
import { newAnalysis, newLead } from '../shared/partner/openapi/example-bodies.ts';
import { accessTo, deployedCommit } from './manager/aws.ts';
import { processTerminal } from './manager/terminal.ts';
import { expect, runningService, runOrReport } from './running-service.ts';

const PERSON = { nome: String(newLead.nome), data_nascimento: String(newLead.data_nascimento) };
/** A test CPF that the sandbox approves. */
const APPROVED = '900.000.001-75';
/** The sandbox decides after 10 s, and the poller runs once a minute. */
const OUTCOME_WITHIN = minutes(2);
const KEY_VARIABLE = 'SMOKE_KEY';

const values = new Command('npm run smoke --')
  .description("Walks the partner's flow in the sandbox of a deployed stage; nothing of it reaches a bank.")
  .option('--stage <name>', 'the stage: dev, staging or prod')
  .option('--local', 'the run of npm start, by its demo partner', false)
  .option('--url <address>', 'address of the stage, if it has no host name of its own')
  .option('--service-file <path>', 'the service file of the local run', '.local/service.json')
  .addHelpText('after', `\nThe sandbox key: ${KEY_VARIABLE} in the environment, else it is asked for.`)
  .parse()
  .opts<{ stage?: string; local: boolean; url?: string; serviceFile: string }>();

/** Throws an Error that says what is missing. */
async function target(): Promise<{ readonly baseUrl: string; readonly key: string }> {
  const { local, stage: name } = values;
  expect(local !== (name !== undefined), 'say where: --local, or --stage dev, staging or prod');
  if (name === undefined) {
    const { url, keys } = await runningService(values.serviceFile);
    return { baseUrl: url, key: (process.env[KEY_VARIABLE] ?? keys.sandbox).trim() };
  }
  const stage = stageValues(stageNamed(name));
  const baseUrl = values.url ?? (stage.domain && `https://${stage.domain.name}`);
  expect(baseUrl !== undefined, `stage ${stage.name} has no host name of its own: give its address with --url`);
  const commit = await deployedCommit(accessTo(stage.region), stage).catch(() => 'unknown (no credentials of AWS)');
  console.log(`stage ${stage.name}, commit ${commit}`);
  const terminal = processTerminal();
  const given = process.env[KEY_VARIABLE] ?? (terminal.interactive ? await terminal.askSecretly('Sandbox key: ') : '');
  return { baseUrl, key: given.trim() };
}

const durations: Milliseconds[] = [];

async function timed<T>(what: string, call: Promise<T>, describe: (answer: T) => string): Promise<T> {
  const startedAt = performance.now();
  const answer = await call;
  const milliseconds = performance.now() - startedAt;
  durations.push(milliseconds);
  console.log(`${milliseconds.toFixed(0).padStart(6)} ms  ${what}: ${describe(answer)}`);
  return answer;
}

async function showWhoCalls(api: PartnerClient): Promise<void> {
  const health = await timed('GET /health', api.call('get-health', {}), ({ body }) => `version ${body.version}`);
  expect(health.body.ok, 'the service is not up');
  const me = await timed('GET /v1/me', api.call('get-account', {}), ({ body }) => body.ambiente);
  expect(me.body.ambiente === 'sandbox', 'the key is not a sandbox key');
}

async function makeLead(api: PartnerClient): Promise<number> {
  const lead = await timed(
    'POST /v1/leads',
    api.call('create-lead', { body: { ...PERSON, cpf: APPROVED } }),
    ({ status, body }) => `${status}, lead ${body.lead_id}`,
  );
  const id = lead.body.lead_id;
  await timed('GET /v1/leads/{id}', api.call('get-lead', { id }), ({ status }) => String(status));
  return id;
}

async function simulate(api: PartnerClient, leadId: number): Promise<void> {
  const simulated = await timed(
    'POST /v1/simulacoes',
    api.call('create-simulation', {
      body: { lead_id: leadId, valor_imovel: 500_000, renda: 40_000, bancos: ['itau', 'bradesco'] },
    }),
    ({ body }) => `${body.resultado.resultados.filter(({ sucesso }) => sucesso).length} of 2 banks offer`,
  );
  const offer = simulated.body.resultado.resultados.find(({ sucesso }) => sucesso);
  expect(offer?.sucesso === true, 'no bank offers');
  const simulation = offer.simulacao_id;
  await timed('GET /v1/simulacoes/{id}', api.call('get-simulation', { id: simulation }), ({ status }) =>
    String(status),
  );
  const pdf = await timed(
    'GET /v1/simulacoes/{id}/pdf',
    api.call('get-simulation-pdf', { id: simulation }),
    ({ body }) => `${body.length} bytes`,
  );
  expect(Buffer.from(pdf.body.subarray(0, 5)).toString() === '%PDF-', 'the document is no PDF: are answers decoded?');
}

async function submit(api: PartnerClient, leadId: number): Promise<readonly number[]> {
  const submission = {
    body: {
      ...newAnalysis,
      consentimento: true as const,
      estado_civil: 'solteiro' as const,
      consentimento_timestamp: new Date().toISOString(),
      cpf: APPROVED,
      lead_id: leadId,
      bancos: ['itau', 'bradesco'],
    },
    idempotencyKey: randomUUID(),
  };
  const send = () => api.call('submit-analyses', submission);
  const accepted = await timed(
    'POST /v1/analises',
    send(),
    ({ status, body }) => `${status}, ${body.analises.length} analyses`,
  );
  const replayed = await timed('POST /v1/analises, the same key', send(), ({ replay }) =>
    replay ? 'the same answer' : 'NO REPLAY',
  );
  expect(
    replayed.replay && JSON.stringify(replayed.body) === JSON.stringify(accepted.body),
    'the second answer is no replay',
  );
  return accepted.body.analises.map(({ analise_id }) => analise_id);
}

async function showLists(api: PartnerClient, leadId: number): Promise<void> {
  const list = await timed(
    'GET /v1/leads/{id}/analises',
    api.call('list-lead-analyses', { id: leadId }),
    ({ body }) => `${body.pendentes} pending`,
  );
  expect(list.body.analises.length > 0, 'the list is empty');
  await timed('GET /v1/webhooks', api.call('get-webhook', {}), ({ body }) =>
    body.webhook.configurado ? 'an address is set' : 'no address is set',
  );
}

async function walk(): Promise<void> {
  const { baseUrl, key } = await target();
  // This must be checked before the first call: with a production key, banks would be asked.
  expect(parseApiKey(key)?.environment === 'sandbox', `${KEY_VARIABLE} holds no sandbox key (pmc_sandbox_...)`);
  const api = new PartnerClient({ baseUrl, key });
  console.log(`${baseUrl}, as a partner in the sandbox\n`);

  await showWhoCalls(api);
  const leadId = await makeLead(api);
  await simulate(api, leadId);
  const analyses = await submit(api, leadId);
  const startedAt = Date.now();
  for (const id of analyses) await waitForOutcome(api, id, startedAt);
  await showLists(api, leadId);

  const sorted = durations.toSorted((a, b) => a - b);
  const median = sorted[sorted.length >> 1] ?? 0;
  const longest = sorted.at(-1) ?? 0;
  console.log(
    `\nthe whole flow has run: ${durations.length} calls, median ${median.toFixed(0)} ms, longest ${longest.toFixed(0)} ms`,
  );
}

/** The sandbox decides 10 s after the submission, and the next run of the poller stores the decision. */
async function waitForOutcome(api: PartnerClient, id: number, startedAt: Instant): Promise<void> {
  for (;;) {
    const { body } = await api.call('get-analysis-status', { id });
    if (!body.analise.pendente) {
      console.log(
        `${((Date.now() - startedAt) / 1000).toFixed(1).padStart(7)} s  outcome at ${body.analise.banco}: ${body.analise.situacao}`,
      );
      expect(body.analise.situacao === 'aprovado', 'the sandbox did not approve');
      return;
    }
    expect(Date.now() - startedAt < OUTCOME_WITHIN, 'no outcome in time: does the poller run?');
    await wait(1_000);
  }
}

await runOrReport(walk);
