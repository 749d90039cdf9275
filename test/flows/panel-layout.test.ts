import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  chromiumOrWarning,
  type Look,
  type OpenPage,
  signedIn,
  startBrowser,
  type Visitor,
} from '../makers/browser.ts';
import { eventsOf, eventually, type LocalService, request, startLocalService } from '../makers/local-service.ts';
import { analysisBody, leadBody } from '../makers/people.ts';

const chromium = chromiumOrWarning('the movements of the panel in a browser');
const LOOKS: readonly Look[] = [
  { width: 1440, dark: false },
  { width: 390, dark: true },
];
/** Half of what web.dev calls good. */
const MOST = 0.05;
const SCREENS = ['parceiros', 'entregas', 'pessoas', 'analises', 'aprovacoes', 'auditoria', 'ajuda'];
/** Milliseconds that each answer takes, so that the screen is painted before its answers come. */
const DELAY = 100;
const [DOWNLOAD, UPLOAD] = [1e9, 1e9];
/** Test CPF of the sandbox whose analysis is approved. */
const APPROVED = '900.000.001-75';
const TABS = ['', '/validacao', '/unidades', '/chaves', '/webhook', '/entregas', '/analises', '/auditoria'];

describe.runIf(chromium)('the layout of the panel', { timeout: 240_000 }, () => {
  let service: LocalService;
  let visitor: Visitor;
  let open: OpenPage;
  let places: readonly string[];

  beforeAll(async () => {
    service = await startLocalService();
    const { event, person } = await oneDelivery();
    visitor = await startBrowser(chromium!);
    open = await signedIn(visitor, service.administration, LOOKS[0]!);
    await open.page.emulateNetworkConditions({ latency: DELAY, download: DOWNLOAD, upload: UPLOAD });
    // The demo partner of the local run has units, keys, a webhook and changes in the audit.
    await open.page.locator('main td a').wait();
    const partner = await open.page.$eval('main td a', (link) => link.getAttribute('href')!);
    places = SCREENS.map((screen) => `#/${screen}`).concat(
      TABS.map((tab) => partner + tab),
      `${partner}/chaves/${service.keys.sandbox.slice(0, 26)}/chamadas`,
      `#/entregas/${event}`,
      person,
    );
  });
  afterAll(async () => {
    await visitor?.close();
    await service?.end();
  });

  /** Submits an analysis, and waits for the event about its outcome. Returns the event's id and the person's place. */
  async function oneDelivery() {
    const post = (path: string, body: unknown) =>
      request(service, 'POST', path, { body, headers: { 'Idempotency-Key': randomUUID() } });
    const lead = (await post('/v1/leads', leadBody({ cpf: APPROVED }))).body.lead_id;
    const { body } = await post('/v1/analises', analysisBody(lead, { cpf: APPROVED }));
    const analysis = body.analises[0].analise_id;
    const { raw } = await eventually('an event', async () => (await eventsOf(service, analysis))[0]);
    const { parceiro, unidade } = (await request(service, 'GET', '/v1/me')).body;
    return {
      event: JSON.parse(raw).id as string,
      person: `#/pessoas/${parceiro.id}/${unidade.id}/sandbox/${lead}/titular`,
    };
  }

  /** Returns the places at which the content moves too much, with how much it moves. */
  async function moving(show: (place: string) => Promise<unknown>) {
    const found: object[] = [];
    for (const place of places) {
      const shift = await open.shiftDuring(() => show(place));
      if (shift > MOST) found.push({ place, shift });
    }
    return found;
  }

  it.each(LOOKS)('no screen moves more than a little by itself while it loads at $width px', async (look) => {
    await open.look(look);
    const { origin } = new URL(open.page.url());
    const moved = await moving(async (place) => {
      await open.page.goto('about:blank');
      await open.page.goto(`${origin}/${place}`);
    });
    expect(moved).toEqual([]);
  });

  it.each(LOOKS)('no screen moves more than a little by itself when a link opens it at $width px', async (look) => {
    await open.look(look);
    expect(await moving((place) => open.go(place))).toEqual([]);
  });
});
