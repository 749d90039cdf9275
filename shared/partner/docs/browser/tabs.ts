/** Tabs of samples by language: one choice for all of a page, kept for the reader's next page. */

import { element } from './search-box.ts';

const KEPT = 'linguagem';

function remembered(): string | null {
  try {
    return localStorage.getItem(KEPT);
  } catch {
    return null;
  }
}

function remember(language: string): void {
  try {
    localStorage.setItem(KEPT, language);
  } catch {
    // A browser that keeps nothing shows the first language on the next page.
  }
}

/** Shows a language in every group that has it. */
function show(language: string): void {
  for (const group of document.querySelectorAll('.tabs')) {
    const tabs = [...group.querySelectorAll<HTMLElement>('[role=tab]')];
    if (!tabs.some((tab) => tab.textContent === language)) continue;
    for (const tab of tabs) {
      const chosen = tab.textContent === language;
      tab.setAttribute('aria-selected', String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
      document.getElementById(tab.getAttribute('aria-controls')!)!.hidden = !chosen;
    }
  }
}

/** Shows a language and keeps the tab that was used where it was in the window: groups above it change their height. */
function choose(tab: HTMLElement): void {
  const before = tab.getBoundingClientRect().top;
  show(tab.textContent!);
  remember(tab.textContent!);
  scrollBy({ top: tab.getBoundingClientRect().top - before, behavior: 'instant' });
  tab.focus({ preventScroll: true });
}

function onKey(event: KeyboardEvent): void {
  const tab = event.currentTarget as HTMLElement;
  const tabs = [...tab.parentElement!.querySelectorAll<HTMLElement>('[role=tab]')];
  const at = tabs.indexOf(tab);
  const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
  if (next === undefined) return;
  event.preventDefault();
  choose(tabs[(next + tabs.length) % tabs.length]!);
}

function tabOf(panel: HTMLElement, id: string): HTMLElement {
  const tab = element('button', { type: 'button', id: `${id}-aba` }, panel.dataset['tab']!);
  tab.setAttribute('role', 'tab');
  tab.setAttribute('aria-controls', id);
  tab.addEventListener('click', () => choose(tab));
  tab.addEventListener('keydown', onKey);
  panel.id = id;
  panel.setAttribute('role', 'tabpanel');
  panel.setAttribute('aria-labelledby', tab.id);
  return tab;
}

/** Turns each group of samples into tabs, and shows the language that was chosen last. */
export function addTabs(): void {
  const groups = [...document.querySelectorAll('.tabs')];
  groups.forEach((group, place) => {
    const panels = [...group.querySelectorAll<HTMLElement>('[data-tab]')];
    const list = element('div', {}, ...panels.map((panel, index) => tabOf(panel, `amostra-${place}-${index}`)));
    list.setAttribute('role', 'tablist');
    list.setAttribute('aria-label', 'Linguagem');
    group.prepend(list);
  });
  const first = groups[0]?.querySelector('[role=tab]')?.textContent;
  if (!first) return;
  show(first);
  show(remembered() ?? first);
}
