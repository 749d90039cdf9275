import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Browser, HTTPRequest, Page, Protocol } from 'puppeteer-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/**
 * Returns the path of Chromium: `CHROMIUM` if it is set, otherwise the first one on the PATH. Undefined if there is
 * none. Then it warns, and the tests that need pages are skipped.
 */
export function chromiumOrWarning(what: string): string | undefined {
  const named = process.env['CHROMIUM'];
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const places = named ? [named] : NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  const found = places.find((place) => existsSync(place));
  if (!found) console.warn(`NOT CHECKED: ${what}: no Chromium on the path, and CHROMIUM names none`);
  return found;
}

/** How a page is shown: its size and its colours. */
export interface Look {
  readonly width: number;
  readonly dark: boolean;
  /** Height in CSS pixels, like the width. @default 900 */
  readonly height?: number;
}

/** A page in the browser, with what tests do on it and look at. */
export type OpenPage = Awaited<ReturnType<typeof openPage>>;
/** One Chromium for all pages of a test file. */
export type Visitor = Awaited<ReturnType<typeof startBrowser>>;

/** Starts Chromium without a window, with a new profile that is deleted at the end. */
export async function startBrowser(executablePath: string) {
  const { launch } = await import('puppeteer-core');
  const browser = await launch({
    executablePath,
    // Tests may run as root, in containers with a small /dev/shm.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--hide-scrollbars'],
  });
  return { openPage: (url: string, look: Look) => openPage(browser, url, look), close: () => browser.close() };
}

/** Where a person signs in: the panel of a local run. */
interface Panel {
  readonly panel: string;
  readonly password: string;
}

/** Opens a place of the panel, and signs in at the provider to which the panel redirects. */
export async function signedIn(
  { openPage: open }: Visitor,
  { panel, password }: Panel,
  look: Look,
  { email = 'ana+manager+support+privacy+security+auditor@local.example', hash = '' } = {},
): Promise<OpenPage> {
  const opened = await open(`${panel}${hash}`, look);
  await opened.page.locator('input[name=email]').fill(email);
  await opened.page.locator('input[name=password]').fill(password);
  await opened.page.locator('button').click();
  return opened;
}

/** A page counts as loaded when nothing was fetched for this time, in milliseconds. */
const QUIET = 100;

/**
 * Waits until a change of look is complete. The transitions to the new colours begin within two frames. An element that
 * inherits its colour may begin its own transition only when the one of its parent ends. So the script waits until two
 * frames pass in which nothing moves.
 */
const SETTLED = `(async () => {
  const ending = () =>
    document.getAnimations().filter(({ effect }) => Number.isFinite(effect.getComputedTiming().endTime));
  const frames = () => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)));
  for (await frames(); ending().length > 0; await frames())
    await Promise.all(ending().map(({ finished }) => finished.catch(() => undefined)));
})()`;

async function applyLook({ width, dark, height = 900 }: Look, page: Page): Promise<void> {
  await page.setViewport({ width, height });
  await page.emulateMediaFeatures([
    { name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' },
    { name: 'prefers-reduced-motion', value: 'reduce' },
  ]);
  await page.evaluate(SETTLED);
}

/**
 * A movement of visible content that no input caused. `value` is the moved share of the window times the moved share of
 * its larger side, as in web.dev's Cumulative Layout Shift.
 */
type Shift = Pick<Protocol.PerformanceTimeline.LayoutShift, 'value'>;

/** Milliseconds between two looks for a text. */
const LOOKS_EVERY = 100;

/** Opens an address and waits until its network is quiet. */
async function openPage(browser: Browser, url: string, look: Look) {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  const errors: string[] = [];
  const requests: string[] = [];
  // The requests that have not ended yet. Puppeteer's own count would wait for ever, because a navigation drops
  // requests without an event.
  const underWay = new Set<HTTPRequest>();
  page.on('request', (request) => {
    requests.push(request.url());
    underWay.add(request);
  });
  for (const end of ['requestfinished', 'requestfailed'] as const) page.on(end, (request) => underWay.delete(request));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => errors.push(`exception: ${(error as Error).message}`));
  page.on('requestfailed', (request) => errors.push(`request: ${request.url()} ${request.failure()?.errorText}`));
  page.on('response', (response) => {
    const request = response.request();
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) underWay.clear();
    if (response.status() >= 400) errors.push(`answer: ${response.status()} ${response.url()}`);
  });
  await applyLook(look, page);
  page.setDefaultTimeout(60_000);
  let shifts: readonly Shift[] = [];
  const timeline = await page.createCDPSession();
  timeline.on('PerformanceTimeline.timelineEventAdded', ({ event: { layoutShiftDetails: shift } }) => {
    if (shift && !shift.hadRecentInput) shifts = shifts.concat(shift);
  });
  await timeline.send('PerformanceTimeline.enable', { eventTypes: ['layout-shift'] });
  const quiet = async () => {
    for (let since = performance.now(); performance.now() - since < QUIET; await setTimeout(QUIET / 10))
      if (underWay.size > 0) since = performance.now();
  };
  await page.goto(url, { waitUntil: 'load' });
  await quiet();
  return {
    page,
    /** Console errors, uncaught exceptions, failed requests and answers with status 400 or higher, in order. */
    errors,
    /** The requested addresses, in order. */
    requests,
    /** Does something, waits until the network is quiet, and returns how much the page's content has moved by itself. */
    shiftDuring: async (work: () => Promise<unknown>) => {
      await page.evaluate(SETTLED);
      shifts = [];
      await work();
      await quiet();
      await page.evaluate(SETTLED);
      return shifts.reduce((sum, { value }) => sum + value, 0);
    },
    /** Changes the look of the page without loading it again. */
    look: (newLook: Look) => applyLook(newLook, page),
    /**
     * Returns the elements that stick out of the page to the right, unless an element around them scrolls or cuts them
     * off.
     */
    overflowing: () => page.evaluate(overflowing),
    /**
     * Returns what axe-core finds of serious or critical impact, with the first elements of each. With `all`, of any
     * impact.
     */
    violations: (anyImpact?: 'all') => violations(page, anyImpact),
    /**
     * Returns the texts that a person does not see inside of an element, because they are outside of the window, scrolled
     * away or covered.
     */
    hidden: (inside: string, texts: readonly string[]) => page.evaluate(hidden, inside, texts),
    /** Returns the links to this page whose fragment names no element of it. */
    brokenAnchors: () => page.evaluate(brokenAnchors),
    press: (name: string) => page.locator(`::-p-aria([name="${name}"][role="button"])`).click(),
    fill: (label: string, value: string) => page.locator(`::-p-aria([name="${label}"])`).fill(value),
    /**
     * Waits until the page shows a text, anywhere or inside of an element. A locator of Puppeteer would look again only when
     * an element is added or changed, and would miss a text that changes in its place.
     */
    see: (text: string, inside = 'body') =>
      page.waitForFunction(
        `Array.from(document.querySelectorAll(${JSON.stringify(inside)})).some((element) => element.textContent.includes(${JSON.stringify(text)}))`,
        { polling: LOOKS_EVERY },
      ),
    go: (hash: string) => page.evaluate(`location.hash = ${JSON.stringify(hash)}`),
    /**
     * Returns the looks in which the page has faults: elements that stick out, violations of axe-core's rules, or
     * errors. The page keeps the last look.
     */
    faults: async (looks: readonly Look[]) => {
      const faulty: object[] = [];
      for (const look of looks) {
        await applyLook(look, page);
        const faultsOfLook = [await page.evaluate(overflowing), await violations(page, undefined), errors];
        if (faultsOfLook.some((each) => each.length > 0)) faulty.push({ look, seen: faultsOfLook });
      }
      return faulty;
    },
    close: () => context.close(),
  };
}

const AXE = () => readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

async function violations(page: Page, anyImpact: 'all' | undefined) {
  // Evaluates through the debugger, to which the page's Content-Security-Policy does not apply.
  await page.evaluate(AXE());
  const results = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as {
    violations: { id: string; impact: string; nodes: { target: string[]; failureSummary: string }[] }[];
  };
  return results.violations
    .filter(({ impact }) => anyImpact || impact === 'serious' || impact === 'critical')
    .map(({ id, impact, nodes }) => ({
      rule: id,
      impact,
      elements: nodes.slice(0, 5).map(({ target, failureSummary }) => `${target.join(' ')}: ${failureSummary}`),
    }));
}

// The functions below run inside the page, so they must not use anything of this file.

function overflowing(): string[] {
  const { document, getComputedStyle } = globalThis as unknown as PageGlobals;
  const width = document.documentElement.clientWidth;
  const contained = (element: PageElement): boolean => {
    for (let parent = element.parentElement; parent; parent = parent.parentElement) {
      const { overflowX } = getComputedStyle(parent);
      if (overflowX !== 'visible' && parent.getBoundingClientRect().right <= width + 1) return true;
    }
    return false;
  };
  const outside = [...document.querySelectorAll('body *')].filter((element) => {
    const { right, width: ownWidth, height } = element.getBoundingClientRect();
    return ownWidth > 1 && height > 1 && right > width + 1 && !contained(element);
  });
  const page =
    document.documentElement.scrollWidth > width ? [`the page: ${document.documentElement.scrollWidth}`] : [];
  return [...page, ...outside.slice(0, 5).map((element) => element.outerHTML.slice(0, 120))];
}

function hidden(inside: string, texts: readonly string[]): string[] {
  const { document } = globalThis as unknown as PageGlobals;
  const all = [...document.querySelectorAll(`${inside} *`)];
  return texts.filter((text) => {
    // The innermost elements with this text.
    const holders = all.filter(
      (element) =>
        element.textContent.includes(text) &&
        ![...element.querySelectorAll('*')].some((inner) => inner.textContent.includes(text)),
    );
    const isSeen = (element: PageElement) =>
      [...element.getClientRects()].every(({ left, top, right, bottom }) => {
        // The middles of the four sides: a corner may be round.
        const points = [
          [left + 1, (top + bottom) / 2],
          [right - 1, (top + bottom) / 2],
          [(left + right) / 2, top + 1],
          [(left + right) / 2, bottom - 1],
        ] as const;
        // Null outside of the window.
        return points.every(([x, y]) => element.contains(document.elementFromPoint(x, y)));
      });
    return !holders.some(isSeen);
  });
}

function brokenAnchors(): string[] {
  const { document, location } = globalThis as unknown as PageGlobals;
  const here = `${location.origin}${location.pathname}`;
  return [...document.querySelectorAll('a[href]')].flatMap((link) => {
    const [address, fragment] = String(link.href).split('#');
    const onThisPage = address === here && fragment !== undefined && fragment !== '';
    return onThisPage && !document.getElementById(decodeURIComponent(fragment)) ? [link.outerHTML.slice(0, 120)] : [];
  });
}

/** The part of a browser's globals that the functions above use. The project is compiled without the DOM's types. */
interface PageGlobals {
  readonly document: {
    readonly documentElement: PageElement;
    querySelectorAll(selector: string): Iterable<PageElement>;
    getElementById(id: string): unknown;
    elementFromPoint(x: number, y: number): PageElement | null;
  };
  readonly location: { readonly origin: string; readonly pathname: string };
  getComputedStyle(element: PageElement): { readonly overflowX: string };
}
interface PageElement {
  readonly textContent: string;
  querySelectorAll(selector: string): Iterable<PageElement>;
  contains(other: PageElement | null): boolean;
  readonly clientWidth: number;
  readonly scrollWidth: number;
  readonly outerHTML: string;
  readonly href?: string;
  readonly parentElement: PageElement | null;
  getBoundingClientRect(): PageBox;
  getClientRects(): Iterable<PageBox>;
}
interface PageBox {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly width: number;
  readonly height: number;
}
