import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import type { Browser, Page } from 'puppeteer-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/** The Chromium of this machine: `CHROMIUM` where that is set, else the first on the path. Undefined where there is none. */
export function findChromium(): string | undefined {
  const named = process.env['CHROMIUM'];
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const places = named ? [named] : NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  return places.find((place) => existsSync(place));
}

/** Where Chromium is; undefined, said aloud, where it is not. Tests that need pages are skipped by it. */
export function chromiumOrWarning(what: string): string | undefined {
  const found = findChromium();
  if (!found) console.warn(`NOT CHECKED: ${what}: no Chromium on the path, and CHROMIUM names none`);
  return found;
}

export interface Look {
  /** CSS pixels. */
  readonly width: number;
  readonly dark: boolean;
  /** CSS pixels. @default 900 */
  readonly height?: number;
}

/** Something on a page that no visitor may meet. */
export interface Violation {
  readonly rule: string;
  readonly impact: string;
  /** Selectors of the first elements in fault, each with what is wrong. */
  readonly elements: readonly string[];
}

/** A page as a visitor has it in front of them. */
export interface OpenPage {
  readonly page: Page;
  /** Console errors, uncaught exceptions, failed requests and answers from 400 on, in the order in which they came. */
  readonly errors: readonly string[];
  /** Changes how it is looked at, without loading it anew. */
  look(look: Look): Promise<void>;
  /** The elements that stick out to the right of the page, unless something around them scrolls or cuts. */
  overflowing(): Promise<string[]>;
  /** The addresses asked for, in order. */
  readonly requests: readonly string[];
  /** What axe-core finds of serious or critical impact; with `all`, of any. */
  violations(all?: 'all'): Promise<Violation[]>;
  /** The links whose fragment names no element of this page. */
  brokenAnchors(): Promise<string[]>;
  close(): Promise<void>;
}

/** One Chromium for all pages of a test file. */
export interface Visitor {
  /** Opens an address and waits until its network is quiet. */
  openPage(url: string, look: Look): Promise<OpenPage>;
  close(): Promise<void>;
}

/** Starts Chromium without a window. Its profile is its own and is thrown away. */
export async function startBrowser(executablePath: string): Promise<Visitor> {
  const { launch } = await import('puppeteer-core');
  const browser = await launch({
    executablePath,
    // Tests may run as root, in containers with a small /dev/shm.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--hide-scrollbars'],
  });
  return { openPage: (url, look) => openPage(browser, url, look), close: () => browser.close() };
}

/** How long nothing may have been fetched before a page counts as loaded, in milliseconds. */
const QUIET = 100;

/** Two frames on, the colours of another look are on their way; then it is waited until they have come. */
const SETTLED = `(async () => {
  await new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)));
  const ending = document.getAnimations().filter(({ effect }) => Number.isFinite(effect.getComputedTiming().endTime));
  await Promise.all(ending.map(({ finished }) => finished.catch(() => undefined)));
})()`;

async function take({ width, dark, height = 900 }: Look, page: Page): Promise<void> {
  await page.setViewport({ width, height });
  await page.emulateMediaFeatures([
    { name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' },
    { name: 'prefers-reduced-motion', value: 'reduce' },
  ]);
  await page.evaluate(SETTLED);
}

async function openPage(browser: Browser, url: string, look: Look): Promise<OpenPage> {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  const errors: string[] = [];
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => errors.push(`exception: ${(error as Error).message}`));
  page.on('requestfailed', (request) => errors.push(`request: ${request.url()} ${request.failure()?.errorText}`));
  page.on('response', (response) => {
    if (response.status() >= 400) errors.push(`answer: ${response.status()} ${response.url()}`);
  });
  await take(look, page);
  await page.goto(url, { waitUntil: 'load' });
  await page.waitForNetworkIdle({ idleTime: QUIET });
  return {
    page,
    errors,
    requests,
    look: (another) => take(another, page),
    overflowing: () => page.evaluate(overflowing),
    violations: (all) => violations(page, all),
    brokenAnchors: () => page.evaluate(brokenAnchors),
    close: () => context.close(),
  };
}

const AXE = () => readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

async function violations(page: Page, all: 'all' | undefined): Promise<Violation[]> {
  // By the debugger, which a page's Content-Security-Policy does not bind.
  await page.evaluate(AXE());
  const found = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as {
    violations: { id: string; impact: string; nodes: { target: string[]; failureSummary: string }[] }[];
  };
  return found.violations
    .filter(({ impact }) => all || impact === 'serious' || impact === 'critical')
    .map(({ id, impact, nodes }) => ({
      rule: id,
      impact,
      elements: nodes.slice(0, 5).map(({ target, failureSummary }) => `${target.join(' ')}: ${failureSummary}`),
    }));
}

// The functions below run inside the page: they may use nothing of this file.

/* v8 ignore start */
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
    const { right, width: own, height } = element.getBoundingClientRect();
    return own > 1 && height > 1 && right > width + 1 && !contained(element);
  });
  const page =
    document.documentElement.scrollWidth > width ? [`the page: ${document.documentElement.scrollWidth}`] : [];
  return [...page, ...outside.slice(0, 5).map((element) => element.outerHTML.slice(0, 120))];
}

function brokenAnchors(): string[] {
  const { document, location } = globalThis as unknown as PageGlobals;
  const here = `${location.origin}${location.pathname}`;
  return [...document.querySelectorAll('a[href]')].flatMap((link) => {
    const [address, fragment] = String(link.href).split('#');
    const ours = address === here && fragment !== undefined && fragment !== '';
    return ours && !document.getElementById(decodeURIComponent(fragment)) ? [link.outerHTML.slice(0, 120)] : [];
  });
}
/* v8 ignore stop */

/** As much of a browser's globals as the functions above use: the project is compiled without the DOM's types. */
interface PageGlobals {
  readonly document: {
    readonly documentElement: PageElement;
    querySelectorAll(selector: string): Iterable<PageElement>;
    getElementById(id: string): unknown;
  };
  readonly location: { readonly origin: string; readonly pathname: string };
  getComputedStyle(element: PageElement): { readonly overflowX: string };
}
interface PageElement {
  readonly clientWidth: number;
  readonly scrollWidth: number;
  readonly outerHTML: string;
  readonly href?: string;
  readonly parentElement: PageElement | null;
  getBoundingClientRect(): { readonly right: number; readonly width: number; readonly height: number };
}
