import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventsOf, eventually, type LocalService, request, startLocalService } from '../makers/local-service.ts';
import { analysisBody, CONSENTED_AT, cpfFrom, leadBody } from '../makers/people.ts';

let service: LocalService;
beforeAll(async () => {
  service = await startLocalService({ synthesises: true });
});
afterAll(() => service.end());

const post = (path: string, body: unknown, headers = {}, key = service.keys.sandbox) =>
  request(service, 'POST', path, { body, headers, key });
const get = (path: string, key = service.keys.sandbox) => request(service, 'GET', path, { key });
const concluded = (analysis: number, key = service.keys.sandbox) =>
  eventually(`the outcome of ${analysis}`, async () => {
    const { body } = await get(`/v1/analises/${analysis}/status`, key);
    return body.analise.pendente ? undefined : body.analise;
  });

/** Makes a lead for a person and submits analyses to banks. Returns both. */
async function submit(cpf: string, bancos: unknown[], key = service.keys.sandbox) {
  const lead = (await post('/v1/leads', leadBody({ cpf }), {}, key)).body.lead_id;
  const submitted = await post(
    '/v1/analises',
    analysisBody(lead, { cpf, bancos }),
    { 'idempotency-key': `${cpf}-${bancos.join('-')}` },
    key,
  );
  expect(submitted.status).toBe(202);
  return { lead, analyses: submitted.body.analises };
}

it.concurrent('the receiver of the local run accepts a test that the partner sends itself', async () => {
  const { status, body } = await post('/v1/webhooks/teste', {});
  expect(status).toBe(200);
  expect(body.teste).toMatchObject({ status_http: 200, falha: null });
});

// These tests run at the same time: an outcome takes ten seconds, in the sandbox and at the stand-in operator.
it.concurrent('in the sandbox a submission ends by polling and by a webhook that both schemes verify', async () => {
  const [situacao, texto] = ['condicionado', 'Aprovado com restrição'];
  const { lead, analyses } = await submit('900.000.002-56', ['itau', 5]);
  expect(analyses.map(({ banco_id, sucesso }: { banco_id: number; sucesso: boolean }) => [banco_id, sucesso])).toEqual([
    [2, true],
    [5, true],
  ]);
  for (const { analise_id, num_consulta } of analyses) {
    const analise = await concluded(analise_id);
    expect(analise).toMatchObject({ analise_id, num_consulta, situacao, pendente: false, status_original: texto });
    const [event, ...more] = await eventually('the webhook', async () => {
      const events = await eventsOf(service, analise_id);
      return events.length > 0 ? events : undefined;
    });
    expect(more).toEqual([]);
    expect(event!.verified).toEqual({ service: true, standard: true });
    expect(new Webhook(service.inbox.secrets.sandbox).verify(event!.raw, { ...event!.headers })).toMatchObject({
      id: event!.id,
      type: 'analise.resultado',
      ambiente: 'sandbox',
      sequencia: 1,
      data: { ...analise, lead_id: lead },
    });
    expect(event!.raw).not.toMatch(/Marina|9000000|@/);
  }
  const list = await get(`/v1/leads/${lead}/analises?limit=1`);
  expect(list.body).toMatchObject({ limit: 1, offset: 0, tem_mais: true, pendentes: 0 });
  const consents = await get(`/v1/leads/${lead}/consentimentos`);
  expect(consents.body.consentimentos).toEqual([
    {
      id: expect.any(Number),
      consentimento: true,
      timestamp: CONSENTED_AT,
      ip: '177.45.10.20',
      canal: 'web',
      analise_ids: analyses.map(({ analise_id }: { analise_id: number }) => analise_id),
    },
  ]);
});

it.concurrent('in production a submission goes to the operator and its outcome comes back', async () => {
  const { analyses } = await submit(cpfFrom(2), ['bradesco', 'brb'], service.keys.producao);
  for (const { analise_id, num_consulta } of analyses) {
    expect(num_consulta).not.toBe('');
    expect(await concluded(analise_id, service.keys.producao)).toMatchObject({ situacao: 'aprovado', num_consulta });
    const [event] = await eventually('the webhook', async () => {
      const events = await eventsOf(service, analise_id);
      return events.length > 0 ? events : undefined;
    });
    expect(event!.body).toMatchObject({ ambiente: 'producao' });
    const verified = (secret: string) => new Webhook(secret).verify(event!.raw, { ...event!.headers });
    expect(verified(service.inbox.secrets.producao)).toMatchObject({ id: event!.id });
    expect(() => verified(service.inbox.secrets.sandbox)).toThrow();
  }
});

it('the dashboards show the metrics that the functions of this run emitted, and no personal data', async () => {
  const board = async (name: string) => {
    const text = await (await fetch(`${service.dashboards}/data?board=${name}&step=60`)).text();
    expect(text).not.toMatch(/Marina|Duarte|\b900\.?000\.?00|exemplo\.com\.br|177\.45/);
    return JSON.parse(text).widgets as { title: string; series?: { label: string; values: (number | null)[] }[] }[];
  };
  const total = (widgets: Awaited<ReturnType<typeof board>>, title: RegExp, label: string) =>
    (
      widgets.find((widget) => title.test(widget.title))?.series?.find((series) => series.label === label)?.values ?? []
    ).reduce<number>((sum, value) => sum + (value ?? 0), 0);
  const product = await board('product');
  expect(total(product, /^Sandbox: lead/, 'leads created')).toBeGreaterThan(0);
  expect(total(product, /^Outcomes of bradesco/, 'aprovado')).toBeGreaterThan(0);
  const platform = await board('platform');
  expect(total(platform, /^Calls and refusals/, 'calls')).toBeGreaterThan(8);
  expect(total(platform, /^Runs of the pollers/, 'poll-bank-outcomes')).toBeGreaterThan(0);
  expect((await get('/v1/me', 'pmc_wrong')).status).toBe(401);
  await eventually('the refused key on its board', async () =>
    total(await board('partners'), /^4xx by codigo/, 'auth_invalid') > 0 ? true : undefined,
  );
});
