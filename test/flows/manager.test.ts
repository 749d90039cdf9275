import { spawn } from 'node:child_process';
import { createHmac, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventsOf, eventually, type LocalService, request, startLocalService } from '../makers/local-service.ts';
import { type Manager, managerHere, managerProcess, type RunOptions } from '../makers/manager.ts';
import { analysisBody, cpfFrom, leadBody } from '../makers/people.ts';

let service: LocalService;
let manager: Manager;
let program: Manager;

/** Commands whose functions most tests need; about nobody, so that they only load them. */
const LOADING = [
  'partners create --name Ensaio',
  'partners show 1',
  'units create --partner 1 --name Ensaio',
  'keys create --partner 1 --unit 1',
  'keys list --partner 1',
  'webhook set --partner 1 --url http://127.0.0.1:9/',
  'webhook show --partner 1',
  'webhook enable --partner 1',
  'deliveries list --partner 1',
  'analyses list --partner 1',
  'leads erase --lead 1 --partner 1 --unit 1 --environment sandbox --reason r --yes',
  'audit list --partner 1',
];

beforeAll(async () => {
  service = await startLocalService({ pollEvery: '500ms' });
  manager = managerHere(service.endpoints);
  program = managerProcess(service.endpoints);
  // One after another: a busy machine that loads a dozen functions at once takes longer over each than Lambda allows.
  for (const command of LOADING) await manager(command.split(' '));
});
afterAll(() => service?.end());

/** Runs a command that must succeed and gives its JSON. */
async function done(args: readonly (string | number)[], options?: RunOptions) {
  const ran = await manager([...args, '--json'], options);
  expect([ran.code, ran.err.includes('manager: ')], ran.err).toEqual([0, false]);
  return ran.json();
}

async function newPartner(): Promise<{ partner: number; unit: number }> {
  const { partner } = await done(['partners', 'create', '--name', 'Imobiliária Horizonte']);
  const { unit } = await done(['units', 'create', '--partner', partner, '--name', 'Unidade Sul']);
  return { partner, unit };
}

const me = (key: string) => request(service, 'GET', '/v1/me', { key });

async function submit(key: string, cpf: string): Promise<{ lead: number; analysis: number }> {
  const lead = (await request(service, 'POST', '/v1/leads', { key, body: leadBody({ cpf }) })).body.lead_id;
  const body = analysisBody(lead, { cpf });
  const answer = await request(service, 'POST', '/v1/analises', {
    key,
    body,
    headers: { 'Idempotency-Key': randomUUID() },
  });
  expect(answer.status, answer.text).toBe(202);
  return { lead, analysis: answer.body.analises[0].analise_id };
}

// The sandbox takes 10 s to an outcome: whatever else there is to see happens meanwhile.
describe.concurrent('the program itself', () => {
  it('makes a partner, a unit and a key that opens the service, each as a process of its own', async () => {
    const local = ['--local', '--json'];
    const { partner } = (await program(['partners', 'create', '--name', 'Casa Nova', ...local])).json();
    const { unit } = (await program(['units', 'create', '--partner', partner, '--name', 'Centro', ...local])).json();
    const made = await program(['keys', 'create', '--partner', partner, '--unit', unit, '--scopes', 'leads', ...local]);
    expect([made.code, made.err]).toEqual([
      0,
      'This is the only time the key is shown; the table keeps its hash alone.\n',
    ]);
    const answer = await me(made.json().text);
    expect(answer.body).toMatchObject({
      parceiro: { id: partner, nome: 'Casa Nova' },
      unidade: { id: unit, nome: 'Centro' },
      ambiente: 'sandbox',
      escopos: ['leads'],
    });
  });

  it('tells a failed command from one called wrongly by its exit code, in one line without a stack', async () => {
    const failed = await program(['partners', 'show', 5, '--stage', 'local']);
    expect(failed).toMatchObject({
      code: 1,
      out: '',
      err: 'manager: there is no partner 5: see partners list\n',
    });
    const wrong = await program(['partners', 'show', 'five', '--local']);
    expect([wrong.code, wrong.out]).toEqual([2, '']);
    expect(wrong.err).toContain('An id is a positive whole number.');
  });

  it('reads a CPF from standard input, and shows it only in the export', async () => {
    const cpf = cpfFrom(4711);
    const { unit, partner } = await newPartner();
    const { text } = await done(['keys', 'create', '--partner', partner, '--unit', unit]);
    await request(service, 'POST', '/v1/leads', { key: text, body: leadBody({ cpf }) });
    const ran = await program(['leads', 'export', '--partner', partner, '--reason', 'LGPD-1', '--local'], {
      input: `${cpf}\n`,
    });
    expect([ran.code, ran.err]).toEqual([0, '']);
    expect(ran.json()[0].lead).toMatchObject({ nome: 'Marina Duarte Alves', email: 'marina.duarte@exemplo.com.br' });
    const audit = await manager(['audit', 'list', '--partner', partner, '--json']);
    expect(audit.json()[0]).toMatchObject({ action: 'export-lead', reason: 'LGPD-1', outcome: 'done' });
    expect(audit.out).not.toContain(cpf);
  });
});

describe.concurrent('keys, from the next call on', () => {
  it('rotates: the old key is refused, the new one has its unit, scopes and consultant', async () => {
    const { partner, unit } = await newPartner();
    const old = await done([
      ...['keys', 'create', '--partner', partner, '--unit', unit, '--scopes', 'acompanhamento,leads'],
      ...['--consultant', 77, '--consultant-name', 'Rui'],
    ]);
    const before = (await me(old.text)).body;
    const fresh = await done(['keys', 'rotate', old.key, '--partner', partner, '--reason', 'leaked', '--yes']);
    expect((await me(old.text)).body.codigo).toBe('auth_invalid');
    const after = (await me(fresh.text)).body;
    expect({ ...after, chave: undefined }).toEqual({ ...before, chave: undefined });
    expect(after.consultor).toEqual({ id: 77, nome: 'Rui' });
    expect((await done(['keys', 'list', '--partner', partner])).map((key: { state: string }) => key.state)).toEqual([
      'revoked',
      'live',
    ]);
  });
});

interface Received {
  readonly raw: string;
  readonly headers: Record<string, string>;
}

/** A partner's receiver on this machine: takes what comes, or refuses it while `status` says so. */
async function startReceiver() {
  const received: Received[] = [];
  const state = { status: 200 };
  const server = createServer((incoming, response) => {
    let raw = '';
    incoming.setEncoding('utf8').on('data', (text: string) => {
      raw += text;
    });
    incoming.on('end', () => {
      received.push({ raw, headers: incoming.headers as Record<string, string> });
      response.writeHead(state.status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}/eventos`,
    received,
    state,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const hmac = (secret: string, raw: string) => `sha256=${createHmac('sha256', secret).update(raw).digest('hex')}`;

/** A partner with a sandbox key and a receiver of its own. */
async function newReceiver() {
  const { partner, unit } = await newPartner();
  const receiver = await startReceiver();
  const { text } = await done(['keys', 'create', '--partner', partner, '--unit', unit]);
  const { secret } = await done(['webhook', 'set', '--partner', partner, '--url', receiver.url]);
  return { partner, unit, key: text as string, secret: secret as string, receiver };
}

describe.concurrent('the flow', () => {
  it('sets an endpoint, delivers, keeps what is booked while disabled, and sends it once enabled', async () => {
    const { partner, unit } = await newPartner();
    const { text } = await done(['keys', 'create', '--partner', partner, '--unit', unit]);
    const whose = ['--partner', partner];
    const { secret } = await done(['webhook', 'set', ...whose, '--url', service.inbox.url]);
    expect(secret).toMatch(/^whsec_/);
    expect((await request(service, 'GET', '/v1/webhooks', { key: text })).body.webhook).toMatchObject({
      configurado: true,
      url: service.inbox.url,
    });
    await done(['webhook', 'disable', ...whose, '--reason', 'asked', '--yes']);
    const [approved, stuck] = await Promise.all([submit(text, cpfFrom(1)), submit(text, '900.000.006-80')]);

    const kept = await eventually('the suspended event', async () => {
      const rows = await done(['deliveries', 'list', ...whose, '--state', 'suspensa']);
      return rows[0];
    });
    expect(await eventsOf(service, approved.analysis)).toEqual([]);
    // The sweeper releases too, as soon as the webhook is enabled: one of both is first.
    const { released, ...enabled } = await done(['webhook', 'enable', ...whose]);
    expect([enabled, released <= 1]).toEqual([{ partner, enabled: true }, true]);
    const [event] = await eventually('the released event', async () => {
      const events = await eventsOf(service, approved.analysis);
      return events.length > 0 ? events : undefined;
    });
    expect(event!.id).toBe(kept.event);

    // The inbox expects the demo partner's secret, so it refuses: a failed attempt to look at, and one to send again.
    const shown = await eventually('the attempt in the row', async () => {
      const delivery = await done(['deliveries', 'show', kept.event]);
      return delivery.history.length > 0 ? delivery : undefined;
    });
    expect(shown.history[0].result).toMatchObject({ delivered: false, failure: 'http_4xx', status: 401 });
    const lines = (await manager(['deliveries', 'show', kept.event])).out;
    expect(lines).toMatch(/attempt 1 .*http_4xx 401/);

    const place = ['--unit', unit, '--environment', 'sandbox'];
    const pending = await done(['analyses', 'list', ...whose]);
    expect(pending.map(({ id }: { id: number }) => id)).toEqual([stuck.analysis]);
    expect(await done(['analyses', 'list', ...whose, '--bank', 'itau', '--unanswerable'])).toEqual([]);
    expect(await done(['analyses', 'show', stuck.analysis, ...place])).toMatchObject({ situation: 'em_analise' });
    const polled = await manager(['analyses', 'poll', stuck.analysis, ...place]);
    expect([polled.code, polled.err]).toEqual([0, 'the operator has no news\n']);
    const final = await manager(['analyses', 'poll', approved.analysis, ...place]);
    expect([final.code, final.err]).toEqual([1, `manager: analysis ${approved.analysis} is final (aprovado)\n`]);
  });

  it('lets both secrets verify what is sent after a rotation, from the next attempt of a first that fails', async () => {
    const { partner, key, secret, receiver } = await newReceiver();
    // Whatever is sent before the rotation comes again after it.
    receiver.state.status = 503;
    const { analysis } = await submit(key, '900.000.009-22');
    const event = await eventually('the first attempt', async () => {
      const [row] = await done(['deliveries', 'list', '--partner', partner]);
      return row?.attempts > 0 ? row.event : undefined;
    });
    const rotate = ['webhook', 'rotate', '--partner', partner, '--reason', 'yearly', '--yes'];
    const { secret: fresh } = await done(rotate);
    receiver.state.status = 200;
    const { raw, headers } = await eventually(
      'an attempt after the rotation',
      async () => receiver.received.find((one: Received) => one.headers['x-service-signature-anterior'] !== undefined),
      60_000,
    );
    expect(Number(headers['x-service-attempt'])).toBeGreaterThan(1);
    expect(JSON.parse(raw)).toMatchObject({ id: event, data: { analise_id: analysis, situacao: 'aprovado' } });
    expect(headers).toMatchObject({
      'x-service-signature': hmac(fresh, raw),
      'x-service-signature-anterior': hmac(secret, raw),
    });
    for (const one of [fresh, secret]) expect(() => new Webhook(one).verify(raw, headers)).not.toThrow();
    // An attempt between the rotation and the receiver's change fails too, and the next is 30 s later.
    const closed = async () => {
      const delivery = await done(['deliveries', 'show', event]);
      return delivery.state === 'entregue' ? delivery : undefined;
    };
    const shown = await eventually('the delivery to be closed', closed, 60_000);
    receiver.close();
    const results = shown.history.map(({ result }: { result: { delivered: boolean } }) => result.delivered);
    expect([results[0], results.at(-1)]).toEqual([false, true]);
  });

  // The sandbox's schedule takes 2 min 35 s to its end.
  it.runIf(process.env['SOAK'])(
    'replays what a receiver that was down has missed: the same event arrives; no dead letter is the sandbox’s',
    { timeout: 400_000 },
    async () => {
      const { partner, key, receiver } = await newReceiver();
      receiver.state.status = 500;
      await submit(key, cpfFrom(2));
      const { event } = await eventually(
        'the schedule to end',
        async () => (await done(['deliveries', 'list', '--partner', partner, '--state', 'esgotada']))[0],
        300_000,
      );
      expect(receiver.received).toHaveLength(4);
      expect(await done(['dlq', 'count'])).toEqual({ waiting: 0, inHand: 0 });
      receiver.state.status = 204;
      await done(['deliveries', 'replay', event, '--reason', 'back', '--yes']);
      await eventually('the replayed attempt', async () => receiver.received[4]);
      receiver.close();
      expect(receiver.received.map(({ headers }) => headers['x-service-attempt'])).toEqual(['1', '2', '3', '4', '5']);
      const closed = await eventually('the delivery to be closed', async () => {
        const delivery = await done(['deliveries', 'show', event]);
        return delivery.state === 'entregue' ? delivery : undefined;
      });
      expect(closed.attempts).toBe(5);
    },
  );

  it('shows before production what the sandbox has seen of the flow: nothing, or what the demo walks', async () => {
    const check = (partner: number) => manager(['partners', 'validate', partner, '--check', '--json']);
    const { partner } = await newPartner();
    const nothing = await check(partner);
    expect([nothing.code, nothing.json()]).toMatchObject([1, { complete: false, missing: { length: 12 } }]);

    const demo = spawn(process.execPath, ['bin/demo.ts', '--service-file', join(service.folder, 'service.json')]);
    expect(await new Promise((resolve) => demo.once('close', resolve))).toBe(0);
    const [{ partner: walked }] = await done(['partners', 'list']);
    const report = await eventually('the delivery that the demo got to be closed', async () => {
      const ran = await check(walked);
      return ran.json().missing.includes('webhook') ? undefined : ran;
    });
    expect(report.code).toBe(1);
    expect(report.json().missing).toEqual(['condicionado', 'recusado', 'cancelado', 'erro', 'resend']);
  });

  it('takes a person out of the API and keeps the consent', async () => {
    const { partner, unit } = await newPartner();
    const { text: key } = await done(['keys', 'create', '--partner', partner, '--unit', unit]);
    const cpf = cpfFrom(99);
    // The functions are loaded before the sandbox begins to count: its outcome comes after 10 s.
    const place = ['--partner', partner, '--unit', unit, '--environment', 'sandbox', '--reason', 'LGPD-9', '--yes'];
    const nobody = await Promise.all([
      manager(['leads', 'erase', ...place], { input: cpf }),
      manager(['leads', 'erase', '--lead', 1, ...place]),
    ]);
    expect(nobody.map(({ code }) => code)).toEqual([1, 1]);
    await request(service, 'POST', '/v1/simulacoes', {
      key,
      body: { lead_id: 1, valor_imovel: 500000, bancos: ['itau'] },
    });
    const { lead, analysis } = await submit(key, cpf);
    const simulated = await request(service, 'POST', '/v1/simulacoes', {
      key,
      body: { lead_id: lead, valor_imovel: 500000, bancos: ['itau'] },
    });
    const simulation = simulated.body.resultado.resultados[0].simulacao_id;
    const erase = ['leads', 'erase', '--partner', partner, '--reason', 'LGPD-9', '--yes'];

    // Of a person whose outcome never comes: however busy the machine is, it is still awaited.
    await submit(key, '900.000.006-80');
    const early = await manager(erase, { input: '900.000.006-80' });
    expect([early.code, early.out.includes('waits for 1 pending analyses')]).toEqual([0, true]);
    await eventually('the outcome', async () => {
      const { body } = await request(service, 'GET', `/v1/analises/${analysis}/status`, { key });
      return body.analise.pendente ? undefined : body;
    });
    expect(await done(erase, { input: cpf })).toMatchObject([
      {
        partner,
        unit,
        environment: 'sandbox',
        lead,
        state: 'apagado',
        passes: [{ opportunities: 1, forms: 1, analyses: 1, consents: 1 }],
      },
    ]);

    for (const path of ['', '/analises', '/consentimentos'])
      expect((await request(service, 'GET', `/v1/leads/${lead}${path}`, { key })).status).toBe(404);
    expect((await request(service, 'GET', `/v1/simulacoes/${simulation}`, { key })).status).toBe(404);
    expect((await request(service, 'GET', `/v1/analises/${analysis}/status`, { key })).status).toBe(200);
    const again = await request(service, 'POST', '/v1/leads', { key, body: leadBody({ cpf }) });
    expect([again.status, again.body.lead_id === lead]).toEqual([201, false]);
    const audit = await manager(['audit', 'list', '--partner', partner, '--json']);
    expect(audit.json().find(({ action }: { action: string }) => action === 'erase-lead')).toMatchObject({
      outcome: 'done',
      reason: 'LGPD-9',
      target: { lead, state: 'apagado' },
    });
    expect(audit.out).not.toContain(cpf);
  });
});
