import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumOrWarning, type Look, type OpenPage, startBrowser, type Visitor } from '../makers/browser.ts';
import { type LocalService, startLocalService } from '../makers/local-service.ts';

const chromium = chromiumOrWarning('the hosted panel in a browser');
const LOOKS: readonly Look[] = [
  { width: 1440, dark: false },
  { width: 390, dark: true },
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

  /** Opens the panel at a place, and signs in at the provider, which asks for it. */
  async function enter(email: string, hash = ''): Promise<OpenPage> {
    const open = await visitor.openPage(`${service.administration.panel}${hash}`, LOOKS[0]!);
    open.page.setDefaultTimeout(60_000);
    await open.page.locator('input[name=email]').fill(email);
    await open.page.locator('button').click();
    return open;
  }
  const see = ({ page }: OpenPage, text: string) => page.locator(`::-p-text(${text})`).wait();
  const press = ({ page }: OpenPage, name: string) =>
    page.locator(`::-p-aria([name="${name}"][role="button"])`).click();
  const fill = ({ page }: OpenPage, label: string, value: string) =>
    page.locator(`::-p-aria([name="${label}"])`).fill(value);
  const inspect = async (open: OpenPage) => {
    for (const look of LOOKS) {
      await open.look(look);
      const seen = { overflowing: await open.overflowing(), violations: await open.violations(), errors: open.errors };
      expect({ look, ...seen }).toEqual({ look, overflowing: [], violations: [], errors: [] });
    }
    await open.look(LOOKS[0]!);
  };

  it('is signed in to with PKCE, calls by the person’s own credentials, and is noted in the person’s name', async () => {
    const ana = await enter('ana+manager@local.example', '#/auditoria');
    // The place that was opened is come back to, and the address has no code in it.
    await see(ana, 'Auditoria');
    expect(ana.page.url()).toBe(`${service.administration.panel}#/auditoria`);
    const asked = ana.requests.find((url) => url.includes('code_challenge='))!;
    expect(new URL(asked).searchParams.get('code_challenge_method')).toBe('S256');
    await ana.page.evaluate('location.hash = "#/parceiros"');
    await press(ana, 'Novo parceiro');
    await fill(ana, 'Nome', 'Imobiliária Aurora');
    await fill(ana, 'Motivo', 'INC-31');
    await ana.page.locator('dialog button[type=submit]').click();
    await see(ana, 'Ainda não validado');
    await inspect(ana);
    await ana.page.evaluate('location.hash += "/auditoria"');
    await see(ana, 'Criar parceiro');
    const who = await ana.page.$eval('main td span.long', (cell) => cell.getAttribute('title'));
    expect(who).toMatch(
      /:assumed-role\/partner-credit-dev-administration-sa-east-1-manager\/CognitoIdentityCredentials\/\w+:[\w-]{36}$/,
    );
    // The sign-in remembers the person, the browser nothing.
    await ana.page.reload({ waitUntil: 'networkidle0' });
    await see(ana, 'Criar parceiro');
    expect(await ana.page.evaluate('[localStorage.length, sessionStorage.length, document.cookie]')).toEqual([
      0,
      0,
      '',
    ]);
    await ana.close();
  });

  it('takes for each call the credentials of the duty that may make it, and refuses what no duty of the person may', async () => {
    const bia = await enter('bia+privacy+auditor@local.example', '#/pessoas');
    await fill(bia, 'CPF', '900.000.001-75');
    await fill(bia, 'Motivo', 'LGPD-9');
    await press(bia, 'Procurar');
    await see(bia, 'Nenhum lead');
    // The auditor may look at deliveries, who looks after privacy may not.
    await bia.page.evaluate('location.hash = "#/entregas"');
    await see(bia, 'Lido às');
    expect(bia.errors).toEqual([]);
    await bia.page.evaluate('location.hash = "#/parceiros"');
    await press(bia, 'Novo parceiro');
    await fill(bia, 'Nome', 'Imobiliária Boreal');
    await fill(bia, 'Motivo', 'INC-31');
    await bia.page.locator('dialog button[type=submit]').click();
    await see(bia, 'Peça a quem tem a função');
    await bia.close();
  });

  it('opens for nobody without a duty, and says whom to ask', async () => {
    const caio = await enter('caio@local.example');
    await see(caio, 'Você ainda não tem função');
    await inspect(caio);
    await caio.close();
  });
});
