import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { ROUTES } from '#shared/contract/routes.ts';
import type { Analysis } from '#shared/domain/analyses/analysis.ts';
import { beginErasure } from '#shared/domain/leads/erasure.ts';
import type { LeadId } from '#shared/domain/values/ids.ts';
import type { Environment } from '#shared/domain/values/tenancy.ts';
import type { EndpointOwner } from '#shared/domain/webhooks/endpoint.ts';
import { newWebhookSecret } from '#shared/domain/webhooks/secret.ts';
import { TableErasures } from '#shared/table/leads/lead-erasure.ts';
import { tableClient } from '#shared/table/rows/client.ts';
import { erasureDue, leadKey, pendingDue } from '#shared/table/rows/keys.ts';
import { disableWebhook, enableWebhook, setWebhook } from '#shared/table/webhooks/webhook-endpoints.ts';
import { bookDelivery } from './booked.ts';
import type { CallAnswer } from './call.ts';
import { failed } from './delivery.ts';
import { eventsOf, eventually, request } from './local-service.ts';
import { type MadePartner, makePartner } from './peers.ts';
import { analysisBody, cpfFrom, leadBody, withdrawalBody } from './people.ts';
import { rowsOf } from './rows.ts';
import type { WholeService } from './whole-service.ts';

/** An address on which nothing listens. */
const NOWHERE = 'http://127.0.0.1:9/webhooks';
const MINUTE = 60_000;
const COUPLE = {
  estado_civil: 'casado',
  conjuge_nome: 'Rui Prado',
  conjuge_cpf: cpfFrom(7_000),
  conjuge_data_nascimento: '1980-01-01',
};

type Row = Record<string, unknown>;

/** Writes a row unchanged. Replaces the row with the same key if there is one. */
export const overwriteRow = (row: Row) =>
  tableClient().send(new PutCommand({ TableName: process.env['TABLE_NAME']!, Item: row }));

/** Makes an analysis older by so many milliseconds, as if it had been submitted earlier. */
export async function ageAnalysis(analysis: number, milliseconds: number): Promise<void> {
  const [row] = (await rowsOf('ANALYSIS#')).filter(({ id }) => id === analysis);
  const createdAt = Number(row!['createdAt']) - milliseconds;
  const aged = { ...row, createdAt };
  await overwriteRow({ ...aged, ...pendingDue(aged as unknown as Analysis) });
}

/** Returns the owner of a partner's webhook of production. */
const inProduction = ({ partnerId }: Pick<MadePartner, 'partnerId'>): EndpointOwner => ({
  partnerId,
  environment: 'producao',
});

interface Submission {
  readonly requestId: string;
  readonly lead: number;
  readonly analysis: number;
}

/** A partner's stories, from its first call to its last event. */
export class Walk {
  readonly service: WholeService;
  readonly partner: MadePartner;
  private peopleMade = 0;

  private constructor(service: WholeService, partner: MadePartner) {
    this.service = service;
    this.partner = partner;
  }

  /** Makes a partner whose events go to the inbox. */
  static async begin(service: WholeService): Promise<Walk> {
    const partner = await makePartner();
    const secret = newWebhookSecret();
    service.inbox.expect(secret);
    await setWebhook(inProduction(partner), service.inbox.url, secret, Date.now());
    return new Walk(service, partner);
  }

  /**
   * Calls every operation, and takes every path on which an operation asks AWS for something different. Returns one
   * submission whose outcome reached the inbox.
   */
  async take(): Promise<Submission> {
    await this.unusedLead();
    await this.leadsAndSimulations();
    const submission = await this.submission();
    await this.everyOtherRoute(submission);
    await this.resumedSubmission();
    await this.withdrawals();
    await this.bankSubmissionsThatFail();
    await this.deliveries();
    await this.erasures();
    return submission;
  }

  /**
   * Makes a call in production. Throws an Error if the answer has another status than `status` or, without `status`, if
   * the call fails.
   */
  async call(
    method: string,
    path: string,
    options: Parameters<typeof request>[3] = {},
    status?: number,
  ): Promise<CallAnswer> {
    const { keys } = this.partner;
    const answer = await request({ url: this.service.url, keys }, method, path, { key: keys.producao, ...options });
    if (status ? answer.status !== status : answer.status >= 400)
      throw new Error(`${method} ${path} was answered ${answer.status}`);
    return answer;
  }

  /** Runs the poller with a clock that is so many milliseconds ahead. */
  poll(ahead = 0): Promise<unknown> {
    return this.service.run('poll-bank-outcomes', { shard: 0, shards: 1 }, ahead);
  }

  private async person(): Promise<{ lead: number; cpf: string }> {
    const cpf = cpfFrom(++this.peopleMade);
    const { body } = await this.call('POST', '/v1/leads', { body: leadBody({ cpf }) });
    return { lead: body.lead_id, cpf };
  }

  /** Makes a lead for a new person and submits it with a spouse, under this Idempotency-Key. */
  async submit(key: string, status = 202): Promise<{ lead: number; answer: CallAnswer }> {
    const { lead, cpf } = await this.person();
    const options = { body: analysisBody(lead, { cpf, ...COUPLE }), headers: { 'idempotency-key': key } };
    return { lead, answer: await this.call('POST', '/v1/analises', options, status) };
  }

  /** After years a lead that nobody uses gets its notice, and a month later its erasure begins. */
  private async unusedLead(): Promise<void> {
    await this.person();
    for (const days of [800, 831]) await this.service.run('sweep-erasures', undefined, days * 1_440 * MINUTE);
  }

  private async leadsAndSimulations(): Promise<void> {
    const { lead, cpf } = await this.person();
    await this.call('POST', '/v1/leads', { body: leadBody({ cpf }), headers: { 'idempotency-key': 'a lead' } });
    const newLead = { body: leadBody({ cpf: cpfFrom(++this.peopleMade) }), headers: { 'idempotency-key': 'another' } };
    for (const _ of ['made', 'replayed']) await this.call('POST', '/v1/leads', newLead);
    await this.call('GET', `/v1/leads/${lead}`);
    await this.call('PATCH', `/v1/leads/${lead}`, { body: { observacao: 'Prefere contato pela manhã' } });
    const { body } = await this.call('POST', '/v1/simulacoes', {
      body: { lead_id: lead, valor_imovel: 500000, bancos: ['itau'] },
      headers: { 'idempotency-key': 'a simulation' },
    });
    const id = body.resultado.resultados[0].simulacao_id;
    const reads = ROUTES.filter(({ method, pathId }) => method === 'GET' && pathId === 'simulation');
    for (const { path } of reads) await this.call('GET', path.replace('{id}', String(id)));
  }

  private async submission(): Promise<Submission> {
    const { lead, answer } = await this.submit('a submission');
    const analysis = answer.body.analises[0].analise_id;
    await ageAnalysis(analysis, MINUTE);
    await eventually('the webhook', async () => {
      // On AWS the schedule repeats the poller, too. If the submission is in doubt, the first run only learns that the
      // bank has the analysis.
      await this.poll();
      const [event] = await eventsOf({ inbox: { url: this.service.inbox.url } }, analysis);
      return event;
    }).catch((error: unknown) => {
      const logged = this.service.lines.slice(-30).map(({ operation, text }) => `${operation} ${text.trim()}`);
      throw new Error(`${String(error)}; the functions said last:\n${logged.join('\n')}`, { cause: error });
    });
    return { requestId: answer.headers['x-request-id']!, lead, analysis };
  }

  private async everyOtherRoute({ lead, analysis }: Submission): Promise<void> {
    const otherReads = ROUTES.filter(({ method, pathId }) => method === 'GET' && pathId !== 'simulation');
    for (const { path, pathId } of otherReads) {
      const id = pathId === 'analysis' ? analysis : lead;
      await this.call('GET', path.replace('{id}', String(id)));
    }
    await this.call('GET', '/v1/nada', {}, 404);
    const { sandbox } = this.partner.keys;
    await this.call('POST', '/v1/leads', { key: sandbox, body: leadBody() });
    await this.call('GET', '/v1/me', { key: sandbox });
    await this.call('GET', '/v1/leads/1', { key: sandbox }, 404);
    const { body } = await this.call('GET', '/v1/erros', { key: sandbox });
    if (body.erros.length === 0) throw new Error('the refused call is not in the list');
    const sandboxLead = (await this.call('POST', '/v1/leads', { key: sandbox, body: leadBody() })).body.lead_id;
    await this.call('POST', '/v1/simulacoes', {
      key: sandbox,
      body: { lead_id: sandboxLead, valor_imovel: 500000, bancos: ['itau'] },
    });
    const form = { key: sandbox, body: analysisBody(sandboxLead, COUPLE), headers: { 'idempotency-key': 'tried' } };
    await this.call('POST', '/v1/analises', form);
    const reset = await this.call('POST', '/v1/sandbox/reinicio', { key: sandbox });
    if (reset.body.leads === 0) throw new Error('the sandbox kept its leads');
    const { entregas } = (await this.call('GET', '/v1/webhooks/entregas')).body;
    if (entregas.length === 0) throw new Error('the delivered event is not in the list');
    const { partnerId, unitId } = this.partner;
    const { eventId } = await bookDelivery(partnerId, { unitId, state: 'esgotada' });
    await this.call('POST', `/v1/webhooks/entregas/${eventId}/reenvio`);
    await this.call('POST', '/v1/webhooks/teste');
  }

  /** A person withdraws the consent. The partner reports it with a key, repeats the call, and reports it once more. */
  private async withdrawals(): Promise<void> {
    const { lead } = await this.submit('withdrawn later');
    const path = `/v1/leads/${lead}/consentimentos/revogacao`;
    const keyed = { body: withdrawalBody(), headers: { 'idempotency-key': 'a withdrawal' } };
    for (const _ of ['made', 'replayed']) await this.call('POST', path, keyed, 201);
    await this.call('POST', path, { body: withdrawalBody() }, 200);
    await this.call('GET', `/v1/leads/${lead}/consentimentos`);
  }

  /** A run is cut off after its claim. The partner repeats the call, which resumes the claim. */
  private async resumedSubmission(): Promise<void> {
    const { lead, cpf } = await this.person();
    const options = { body: analysisBody(lead, { cpf, ...COUPLE }), headers: { 'idempotency-key': 'cut off' } };
    const fault = this.service.fails({ caller: 'submit-analyses', action: 'TransactWriteItems', after: 1 });
    await this.call('POST', '/v1/analises', options, 503);
    fault.end();
    const [claimed] = (await rowsOf('IDEMPOTENCY#')).filter(({ resume }) => resume !== undefined);
    await overwriteRow({ ...claimed, lockedUntil: 1 });
    await this.call('POST', '/v1/analises', options, 202);
  }

  /**
   * The operator refuses one bank submission at once. Another bank submission never reaches the operator, so the poller
   * sends the analysis.
   */
  private async bankSubmissionsThatFail(): Promise<void> {
    const { control } = this.service.operator;
    control.fault({ kind: 'refused', operation: 'submit', times: 1 });
    await this.submit('refused');
    control.fault({ kind: 'lost_before', operation: 'submit', times: 1 });
    const { answer } = await this.submit('lost');
    await ageAnalysis(answer.body.analises[0].analise_id, 2 * MINUTE);
    for (const ahead of [0, MINUTE]) await this.poll(ahead);
    const row = (await rowsOf('ANALYSIS#')).find(({ id }) => id === answer.body.analises[0].analise_id);
    if (!row!['queryNumber']) throw new Error('the poller has not sent what was lost');
  }

  /** One erasure waits for its bank, another can run. The sweeper continues both, and finishes the second. */
  private async erasures(): Promise<void> {
    let lastLead = 0;
    for (const isDecided of [false, true]) {
      const { lead, answer } = await this.submit(`erased ${isDecided}`);
      await this.call('POST', '/v1/simulacoes', { body: { lead_id: lead, valor_imovel: 500000, bancos: ['itau'] } });
      if (isDecided) {
        await ageAnalysis(answer.body.analises[0].analise_id, MINUTE);
        await this.poll();
      }
      await this.bookErasure(lead);
      lastLead = lead;
    }
    // The erasure of a sandbox lead also removes it from the list of sandbox leads.
    const sandboxCall = { key: this.partner.keys.sandbox, body: leadBody({ cpf: cpfFrom(++this.peopleMade) }) };
    await this.bookErasure((await this.call('POST', '/v1/leads', sandboxCall)).body.lead_id, 'sandbox');
    await this.service.run('sweep-erasures');
    await this.secondPassFallsDue(lastLead);
    // Nobody writes the row any more after its event was delivered.
    const delivery = await eventually('the event of the erased', async () =>
      (await rowsOf('DELIVERY#')).find(
        ({ state, body }) => state === 'entregue' && JSON.parse(String(body)).data.lead_id === lastLead,
      ),
    );
    await overwriteRow({ ...delivery, history: [{ number: 1, at: Date.now(), result: failed }] });
    await this.service.run('sweep-erasures');
  }

  /** Makes the second pass of an erasure due now, as if the time until then had passed. */
  async secondPassFallsDue(lead: number): Promise<void> {
    const tenancy = { unitId: this.partner.unitId, environment: 'producao' } as const;
    const row = (await rowsOf(leadKey(tenancy, lead as LeadId).pk)).find(({ sk }) => sk === 'LEAD#ERASURE');
    const nextCheckAt = Date.now() - MINUTE;
    await overwriteRow({ ...row, nextCheckAt, ...erasureDue(tenancy, lead as LeadId, nextCheckAt) });
  }

  /** Books the erasure of a lead's person. The sweeper can continue it now. */
  async bookErasure(lead: number, environment: Environment = 'producao'): Promise<void> {
    const { partnerId, unitId } = this.partner;
    const subject = { partnerId, unitId, environment, leadId: lead as LeadId };
    await new TableErasures(Date.now).begin(beginErasure(subject, Date.now(), Date.now() - MINUTE));
  }

  private async deliveries(): Promise<void> {
    const now = Date.now();
    const overdue = { dueAt: now - 5 * MINUTE, createdAt: now - 5 * MINUTE };
    const [failing, disabled] = [await makePartner(), await makePartner()];
    for (const partner of [failing, disabled])
      await setWebhook(inProduction(partner), NOWHERE, newWebhookSecret(), now);
    await disableWebhook(inProduction(disabled), 'manager', now);
    const events = [
      await bookDelivery(failing.partnerId, overdue),
      await bookDelivery(failing.partnerId, { ...overdue, attempts: 11 }),
      await bookDelivery(disabled.partnerId, { ...overdue, unitId: disabled.unitId }),
    ];
    await this.service.run('sweep-deliveries');
    await eventually('all attempts', async () => {
      const rows = await rowsOf('DELIVERY#');
      const states = events.map(({ eventId }) => rows.find((row) => row['eventId'] === eventId));
      return states[0]?.['attempts'] === 1 && states[1]?.['state'] === 'esgotada' && states[2]?.['state'] === 'suspensa'
        ? true
        : undefined;
    });
    const key = disabled.keys.producao;
    await this.call('GET', '/v1/webhooks', { key });
    await this.call('POST', `/v1/webhooks/entregas/${events[2]!.eventId}/reenvio`, { key });
    await enableWebhook(inProduction(disabled), now - 20 * MINUTE);
    // The first run sends the suspended events, the second finds none.
    for (const _ of [1, 2]) await this.service.run('sweep-deliveries');
  }
}
