import type MiniSearch from 'minisearch';
import { type Found, find, type Hit, loadIndex, type Suggestion, suggestPages, termOf } from '../find.ts';
import { dataOf, elementAt } from './elements.ts';

/** How many words of a hit's text are shown, and how many of them come before the first word of the query. */
const WORDS = 20;
const LEAD = 6;
const SHORTEST = 2;

const input = elementAt('#busca', HTMLInputElement);
const results = elementAt('#resultados', HTMLElement);
let index: Promise<MiniSearch<Hit>> | undefined;

export function announce(sentence: string): void {
  elementAt('#aviso', HTMLElement).textContent = sentence;
}

function loaded(): Promise<MiniSearch<Hit>> {
  index ??= fetch(dataOf(input, 'index'))
    .then((answer) => answer.text())
    .then(loadIndex);
  return index;
}

/** The guide's first page is at /docs itself. */
function addressOf(hit: string): string {
  const base = dataOf(input, 'base');
  const first = hit.replace(/^inicio(?=#|$)/, base === '' ? '../docs' : 'docs');
  return first === hit ? base + hit : first;
}

function excerpt(text: string, terms: readonly string[]): string {
  const words = text.split(/\s+/);
  const at = words.findIndex((word) => {
    const term = termOf(word.replace(/^\P{L}+|\P{L}+$/gu, '')) ?? '';
    return terms.some((found) => term.includes(found));
  });
  const from = at > LEAD ? at - LEAD : 0;
  const to = from + WORDS;
  return `${from > 0 ? '… ' : ''}${words.slice(from, to).join(' ')}${to < words.length ? ' …' : ''}`;
}

function close(): void {
  results.hidden = true;
}

export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]>,
  ...content: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const created = Object.assign(document.createElement(name), properties);
  created.append(...content);
  return created;
}

const linkTo = (address: string, ...content: readonly (Node | string)[]): HTMLElement =>
  element('li', {}, element('a', { href: addressOf(address), onclick: close }, ...content));

function listOf(found: readonly Found[]): HTMLElement {
  const items = found.map(({ address, title, page, text, terms }) =>
    linkTo(
      address,
      element('strong', {}, title),
      element('small', {}, page),
      element('span', {}, excerpt(text, terms)),
    ),
  );
  return element('ul', {}, ...items);
}

function helpWith(query: string, pages: readonly Suggestion[]): HTMLElement {
  const support = dataOf(input, 'support');
  return element(
    'div',
    {},
    element('p', {}, `Nada encontrado para “${query}”. Talvez ajude:`),
    element('ul', {}, ...pages.map(({ address, title }) => linkTo(address, element('strong', {}, title)))),
    element('p', {}, 'Ou pergunte ao suporte: ', element('a', { href: `mailto:${support}` }, support)),
  );
}

async function search(): Promise<void> {
  const query = input.value.trim();
  if (query.length < SHORTEST) return close();
  const ready = await loaded();
  // A later query may have come while the index was fetched.
  if (input.value.trim() !== query) return;
  const found = find(ready, query);
  results.replaceChildren(found.length > 0 ? listOf(found) : helpWith(query, suggestPages(ready, query)));
  results.hidden = false;
  const count = found.length === 1 ? '1 resultado' : `${found.length} resultados`;
  announce(found.length > 0 ? `${count}: use as setas.` : `Nada encontrado para ${query}.`);
}

/**
 * Moves the focus between the field and the results. Returns false if neither has the focus, or if there are no
 * results.
 */
function step(by: number): boolean {
  const links = Array.from(results.querySelectorAll('a'));
  const focused = document.activeElement;
  const place = focused instanceof HTMLAnchorElement ? links.indexOf(focused) : -1;
  if (results.hidden || links.length === 0 || (place < 0 && focused !== input)) return false;
  const next = place + by;
  if (next < 0) input.focus();
  else links[Math.min(next, links.length - 1)]?.focus();
  return true;
}

function onKey(event: KeyboardEvent): void {
  const typing = event.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
  if (event.key === '/' && !typing && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    input.focus();
  }
  if (event.key === 'Escape' && !results.hidden) {
    if (results.contains(document.activeElement)) input.focus();
    close();
  }
  if (event.key === 'Enter' && event.target === input) results.querySelector('a')?.click();
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (by !== undefined && step(by)) event.preventDefault();
}

/** The index is fetched at the field's first focus. */
export function listenToSearch(): void {
  input.addEventListener('focus', () => void loaded());
  input.addEventListener('input', () => void search());
  document.addEventListener('keydown', onKey);
  document.addEventListener('click', (event) => {
    if (!(event.target instanceof Element && event.target.closest('.search'))) close();
  });
}
