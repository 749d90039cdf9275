import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { Containers } from '#infra/local/aws/containers.ts';
import { startGateway } from '#infra/local/aws/gateway.ts';
import { blueprintOf } from '#infra/local/blueprint.ts';
import type { LocalServer } from '#infra/local/listen.ts';
import { readAssembly, Template } from '#infra/local/template.ts';
import { EXPLORER, PAGES, REFERENCE } from '#shared/partner/docs/contents.ts';
import { ALL_PAGES } from '#shared/partner/docs/layout.ts';
import { EVENTS, OPERATIONS } from '#shared/partner/docs/openapi-operation.ts';
import { chromiumOrWarning, type Look, type OpenPage, startBrowser, type Visitor } from '#test/makers/browser.ts';

const chromium = chromiumOrWarning('how the documentation looks and behaves in a browser');
const WIDE: Look = { width: 1440, dark: false };
const NARROW: Look = { width: 390, dark: true };
// Each run looks at both widths and at both colour schemes. SOAK=1 looks at all four pairs of them.
const LOOKS: readonly Look[] = process.env['SOAK']
  ? [WIDE, NARROW, { ...WIDE, dark: true }, { ...NARROW, dark: false }]
  : [WIDE, NARROW];

describe.runIf(chromium)('the documentation in a browser', () => {
  let gateway: LocalServer;
  let containers: Containers;
  let visitor: Visitor;
  beforeAll(async () => {
    const blueprint = blueprintOf(new Template(readAssembly(inject('assembly')), 'http://queues'));
    containers = new Containers(
      blueprint.functions,
      ({ environment }) => environment,
      () => {},
    );
    gateway = await startGateway(blueprint.api, containers, 0, { log: () => {} });
    visitor = await startBrowser(chromium!);
  });
  afterAll(async () => {
    await visitor.close();
    await gateway.close();
    await containers.close();
  });

  const addressOf = (name: string) => `${gateway.url}/docs${name === PAGES[0] ? '' : `/${name}`}`;
  async function visit<T>(name: string, look: Look, see: (open: OpenPage) => Promise<T>): Promise<T> {
    const open = await visitor.openPage(addressOf(name), look);
    try {
      return await see(open);
    } finally {
      await open.close();
    }
  }
  /** Waits until the reference's renderer shows the section that an anchor names. */
  const drawn = ({ page }: OpenPage, anchor: string) =>
    page.waitForFunction(`document.getElementById('api-1/${anchor}')?.getBoundingClientRect().height > 0`, {
      timeout: 120_000,
    });

  /**
   * Checks that a page has no errors, no violations of axe-core's rules, and nothing that sticks out or is cut off, in
   * each look.
   */
  async function inspect(open: OpenPage, looks: readonly Look[] = LOOKS): Promise<void> {
    for (const look of looks) {
      await open.look(look);
      const shown = JSON.stringify(look);
      const cut = await open.page.$$eval('article pre', (all) =>
        all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent),
      );
      const brokenNames = await open.page.$$eval('article :is(td, th) code:not(.long)', (all) =>
        all.filter((one) => one.getClientRects().length > 1).map((one) => one.textContent),
      );
      if (look.width >= WIDE.width) expect(brokenNames, shown).toEqual([]);
      expect(await open.overflowing(), shown).toEqual([]);
      expect(cut, shown).toEqual([]);
      expect(await open.violations('all'), shown).toEqual([]);
      expect(open.errors, shown).toEqual([]);
    }
  }

  // One program makes all pages of the reference. So each run checks only the longest of these pages, the page of one
  // event, and their list. SOAK=1 checks all of them.
  const read = process.env['SOAK'] ? ALL_PAGES : [...PAGES, REFERENCE, 'create-simulation', 'analise.resultado'];
  it.each(read)('the page %s fits, is legible, logs no error, and each of its anchors has a target', (name) =>
    visit(name, LOOKS[0]!, async (open) => {
      expect(await open.brokenAnchors()).toEqual([]);
      await inspect(open);
      // Nothing is loaded from other hosts, and these pages do not load the renderer of the interactive reference.
      expect(open.requests.filter((url) => !url.startsWith(`${gateway.url}/`) || url.includes('scalar'))).toEqual([]);
    }),
  );

  it.each([WIDE, NARROW])('the search finds divergencia_titular and leads there, $width pixels wide', (look) =>
    visit('inicio', look, async ({ page, errors }) => {
      await page.type('#busca', 'divergencia_titular');
      await page.waitForSelector('#resultados a');
      const found = (await page.$$eval('#resultados a', (links) => links.map((link) => link.textContent))) as string[];
      expect(found[0]).toContain('divergencia_titular');
      expect(found.join()).toContain('Submeter análises de crédito');
      // The keyboard opens the first result, too.
      const open = () => (look === WIDE ? page.keyboard.press('Enter') : page.click('#resultados a'));
      await Promise.all([page.waitForNavigation(), open()]);
      expect(page.url()).toBe(`${addressOf('erros')}#divergencia_titular`);
      expect(await page.$eval('#divergencia_titular', (row) => row.checkVisibility())).toBe(true);
      expect(errors).toEqual([]);
    }),
  );

  it('the results of a search close after a choice, Escape, a click elsewhere or one letter that is left', () =>
    visit('erros', WIDE, async ({ page, errors }) => {
      const isOpen = () => page.$eval('#resultados', (results) => results.checkVisibility());
      const search = async () => {
        await page.locator('#busca').fill('');
        await page.type('#busca', 'divergencia_titular');
        await page.waitForSelector('#resultados:not([hidden]) a');
        expect(await isOpen()).toBe(true);
      };
      await search();
      await page.click('#resultados a');
      expect(page.url()).toBe(`${addressOf('erros')}#divergencia_titular`);
      expect(await isOpen()).toBe(false);
      await search();
      await page.keyboard.press('Escape');
      expect(await isOpen()).toBe(false);
      await search();
      await page.click('article h1');
      expect(await isOpen()).toBe(false);
      await search();
      for (let letter = 'divergencia_titular'.length; letter > 1; letter--) await page.keyboard.press('Backspace');
      expect(await isOpen()).toBe(false);
      expect(errors).toEqual([]);
    }));

  it('a choice of language in the tabs of samples holds for the whole page and for the next page', () =>
    visit('linguagens', NARROW, async ({ page, errors }) => {
      const shown = () =>
        page.$$eval('.tabs [data-tab]', (all) =>
          all.filter((one) => one.checkVisibility()).map((one) => one.getAttribute('data-tab')),
        );
      const groups = (await page.$$('.tabs')).length;
      expect(groups).toBeGreaterThan(5);
      expect(await shown()).toEqual(Array(groups).fill('curl'));
      await page.focus('.tabs > input:checked');
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('ArrowRight');
      expect(await shown()).toEqual(Array(groups).fill('Python'));
      expect(await page.$eval(':focus + label', (label) => label.textContent)).toBe('Python');
      await page.goto(addressOf('receptor'));
      // The group of frameworks has no Python, so it shows its first tab.
      expect(new Set(await shown())).toEqual(new Set(['Python', 'Express']));
      expect(errors).toEqual([]);
      // Without the page's script a choice holds only for its own group.
      await page.setJavaScriptEnabled(false);
      await page.reload();
      await page.click('.tabs > label:has(+ [data-tab=PHP])');
      expect(await shown()).toEqual(['PHP', 'Express']);
    }));

  const SUBMISSION = 'tag/Analises/submit-analyses';
  const places = [
    ...OPERATIONS.map(({ tags, operationId }) => `tag/${tags[0]}/${operationId}`),
    ...EVENTS.map(({ tags, operationId }) => `tag/${tags[0]}/webhook/${operationId}`),
  ];
  it('the interactive reference shows each operation and event, and nothing is wider than the page', () =>
    visit(EXPLORER, NARROW, async (open) => {
      for (const anchor of places) {
        await open.page.evaluate(`location.hash = ${JSON.stringify(`#${anchor}`)}`);
        await drawn(open, anchor);
        expect(await open.overflowing(), anchor).toEqual([]);
      }
      expect(open.errors).toEqual([]);
    }));

  // One renderer draws all places, so only one of them is checked in each look. SOAK=1 checks the others, too: axe-core
  // needs seconds for each.
  it.each(process.env['SOAK'] ? places : [SUBMISSION, 'tag/Conta/get-account'])(
    'the interactive reference fits, is legible and logs no error at %s',
    (anchor) => {
      const looks = anchor === SUBMISSION ? LOOKS : [LOOKS[places.indexOf(anchor) % LOOKS.length]!];
      return visit(`${EXPLORER}#${anchor}`, looks[0]!, async (open) => {
        await drawn(open, anchor);
        await inspect(open, looks);
      });
    },
  );

  it('the interactive reference shows Portuguese texts in place of the English ones of its renderer', () =>
    visit(`${EXPLORER}#${SUBMISSION}`, WIDE, async (open) => {
      await drawn(open, SUBMISSION);
      const texts = (await open.page.evaluate(`(() => {
        const walker = document.createTreeWalker(document.querySelector('#referencia'), NodeFilter.SHOW_TEXT);
        const texts = [];
        while (walker.nextNode()) texts.push(walker.currentNode.nodeValue.trim());
        return texts;
      })()`)) as string[];
      expect(texts).toContain('Exemplo de pedido para');
      for (const english of ['Request Example for', 'Copy', 'Request', 'array of'])
        expect(texts).not.toContain(english);
      expect(texts.join('\n')).not.toContain('YOUR_SECRET_TOKEN');
    }));
});
