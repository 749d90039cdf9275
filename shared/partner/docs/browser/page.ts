/** Starts everything that is interactive on a page of the guide. */
import { addKeyField } from './sandbox-key.ts';
import { announce, element, listenToSearch } from './search-box.ts';
import { addTabs } from './tabs.ts';

/** For how long the button tells that it has copied, in milliseconds. */
const SHOWN = 2000;

/** Gives each sample a button that copies it. */
function addCopyButtons(): void {
  for (const figure of document.querySelectorAll('figure.code')) {
    const button = element('button', { type: 'button', className: 'copy' }, 'Copiar');
    button.addEventListener('click', async () => {
      const text = figure.querySelector('code')!.textContent ?? '';
      const copied = await navigator.clipboard.writeText(text).then(
        () => true,
        () => false,
      );
      button.textContent = copied ? 'Copiado' : 'Não copiado';
      announce(copied ? 'Amostra copiada.' : 'O navegador não deixou copiar: selecione o texto.');
      setTimeout(() => {
        button.textContent = 'Copiar';
        announce('');
      }, SHOWN);
    });
    figure.append(button);
  }
}

/** Marks, in the list of the page's sections, the one that is being read. */
function followReading(): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('.parts a')];
  const headings = links.map((link) => document.getElementById(link.hash.slice(1))!);
  if (headings.length === 0) return;

  function mark(): void {
    // The lowest heading above the upper third of the window; at the page's end, the last.
    const line = innerHeight / 3;
    const above = headings.filter((heading) => heading.getBoundingClientRect().top <= line).length;
    const atEnd = scrollY > 0 && scrollY + innerHeight >= document.documentElement.scrollHeight - 2;
    const current = atEnd ? headings.length - 1 : above - 1;
    links.forEach((link, index) => {
      if (index === current) link.setAttribute('aria-current', 'location');
      else link.removeAttribute('aria-current');
    });
  }

  let waiting = false;
  addEventListener(
    'scroll',
    () => {
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => {
        waiting = false;
        mark();
      });
    },
    { passive: true },
  );
  mark();
}

addKeyField();
addCopyButtons();
addTabs();
followReading();
listenToSearch();
