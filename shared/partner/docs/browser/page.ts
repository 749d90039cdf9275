/** What the pages do beside being read: search, copying samples, and the address of this service in them. */
import MiniSearch from 'minisearch';
import { type Hit, SEARCH } from '../search-options.ts';
import { addTabs } from './tabs.ts';

/** What samples write where the service's address stands. */
const PLACEHOLDER = 'https://api.exemplo.com.br';
const MOST = 8;
/** Words of a hit's text that are shown, and how many of them stand before the first that was looked for. */
const WORDS = 20;
const LEAD = 6;

/** The address of the service that serves this page, a stage before /docs included. */
const service = location.href.replace(/\/docs(\/[^/]*)?([?#].*)?$/, '');

function fillAddress(): void {
  for (const code of document.querySelectorAll('article code')) {
    const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node.nodeValue?.includes(PLACEHOLDER)) node.nodeValue = node.nodeValue.replaceAll(PLACEHOLDER, service);
    }
  }
}

function addCopyButtons(): void {
  for (const figure of document.querySelectorAll('figure.code')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copiar';
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(figure.querySelector('code')!.textContent ?? '');
      button.textContent = 'Copiado';
      setTimeout(() => {
        button.textContent = 'Copiar';
      }, 2000);
    });
    figure.append(button);
  }
}

const input = document.querySelector<HTMLInputElement>('#busca')!;
const results = document.querySelector<HTMLElement>('#resultados')!;
let index: Promise<MiniSearch<Hit>> | undefined;

/** The index is fetched when the search is first used. */
function loaded(): Promise<MiniSearch<Hit>> {
  index ??= fetch(input.dataset['index']!)
    .then((answer) => answer.text())
    .then((text) => MiniSearch.loadJSON<Hit>(text, SEARCH));
  return index;
}

/** The address of a hit from this page. The guide's first page is at /docs itself. */
function addressOf(hit: string): string {
  const base = input.dataset['base']!;
  const first = hit.replace(/^inicio(?=#|$)/, base === '' ? '../docs' : 'docs');
  return first === hit ? base + hit : first;
}

/** The words around the first place where the query stands. */
function excerpt(text: string, terms: readonly string[]): string {
  const words = text.split(/\s+/);
  const plain = words.map((word) => SEARCH.processTerm!(word) as string);
  const at = plain.findIndex((word) => terms.some((term) => word.includes(term)));
  const from = at > LEAD ? at - LEAD : 0;
  const to = from + WORDS;
  return `${from > 0 ? '… ' : ''}${words.slice(from, to).join(' ')}${to < words.length ? ' …' : ''}`;
}

function show(found: readonly (Hit & { readonly terms: readonly string[] })[]): void {
  const list = document.createElement('ul');
  for (const { address, title, page, text, terms } of found) {
    const link = document.createElement('a');
    link.href = addressOf(address);
    const name = document.createElement('strong');
    name.textContent = title;
    const where = document.createElement('small');
    where.textContent = page;
    const words = document.createElement('span');
    words.textContent = excerpt(text, terms);
    link.append(name, where, words);
    link.addEventListener('click', () => {
      results.hidden = true;
    });
    const item = document.createElement('li');
    item.append(link);
    list.append(item);
  }
  const nothing = document.createElement('p');
  nothing.textContent = 'Nada encontrado.';
  results.replaceChildren(found.length > 0 ? list : nothing);
  results.hidden = false;
}

async function search(): Promise<void> {
  const query = input.value.trim();
  if (query.length < 2) {
    results.hidden = true;
    return;
  }
  const found = (await loaded()).search(query).slice(0, MOST);
  // A later query may have come while the index was fetched.
  if (input.value.trim() !== query) return;
  show(found.map((hit) => ({ ...(hit as unknown as Hit), address: String(hit.id), terms: hit.terms })));
}

function listen(): void {
  input.addEventListener('focus', () => void loaded());
  input.addEventListener('input', () => void search());
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') results.hidden = true;
    const typing = event.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
    if (event.key === '/' && !typing && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      input.focus();
    }
    const links = [...results.querySelectorAll('a')];
    if (event.key === 'Enter' && event.target === input) links[0]?.click();
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || results.hidden || links.length === 0) return;
    const place = links.indexOf(document.activeElement as HTMLAnchorElement);
    if (place < 0 && document.activeElement !== input) return;
    event.preventDefault();
    const next = place + step;
    if (next < 0) input.focus();
    else links[Math.min(next, links.length - 1)]!.focus();
  });
  document.addEventListener('click', (event) => {
    if (!(event.target as HTMLElement).closest('.search')) results.hidden = true;
  });
}

fillAddress();
addCopyButtons();
addTabs();
listen();
