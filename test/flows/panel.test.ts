import { randomUUID } from 'node:crypto';
import type { HTTPRequest, Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EventId, LeadId, UnitId } from '#shared/domain/values/ids.ts';
import {
  chromiumOrWarning,
  type Look,
  type OpenPage,
  signedIn,
  startBrowser,
  type Visitor,
} from '../makers/browser.ts';
import { eventually, type LocalService, request, startLocalService } from '../makers/local-service.ts';
import { useLocalTable } from '../makers/local-table.ts';
import { analysisBody, cpfFrom, leadBody } from '../makers/people.ts';
import { type Receiver, startPlainReceiver } from '../makers/receiver.ts';

const chromium = chromiumOrWarning('the panel in a browser');
const LOOKS: readonly Look[] = [
  { width: 1440, dark: false },
  { width: 390, dark: true },
];
const WIDTHS: readonly Look[] = [390, 1030, 1440].map((width) => ({ width, dark: false }));
// Each screen is inspected in one of the looks, and with SOAK=1 in both.
const ALL_LOOKS = process.env['SOAK'] !== undefined;
/** Test CPFs of the sandbox. Their outcomes: approved, approved with conditions, refused, cancelled and failed. */
const OUTCOMES = ['900.000.001-75', '900.000.002-56', '900.000.003-37', '900.000.004-18', '900.000.005-07'];

describe.runIf(chromium)('the panel of a fresh service', () => {
  let service: LocalService;
  let visitor: Visitor;
  let receiver: Receiver;
  let open: OpenPage;
  let page: Page;
  let table: ReturnType<typeof useLocalTable>;
  let status = 200;
  const received: string[] = [];

  beforeAll(async () => {
    service = await startLocalService({ pollEvery: '300ms' });
    table = useLocalTable(service);
    const [browser, receiving] = await Promise.all([
      startBrowser(chromium!),
      startPlainReceiver(async (incoming, response) => {
        let raw = '';
        for await (const chunk of incoming) raw += chunk;
        received.push(raw);
        response.writeHead(status).end();
      }),
    ]);
    [visitor, receiver] = [browser, receiving];
    open = await signedIn(visitor, service.administration, LOOKS[0]!);
    ({ page } = open);
  });
  afterAll(async () => {
    await visitor?.close();
    await receiver?.stop();
    await service?.end();
  });

  /** Returns a locator of the element with a role and a text or label. */
  const named = (role: string, name: string) => page.locator(`::-p-aria([name="${name}"][role="${role}"])`);
  const follow = (name: string) => named('link', name).click();
  /** Returns a selector of what is shown about the webhook of an environment. */
  const webhookOf = (environment: 'Sandbox' | 'Produção') => `section[aria-label="Webhook: ${environment}"]`;
  /**
   * Fills in the reason, and the confirmation if the form asks for it, and sends the form. Waits for success or a
   * refusal.
   */
  const submitted = async (repeat?: readonly [what: string, text: string]) => {
    await open.fill('Motivo', 'INC-77');
    if (repeat) await open.fill(`Para confirmar, digite ${repeat[0]}: ${repeat[1]}`, repeat[1]);
    await page.locator('dialog button[type=submit]').click();
    await page.waitForFunction(
      '!document.querySelector("dialog form") || document.querySelector("dialog .notice.bad")',
    );
  };
  const because = async (repeat?: readonly [what: string, text: string]) => {
    await submitted(repeat);
    expect(await page.$$eval('dialog:not(.once)', (left) => left.map((dialog) => dialog.textContent))).toEqual([]);
  };
  /** Reads the key or secret that the panel shows only once, and closes its dialog. Returns the text. */
  const shownOnce = async () => {
    const text = await page
      .locator('.once .secret')
      .map((element) => element.textContent!)
      .wait();
    // Neither the back button nor Escape closes the dialog before the person confirms that the secret is kept.
    await page.evaluate('history.back()');
    for (const _ of [1, 2]) await page.keyboard.press('Escape');
    await page.locator('.once[open]').wait();
    await open.press('Guardei');
    return text;
  };
  let looks = 0;
  /**
   * Checks that the screen has no errors, no elements that stick out of the page, and no violations of axe-core's
   * rules.
   */
  const inspect = async () => {
    const taken = ALL_LOOKS ? LOOKS : [LOOKS[looks++ % LOOKS.length]!];
    expect(await open.faults(taken)).toEqual([]);
    await open.look(LOOKS[0]!);
  };

  /** Refreshes the screen until it shows a text. */
  const refreshedUntil = (text: string) =>
    eventually(
      text,
      async () => {
        await open.press('Atualizar');
        await page.waitForNetworkIdle({ idleTime: 100 });
        return (await page.$(`main ::-p-text(${text})`)) ? true : undefined;
      },
      120_000,
    );

  const call = (key: string, method: string, path: string, body: unknown, idempotency = randomUUID()) =>
    request(service, method, path, { key, body, headers: { 'Idempotency-Key': idempotency } });
  /** Makes a lead with one analysis, which is submitted twice with the same Idempotency-Key. Returns the lead's id. */
  async function submit(key: string, cpf: string, changes = {}): Promise<number> {
    const lead = (await call(key, 'POST', '/v1/leads', leadBody({ cpf }))).body.lead_id;
    const [body, once] = [analysisBody(lead, { cpf, ...changes }), randomUUID()];
    for (const _ of ['first', 'repeated']) {
      const answer = await call(key, 'POST', '/v1/analises', body, once);
      expect(answer.status, answer.text).toBe(202);
    }
    return lead;
  }

  // The story shows some twenty screens, and waits twice for an outcome, which takes 10 s in the sandbox.
  const STORY =
    'the panel opens production to a partner, repairs its webhook, erases a person and shows all of it in the audit';
  it(STORY, { timeout: 600_000 }, async () => {
    await open.press('Novo parceiro');
    await open.fill('Nome', 'Imobiliária Horizonte');
    await because();
    await open.see('Só sandbox');
    const partner = /parceiros\/(\d+)/.exec(page.url())![1]!;
    const asked: readonly [string, string] = ['o número do parceiro', partner];
    await inspect();

    await follow('Unidades');
    await open.press('Nova unidade');
    await open.fill('Nome', 'Unidade Sul');
    await because();
    await open.see('Unidade Sul');

    await follow('Chaves');
    await open.press('Nova chave');
    await because();
    const key = await shownOnce();
    const me = await request(service, 'GET', '/v1/me', { key });
    expect(me.body).toMatchObject({ parceiro: { id: Number(partner) }, unidade: { nome: 'Unidade Sul' } });
    await inspect();

    await follow('Webhook');
    await open.fill('Endereço que recebe os eventos', 'https://10.0.0.1/eventos');
    await open.see('Não é aceito');
    await open.fill('Endereço que recebe os eventos', `http://127.0.0.1:${receiver.port}/eventos`);
    await open.see('Aceito');
    // Both environments are ticked, so each gets this address and a secret of its own.
    await open.press('Definir endereço');
    await because();
    const [secret, productionSecret] = [await shownOnce(), await shownOnce()];
    expect(productionSecret).toMatch(/^whsec_/);
    expect(productionSecret).not.toBe(secret);

    const lead = await submit(key, OUTCOMES[0]!);
    await call(key, 'POST', '/v1/leads', leadBody({ cpf: OUTCOMES[0]! }));
    await call(key, 'POST', '/v1/simulacoes', { lead_id: lead, valor_imovel: 500_000, bancos: ['itau'] });
    for (const cpf of OUTCOMES.slice(1)) await submit(key, cpf);

    const rotation = `${webhookOf('Sandbox')} ::-p-aria([name="Trocar o segredo"][role="button"])`;
    await page.locator(rotation).click();
    await because(asked);
    const fresh = await shownOnce();
    expect([secret, fresh].every((text) => text.startsWith('whsec_')) && secret !== fresh).toBe(true);
    await open.see('Dois segredos assinam');
    await inspect();

    await follow('Validação');
    await refreshedUntil('11 de 12 passos');
    const [arrived] = (await call(key, 'GET', '/v1/webhooks/entregas?situacao=entregue', undefined)).body.entregas;
    expect((await call(key, 'POST', `/v1/webhooks/entregas/${arrived.id}/reenvio`, {})).status).toBe(202);
    await refreshedUntil('12 de 12 passos');
    await inspect();
    await open.press('Validar para produção');
    await because();
    await open.see('Validado para produção');

    await follow('Chaves');
    await open.press('Nova chave');
    await open.fill('Ambiente', 'producao');
    await because();
    const production = await shownOnce();
    expect((await request(service, 'GET', '/v1/me', { key: production })).body.ambiente).toBe('producao');

    await eventually('every event, and the one sent again', async () => {
      const ids: string[] = received.map((raw) => JSON.parse(raw).id);
      const again = ids.filter((id) => id === arrived.id).length > 1;
      return (again && new Set(ids).size >= OUTCOMES.length) || undefined;
    });
    // The receiver answers 410: the event is kept, and the service disables the webhook of the sandbox.
    status = 410;
    const gone = await submit(key, cpfFrom(1));
    await open.go('#/pessoas');
    await open.fill('CPF', OUTCOMES[0]!);
    await open.fill('Motivo', 'LGPD-5');
    await inspect();
    await open.press('Procurar');
    await open.see('Abrir');
    // The names of the row's unit and partner move its button.
    await page.waitForNetworkIdle({ idleTime: 100 });
    await open.press(`Abrir o lead ${lead}`);
    await page.waitForFunction(`location.hash.includes('${lead}')`);
    expect(page.url()).not.toContain(OUTCOMES[0]!.replace(/\D/g, ''));
    await page.waitForNetworkIdle({ idleTime: 100 });
    await page.reload({ waitUntil: 'networkidle0' });
    await open.fill('Motivo', 'LGPD-5');
    await open.press('Abrir');
    await open.see('Unidade Sul');
    await open.press('Ver e exportar os dados');
    await because();
    await open.see('Marina Duarte Alves');
    await inspect();
    await open.press('Apagar os dados');
    await because(['o número do lead', String(lead)]);
    await open.see('Primeira passagem');
    await open.see('próximo passo');
    expect((await request(service, 'GET', `/v1/leads/${lead}`, { key })).status).toBe(404);
    await inspect();
    const place = { unitId: me.body.unidade.id as UnitId, environment: 'sandbox' } as const;
    await table.secondPassIsDue(place, lead as LeadId);
    await refreshedUntil('Terminada');
    expect(await page.$eval('ol.steps', (steps) => steps.textContent)).toMatch(
      /Segunda passagemFeitoapagou 0 simulações/,
    );
    await inspect();
    // The evidence of consent stays, and the person may ask for it.
    await open.press('Ver e exportar os dados');
    await because();
    await open.see('Consentimentos');
    await inspect();

    await open.go(`#/parceiros/${partner}/webhook`);
    await refreshedUntil('O endereço respondeu 410');
    status = 200;
    const missed = received.map((raw) => JSON.parse(raw)).find(({ data }) => data?.lead_id === gone)!.id as string;
    const arrivals = (count: number) =>
      eventually(`attempt ${count}`, async () =>
        received.filter((raw) => JSON.parse(raw).id === missed).length >= count ? true : undefined,
      );
    await open.see('Ligado', webhookOf('Produção'));
    await open.press('Ligar');
    await because();
    await open.see('Ligado', webhookOf('Sandbox'));
    await arrivals(2);

    await open.go(`#/entregas/${missed}`);
    await open.see('O parceiro recusou');
    await refreshedUntil('O parceiro respondeu 2xx');
    await open.press('Reenviar');
    await because();
    await arrivals(3);
    await inspect();
    await open.go(`#/parceiros/${partner}/entregas`);
    await open.see('Resultado de análise');
    await inspect();
    // Many events are sent again, exactly those that the dialog showed: the change names the time of the dialog's
    // search.
    await open.fill('Situação', 'entregue');
    await open.fill('Ambiente', 'sandbox');
    await open.press('Reenviar várias');
    await open.see('Cada evento vai de novo');
    const sending = page.waitForRequest(
      (one) => one.url().endsWith('/v1/deliveries/replay') && !one.postData()?.includes('dry_run'),
    );
    await because();
    expect(JSON.parse((await sending).postData()!)).toMatchObject({ until: expect.stringMatching(/Z$/) });
    await open.see('eventos enviados, 0 já a caminho');

    await open.go(`#/parceiros/${partner}/auditoria`);
    await open.see('Apagar dados de pessoa', 'main table');
    const audit = await page.$eval('main table', (table) => table.textContent!);
    for (const done of [
      ...['Criar parceiro', 'Criar unidade', 'Criar chave', 'Definir endereço do webhook', 'Trocar segredo do webhook'],
      ...['Validar parceiro para produção', 'Ligar webhook', 'Reenviar entregas', 'Exportar dados de pessoa'],
    ]) {
      expect(audit).toContain(done);
    }
    expect(audit).toContain('INC-77');
    expect(audit).toContain(' (Unidade Sul)');
    expect(audit).not.toContain(OUTCOMES[0]!.replace(/\D/g, ''));
    await inspect();

    await table.isGivenUp('sandbox', missed as EventId);
    await open.go('#/entregas');
    await open.fill('Ambiente', 'sandbox');
    await open.see('Descartar');
    expect(await open.faults(WIDTHS)).toEqual([]);
    await open.look(LOOKS[0]!);

    for (const screen of ['#/entregas', '#/webhooks-com-falha', '#/analises', '#/auditoria', '#/ajuda']) {
      await open.go(screen);
      await page.waitForNetworkIdle({ idleTime: 100 });
      await inspect();
    }
    expect(await page.evaluate('[localStorage.length, sessionStorage.length, document.cookie]')).toEqual([0, 0, '']);
  });

  it('the panel warns before a key that is in use ends', async () => {
    const key = service.keys.sandbox;
    const partner = (await call(key, 'GET', '/v1/me', undefined)).body.parceiro.id as number;
    await open.go(`#/parceiros/${partner}/chaves`);
    await open.see('Último uso');
    expect(await open.faults(LOOKS)).toEqual([]);
    await open.look(LOOKS[0]!);
    await open.press(`Revogar ${key.slice(21, 26)}`);
    await open.see('Esta chave está em uso: a última chamada foi em');
    expect(await open.faults(LOOKS)).toEqual([]);
    await open.look(LOOKS[0]!);
    await open.press('Cancelar');
  });

  it('the panel finds a key by any start of it, says how many characters it needs, and sends no secret part', async () => {
    const key = service.keys.sandbox;
    const [partner, secret] = [(await call(key, 'GET', '/v1/me', undefined)).body.parceiro.id as number, key.slice(26)];
    let sent = '';
    const note = (one: HTTPRequest) => {
      sent += `${one.url()} ${one.postData() ?? ''}\n`;
    };
    page.on('request', note);
    const search = async (text: string) => {
      await open.go('#/parceiros');
      await open.fill('Parceiro', text);
      await open.press('Procurar');
    };
    await search(key.slice(0, 15));
    await open.see('são precisos 21 caracteres, e para achar a própria chave 26; foram dados 15.');
    expect(await open.faults(LOOKS)).toEqual([]);
    await open.look(LOOKS[0]!);
    await search(key.slice(0, 22));
    await open.see('22 caracteres dizem só o parceiro; 26 dizem a chave.');
    await open.see(key.slice(21, 26), 'main table');
    // A whole key with a word before it, as people paste it.
    await search(`chave ${key}`);
    await open.see(`Só chaves que começam com ${key.slice(0, 26)}`);
    expect(page.url()).toContain(`/parceiros/${partner}/chaves/${key.slice(0, 26)}`);
    await open.see(key.slice(21, 26), 'main table');
    expect(await page.$$eval('main tbody tr', (rows) => rows.length)).toBe(1);
    expect(await open.faults(LOOKS)).toEqual([]);
    await open.look(LOOKS[0]!);
    page.off('request', note);
    expect(sent).toContain('/v1/keys?');
    expect(sent).not.toContain(secret.slice(0, 8));
    expect(page.url()).not.toContain(secret.slice(0, 8));
  });

  it('the panel finds an analysis that has ended by its number, on the page of its partner', async () => {
    const key = service.keys.sandbox;
    const { parceiro, unidade } = (await call(key, 'GET', '/v1/me', undefined)).body;
    const cpf = OUTCOMES[2]!;
    const lead = (await call(key, 'POST', '/v1/leads', leadBody({ cpf }))).body.lead_id as number;
    const { analises } = (await call(key, 'POST', '/v1/analises', analysisBody(lead, { cpf }))).body;
    const analysis = analises[0].analise_id as number;
    await eventually('the outcome', async () => {
      const { body } = await call(key, 'GET', `/v1/analises/${analysis}/status`, undefined);
      return body.analise.situacao === 'recusado' || undefined;
    });
    await open.go(`#/parceiros/${parceiro.id}/analises`);
    await open.fill('Número da análise', '7');
    await open.press('Procurar');
    await open.see('Este parceiro não tem análise com este número, em nenhuma unidade.');
    // The answer 404 is what this test asks for.
    open.errors.length = 0;
    await open.fill('Número da análise', String(analysis));
    await open.press('Procurar');
    await open.see('Recusado', 'main .card');
    await open.see(unidade.nome, 'main .card');
    expect(await open.faults(LOOKS)).toEqual([]);
    await open.look(LOOKS[0]!);
  });

  it('the webhook dialog asks for the confirmation that is needed since events wait, also after Cancelar', async () => {
    const key = service.keys.sandbox;
    const partner = (await request(service, 'GET', '/v1/me', { key })).body.parceiro.id as number;
    const asked: readonly [string, string] = ['o número do parceiro', String(partner)];
    const confirming = `Para confirmar, digite ${asked[0]}: ${asked[1]}`;
    const address = (path: string) => `http://127.0.0.1:${receiver.port}/${path}`;
    const typed = async (path: string) => {
      await open.fill('Endereço que recebe os eventos', address(path));
      await page.locator('::-p-aria([name="Sandbox"][role="checkbox"])').click();
      await open.see('Aceito');
    };
    await open.go(`#/parceiros/${partner}/webhook`);
    await typed('eventos');
    await open.press('Definir endereço');
    await because();
    await open.see(address('eventos'));

    await typed('depois');
    // Nothing waits when the address is vetted. The receiver then fails, and an event waits for its next attempt.
    status = 500;
    await submit(key, OUTCOMES[0]!);
    await eventually('an event that waits', async () => {
      const { entregas } = (await call(key, 'GET', '/v1/webhooks/entregas?situacao=pendente', undefined)).body;
      return entregas.length > 0 || undefined;
    });
    await open.press('Definir endereço');
    expect(await page.$(`::-p-aria([name="${confirming}"])`)).toBeNull();
    await submitted();
    await open.see('Há eventos que esperam pelo endereço atual');
    await page.locator(`::-p-aria([name="${confirming}"])`).wait();
    await open.press('Cancelar');
    await open.see('Aceito');
    await open.press('Definir endereço');
    await because(asked);
    await open.see(address('depois'));
    status = 200;
  });

  it('a page of a partner that could not be read has a button that reads it again', async () => {
    const key = service.keys.sandbox;
    const partner = (await request(service, 'GET', '/v1/me', { key })).body.parceiro as { id: number; nome: string };
    await open.go('#/parceiros');
    await open.see('Novo parceiro');
    await page.setOfflineMode(true);
    await open.go(`#/parceiros/${partner.id}`);
    await open.press('Tentar de novo');
    await page.locator('main .notice.bad').wait();
    await page.setOfflineMode(false);
    await open.press('Tentar de novo');
    await open.see(partner.nome, 'main h1');
    expect(await page.$('main .notice.bad')).toBeNull();
  });
});
