import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  chromiumOrWarning,
  type Look,
  type OpenPage,
  signedIn,
  startBrowser,
  type Visitor,
} from '../makers/browser.ts';
import { type LocalService, request, startLocalService } from '../makers/local-service.ts';
import { leadBody } from '../makers/people.ts';

const chromium = chromiumOrWarning('two people at the panel');
const LOOKS: readonly Look[] = [
  { width: 390, height: 844, dark: true },
  { width: 1440, height: 900, dark: false },
];

/** Fills in the reason in the open dialog, and sends the form. */
async function confirm({ fill, page }: OpenPage): Promise<void> {
  await fill('Motivo', 'INC-78');
  await page.locator('dialog button[type=submit]').click();
}

describe.runIf(chromium)('the panel with two people', () => {
  let service: LocalService;
  let visitor: Visitor;
  let ana: OpenPage;
  let bia: OpenPage;

  beforeAll(async () => {
    service = await startLocalService({ approvals: true });
    visitor = await startBrowser(chromium!);
    const person = (name: string) => {
      const email = `${name}+manager+support+privacy+auditor@local.example`;
      return signedIn(visitor, service.administration, { width: 1440, dark: false }, { email });
    };
    [ana, bia] = [await person('ana'), await person('bia')];
  });
  afterAll(async () => {
    await visitor?.close();
    await service?.end();
  });

  it('a production webhook moves after one person asks, another approves and the first makes the change', async () => {
    const key = service.keys.producao;
    const partner = (await request(service, 'GET', '/v1/me', { key })).body.parceiro.id;
    const address = async () => (await request(service, 'GET', '/v1/webhooks', { key })).body.webhook.url as string;
    const before = await address();
    const moved = `${before}/novo`;
    const after = `${moved}?unidade=2`;
    await ana.go(`#/parceiros/${partner}/webhook`);
    await ana.fill('Endereço que recebe os eventos', after);
    // Both environments have an address, so none is ticked.
    await ana.page.locator('::-p-aria([name="Produção"][role="checkbox"])').click();
    await ana.see('Aceito');
    await ana.press('Definir endereço');
    await confirm(ana);
    await ana.see('Pedido feito');
    expect(await ana.page.$$('.notice.bad')).toEqual([]);
    expect(await address()).toBe(before);
    expect(await ana.overflowing()).toEqual([]);
    expect(await ana.violations()).toEqual([]);

    await ana.page.reload({ waitUntil: 'networkidle0' });
    await ana.go('#/aprovacoes');
    await ana.see('Desistir');
    expect(await ana.page.$$('main ::-p-text(Aprovar)')).toEqual([]);
    await bia.go('#/entregas');
    await bia.see('espera por você');
    await bia.see('bia', 'header .caller');
    await bia.go('#/aprovacoes');
    await bia.see('Lido às');
    await bia.see('Espera outra pessoa');
    await bia.see(after);
    await bia.see('no lugar de');
    await bia.press('Aprovar');
    await confirm(bia);
    await bia.see('Aprovado');
    expect(await bia.page.$$('nav .count')).toEqual([]);
    expect(await bia.overflowing()).toEqual([]);
    expect(await bia.violations()).toEqual([]);
    expect(await address()).toBe(before);

    // Nothing is typed again, and a reload has emptied the page's memory.
    await ana.page.reload({ waitUntil: 'networkidle0' });
    await ana.go('#/entregas');
    await ana.see('espera por você');
    await ana.go('#/aprovacoes');
    await ana.see('repita com um clique');
    expect(await ana.overflowing()).toEqual([]);
    expect(await ana.violations()).toEqual([]);
    await ana.press('Repetir: Definir endereço do webhook');
    await ana.see('Feito: Definir endereço do webhook');
    await bia.press('Atualizar');
    await bia.see('Usado');
    // Partners see their own address without its query.
    expect(await address()).toBe(moved);
    await bia.go(`#/parceiros/${partner}/auditoria`);
    await bia.see('Definir endereço do webhook');
    await bia.see('aprovado por');
  });

  it('a dialog shows what changes, for whom, and both hosts next to its button, however long the addresses are', async () => {
    const key = service.keys.producao;
    const { id, nome } = (await request(service, 'GET', '/v1/me', { key })).body.parceiro;
    const tail = 'x'.repeat(1_900);
    const first = `http://127.0.0.1:4001/eventos?${tail}=1`;
    const second = `http://127.0.0.1:4002/eventos?${tail}=2`;
    const name = 'Definir endereço do webhook';
    const ask = async (url: string) => {
      await ana.go(`#/parceiros/${id}/webhook`);
      await ana.fill('Endereço que recebe os eventos', url);
      await ana.page.locator('::-p-aria([name="Produção"][role="checkbox"])').click();
      await ana.see('Aceito');
      await ana.press('Definir endereço');
      await ana.page.locator('dialog form').wait();
    };
    const openDecision = async () => {
      await bia.go('#/aprovacoes');
      await bia.press('Atualizar');
      await bia.press('Aprovar');
      await bia.page.locator('dialog form').wait();
    };
    await ask(first);
    await confirm(ana);
    await ana.see('Pedido feito');
    await ana.press('Fechar');
    await openDecision();
    await confirm(bia);
    await bia.page.waitForSelector('dialog', { hidden: true });
    await ana.go('#/aprovacoes');
    await ana.press('Atualizar');
    await ana.press(`Repetir: ${name}`);
    await ana.see(`Feito: ${name}`);

    await ask(second);
    const seen = [nome, '127.0.0.1:4001', '127.0.0.1:4002', 'Produção'];
    for (const look of LOOKS) {
      await ana.look(look);
      expect(await ana.hidden('dialog', [...seen, 'Definir o endereço do webhook', 'Cancelar'])).toEqual([]);
    }
    await confirm(ana);
    await ana.see('Pedido feito');
    await ana.press('Fechar');
    for (const look of LOOKS) {
      await bia.look(look);
      await openDecision();
      expect(await bia.hidden('dialog', [...seen, `Aprovar pedido: ${name}`, 'Cancelar'])).toEqual([]);
      expect(await bia.overflowing()).toEqual([]);
      expect(await bia.violations()).toEqual([]);
      await bia.page.locator('dialog summary').click();
      expect(await bia.page.$eval('dialog details[open] textarea', ({ value }) => value)).toBe(second);
      expect(await bia.hidden('dialog', [...seen, `Aprovar pedido: ${name}`, 'Cancelar'])).toEqual([]);
      await bia.press('Cancelar');
    }
    await bia.press('Recusar');
    await confirm(bia);
    await bia.see('Recusado', 'main table');
  });

  it('the panel approves a request by a duty that may make the requested call', async () => {
    const cpf = '900.000.001-75';
    const lead = (await request(service, 'POST', '/v1/leads', { body: leadBody({ cpf }) })).body.lead_id as number;
    await ana.go('#/pessoas');
    await ana.fill('CPF', cpf);
    await ana.fill('Motivo', 'LGPD-9');
    await ana.press('Procurar');
    await ana.press(`Abrir o lead ${lead}`);
    await ana.press('Ver e exportar os dados');
    await ana.page.locator('dialog form').wait();
    await confirm(ana);
    await ana.see('Pedido feito');
    // Only the duty privacy may export. The first duty of the approval itself is another one.
    await bia.go('#/aprovacoes');
    await bia.press('Atualizar');
    await bia.press('Aprovar');
    await confirm(bia);
    await bia.see('Aprovado', 'main table');
    expect(await bia.page.$$('.notice.bad')).toEqual([]);
  });

  it('a rate begins tomorrow after one person publishes it in the panel, another approves and the first repeats it', async () => {
    const publish = 'Publicar taxa: Itaú, Padrão';
    const next = async () => {
      await ana.go('#/taxas');
      await ana.press('Atualizar');
      await ana.see('Lido às');
      const rows = await ana.page.$$eval('main tbody tr', (found) => found.map((row) => row.textContent));
      return rows.filter((row) => row.includes('Itaú') && row.includes('13,60'));
    };
    await ana.go('#/taxas');
    await ana.press(publish);
    await ana.fill('Taxa', '13,60');
    await ana.fill('Página do banco', 'https://itau.com.br.taxas.example/');
    await ana.see('não é um endereço https de Itaú: use uma página do próprio banco', 'dialog');
    await ana.fill('Página do banco', 'https://www.itau.com.br/emprestimos-financiamentos');
    await confirm(ana);
    await ana.see('Pedido feito');
    await ana.press('Fechar');
    expect(await next()).toEqual([]);
    await bia.go('#/aprovacoes');
    await bia.press('Atualizar');
    await bia.see('13.60');
    await bia.press('Aprovar');
    await confirm(bia);
    await bia.see('Aprovado', 'main table');
    await ana.go('#/aprovacoes');
    await ana.press('Atualizar');
    await ana.press('Repetir: Publicar taxa');
    await ana.see('Feito: Publicar taxa');
    expect(await next()).toHaveLength(1);
    for (const look of LOOKS) {
      await ana.look(look);
      expect(await ana.overflowing()).toEqual([]);
      expect(await ana.violations()).toEqual([]);
    }
  });
});
