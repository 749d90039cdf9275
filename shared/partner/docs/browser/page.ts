import { announce, element, listenToSearch } from './search-box.ts';

const SHOWN_MS = 2000;

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

const KEPT = 'linguagem';

/** Null in a browser that keeps nothing. */
function keptLanguage(language?: string | null): string | null {
  try {
    if (language) localStorage.setItem(KEPT, language);
    return localStorage.getItem(KEPT);
  } catch {
    return null;
  }
}

/** One choice of a language holds for all samples of a page, and for the next page. */
function followTabs(): void {
  const choices = Array.from(document.querySelectorAll<HTMLInputElement>('.tabs > input'));
  const languageOf = ({ labels }: HTMLInputElement) => labels?.[0]?.textContent ?? null;
  const show = (language: string | null) => {
    for (const choice of choices) if (languageOf(choice) === language) choice.checked = true;
  };

  show(keptLanguage());
  for (const choice of choices) {
    choice.addEventListener('change', () => {
      // The label must stay at its place in the window, although groups above it change their height.
      const group = choice.closest('.tabs') ?? choice;
      const { top } = group.getBoundingClientRect();
      show(languageOf(choice));
      keptLanguage(languageOf(choice));
      scrollBy({ top: group.getBoundingClientRect().top - top, behavior: 'instant' });
    });
  }
}

function followReading(): void {
  const parts = Array.from(document.querySelectorAll<HTMLAnchorElement>('.parts a')).flatMap((link) => {
    const heading = document.getElementById(link.hash.slice(1));
    return heading ? [{ link, heading }] : [];
  });
  if (parts.length === 0) return;

  function mark(): void {
    // Marks the lowest heading above the upper third of the window. At the page's end, marks the last heading.
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
