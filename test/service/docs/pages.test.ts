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
// Each width and each scheme is looked at in every run; all four pairs in the long one.
const LOOKS: readonly Look[] = process.env['SOAK']
  ? [WIDE, NARROW, { ...WIDE, dark: true }, { ...NARROW, dark: false }]
  : [WIDE, NARROW];

describe.runIf(chromium)('in a browser', () => {
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
  /** Waits until the reference's renderer shows what an anchor names. */
  const drawn = ({ page }: OpenPage, anchor: string) =>
    page.waitForFunction(`document.getElementById('api-1/${anchor}')?.getBoundingClientRect().height > 0`, {
      timeout: 120_000,
    });

  /** What no visitor may meet, however the page is looked at. */
  async function inspect(open: OpenPage, looks: readonly Look[] = LOOKS): Promise<void> {
    for (const look of looks) {
      await open.look(look);
      const shown = JSON.stringify(look);
      const cut = await open.page.$$eval('article pre', (all) =>
        all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent),
      );
      expect(await open.overflowing(), shown).toEqual([]);
      expect(cut, shown).toEqual([]);
      expect(await open.violations('all'), shown).toEqual([]);
      expect(open.errors, shown).toEqual([]);
    }
  }

  // The reference's pages are made by one program: in every run the longest, an event's and the one that lists them.
  const read = process.env['SOAK'] ? ALL_PAGES : [...PAGES, REFERENCE, 'create-simulation', 'analise.resultado'];
  it.each(read)('%s is whole, silent, legible, and its anchors lead somewhere', (name) =>
    visit(name, LOOKS[0]!, async (open) => {
      expect(await open.brokenAnchors()).toEqual([]);
      await inspect(open);
      // Nothing from elsewhere, and the interactive reference's renderer on its own page alone.
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
      // The first result is opened by the keyboard too.
      const open = () => (look === WIDE ? page.keyboard.press('Enter') : page.click('#resultados a'));
      await Promise.all([page.waitForNavigation(), open()]);
      expect(page.url()).toBe(`${addressOf('erros')}#divergencia_titular`);
      expect(await page.$eval('#divergencia_titular', (row) => row.checkVisibility())).toBe(true);
      expect(errors).toEqual([]);
    }),
  );

  it('samples are tabs: one choice for the whole page, by the keyboard too, kept for the next page', () =>
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
      await page.goto(addressOf('webhooks'));
      // No framework is in Python: that group shows its first.
      expect(new Set(await shown())).toEqual(new Set(['Python', 'Express']));
      expect(errors).toEqual([]);
      // Without the page's script a choice holds for its own group.
      await page.setJavaScriptEnabled(false);
      await page.reload();
      await page.click('.tabs > label:has(+ [data-tab=PHP])');
      expect(await shown()).toEqual(['PHP', 'Node.js', 'Express']);
    }));

  const SUBMISSION = 'tag/Analises/submit-analyses';
  const places = [
    ...OPERATIONS.map(({ tags, operationId }) => `tag/${tags[0]}/${operationId}`),
    ...EVENTS.map(({ tags, operationId }) => `tag/${tags[0]}/webhook/${operationId}`),
  ];
  it('the interactive reference shows each operation and event, and nothing sticks out', () =>
    visit(EXPLORER, NARROW, async (open) => {
      for (const anchor of places) {
        await open.page.evaluate(`location.hash = ${JSON.stringify(`#${anchor}`)}`);
        await drawn(open, anchor);
        expect(await open.overflowing(), anchor).toEqual([]);
      }
      expect(open.errors).toEqual([]);
    }));

  // All of it takes axe-core most of a minute. Each look is opened anew: the renderer leaves what is out of sight in the
  // colours of the look before.
  const few = [SUBMISSION, 'tag/Conta/get-account'];
  const seen = (process.env['SOAK'] ? places : few).flatMap((anchor) =>
    LOOKS.map((look) => ({ anchor, look, ...look })),
  );
  it.each(seen)(
    'the interactive reference is whole, silent and legible at $anchor, $width wide, dark: $dark',
    ({ anchor, look }) =>
      visit(`${EXPLORER}#${anchor}`, look, async (open) => {
        await drawn(open, anchor);
        await inspect(open, [look]);
      }),
  );

  it('the interactive reference speaks Portuguese where its renderer has only English', () =>
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
