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

const chromium = chromiumOrWarning('the hosted panel in a browser');
const LOOKS: readonly Look[] = [
  { width: 390, dark: true },
  { width: 1440, dark: false },
];

describe.runIf(chromium)('the hosted panel', { timeout: 240_000 }, () => {
  let service: LocalService;
  let visitor: Visitor;
  beforeAll(async () => {
    [service, visitor] = await Promise.all([startLocalService(), startBrowser(chromium!)]);
  });
  afterAll(async () => {
    await visitor?.close();
    await service?.end();
  });

  const enter = (email: string, hash = '') => signedIn(visitor, service.administration, LOOKS[1]!, { email, hash });
  async function makePartner({ press, fill, page }: OpenPage, name: string): Promise<void> {
    await press('Novo parceiro');
    await fill('Nome', name);
    await fill('Motivo', 'INC-31');
    await page.locator('dialog button[type=submit]').click();
  }

  it('the hosted panel signs in with PKCE and calls with the credentials of the person whom the audit names', async () => {
    const ana = await enter('ana+manager@local.example', '#/auditoria');
    // After the sign-in the panel shows the place that was opened, and its address has no code.
    await ana.see('Auditoria');
    await ana.see('ana+manager@local.example / gestão', 'header .caller');
    expect(ana.page.url()).toBe(`${service.administration.panel}#/auditoria`);
    const asked = ana.requests.find((url) => url.includes('code_challenge='))!;
    expect(new URL(asked).searchParams.get('code_challenge_method')).toBe('S256');
    await ana.go('#/parceiros');
    await makePartner(ana, 'Imobiliária Aurora');
    await ana.see('Ainda não validado');
    expect(await ana.faults(LOOKS)).toEqual([]);
    await ana.page.evaluate('location.hash += "/auditoria"');
    await ana.see('Criar parceiro', 'main table');
    const who = await ana.page.$eval('main td span.long', (cell) => cell.getAttribute('title'));
    expect(who).toMatch(
      /:assumed-role\/partner-credit-dev-administration-sa-east-1-manager\/CognitoIdentityCredentials\/\w+:[\w-]{36}\/ana\+manager@local.example$/,
    );
    // The sign-in provider remembers the person. The panel stores nothing in the browser.
    await ana.page.reload({ waitUntil: 'networkidle0' });
    await ana.see('Criar parceiro');
    expect(await ana.page.evaluate('[localStorage.length, sessionStorage.length, document.cookie]')).toEqual([
      0,
      0,
      '',
    ]);
    await ana.close();
  });

  it('the hosted panel makes each call with a duty that may make it, and refuses if the person has none', async () => {
    const bia = await enter('bia+privacy+auditor@local.example', '#/pessoas');
    await bia.fill('CPF', '900.000.001-75');
    await bia.fill('Motivo', 'LGPD-9');
    await bia.press('Procurar');
    await bia.see('Nenhum lead');
    // The duty `auditor` may look at deliveries, the duty `privacy` may not.
    await bia.go('#/entregas');
    await bia.see('Lido às');
    expect(bia.errors).toEqual([]);
    await bia.go('#/parceiros');
    await makePartner(bia, 'Imobiliária Boreal');
    await bia.see('Peça a quem tem a função');
    await bia.close();
  });

  it('the hosted panel cannot read the calls of a key, and names the command that can', async () => {
    const start = service.keys.sandbox.slice(0, 26);
    const partner = (await request(service, 'GET', '/v1/me', { key: service.keys.sandbox })).body.parceiro.id as number;
    const eva = await enter('eva+security@local.example', `#/parceiros/${partner}/chaves/${start}/chamadas`);
    await eva.see('O painel não lê o registro de chamadas');
    await eva.see(`keys calls --key ${start} --since 7d`);
    expect(await eva.faults(LOOKS)).toEqual([]);
    await eva.close();
  });

  it('the hosted panel tells a person without a duty that they have none, and signs them out', async () => {
    const caio = await enter('caio@local.example');
    await caio.see('Você ainda não tem função');
    expect(await caio.faults(LOOKS)).toEqual([]);
    // An ordinary button is as wide as its text.
    const widths = await caio.page.evaluate(
      '[...document.querySelectorAll("main button")].map((one) => one.offsetWidth)',
    );
    expect(widths).toEqual([expect.any(Number), expect.any(Number)]);
    expect(Math.max(...(widths as number[]))).toBeLessThan(200);
    await caio.press('Sair');
    await caio.page.waitForFunction(`location.href.includes('/session/end')`);
    await caio.close();
  });
});
