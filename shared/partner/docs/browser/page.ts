/** Starts everything that is interactive on a page of the guide. */
import { announce, element, listenToSearch } from './search-box.ts';

/** How long the button says that it has copied. */
const SHOWN_MS = 2000;

/** Gives each sample a button that copies it. */
function addCopyButtons(): void {
  for (const figure of document.querySelectorAll('figure.code')) {
    const button = element('button', { type: 'button', className: 'copy' }, 'Copiar');
    button.addEventListener('click', async () => {
      const text = figure.querySelector('code')?.textContent ?? '';
      const copied = await navigator.clipboard.writeText(text).then(
        () => true,
        () => false,
      );
      button.textContent = copied ? 'Copiado' : 'Não copiado';
      announce(copied ? 'Amostra copiada.' : 'O navegador não deixou copiar: selecione o texto.');
      setTimeout(() => {
        button.textContent = 'Copiar';
        announce('');
      }, SHOWN_MS);
    });
    figure.append(button);
  }
}

/** Where a browser keeps the language whose samples its reader chose last. */
const KEPT = 'linguagem';

/** Keeps a language, where one is given, and gives the one that is kept: none in a browser that keeps nothing. */
function kept(language?: string | null): string | null {
  try {
    if (language) localStorage.setItem(KEPT, language);
    return localStorage.getItem(KEPT);
  } catch {
    return null;
  }
}

/** Tabs of samples by language need no script: this makes one choice hold for all of a page and the reader's next. */
function followTabs(): void {
  const choices = Array.from(document.querySelectorAll<HTMLInputElement>('.tabs > input'));
  const languageOf = ({ labels }: HTMLInputElement) => labels?.[0]?.textContent ?? null;
  const show = (language: string | null) => {
    for (const choice of choices) if (languageOf(choice) === language) choice.checked = true;
  };

  show(kept());
  for (const choice of choices) {
    choice.addEventListener('change', () => {
      // The label stays where it was in the window: groups above it change their height.
      const group = choice.closest('.tabs') ?? choice;
      const { top } = group.getBoundingClientRect();
      show(languageOf(choice));
      kept(languageOf(choice));
      scrollBy({ top: group.getBoundingClientRect().top - top, behavior: 'instant' });
    });
  }
}

/** Marks, in the list of the page's sections, the one that is being read. */
function followReading(): void {
  const parts = Array.from(document.querySelectorAll<HTMLAnchorElement>('.parts a')).flatMap((link) => {
    const heading = document.getElementById(link.hash.slice(1));
    return heading ? [{ link, heading }] : [];
  });
  if (parts.length === 0) return;

  function mark(): void {
    // The lowest heading above the upper third of the window; at the page's end, the last.
    const line = innerHeight / 3;
    const above = parts.filter(({ heading }) => heading.getBoundingClientRect().top <= line).length;
    const atEnd = scrollY > 0 && scrollY + innerHeight >= document.documentElement.scrollHeight - 2;
    const current = atEnd ? parts.length - 1 : above - 1;
    parts.forEach(({ link }, index) => {
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

addCopyButtons();
followTabs();
followReading();
listenToSearch();
