/** Tabs of samples by language, which need no script: this makes one choice hold for all of a page and the reader's next. */

const KEPT = 'linguagem';
const CHOICES = '.tabs > input';

/** Keeps a language, where one is given, and gives the one that is kept: none in a browser that keeps nothing. */
function kept(language?: string | null): string | null {
  try {
    if (language) localStorage.setItem(KEPT, language);
    return localStorage.getItem(KEPT);
  } catch {
    return null;
  }
}

const labelOf = (choice: HTMLInputElement) => choice.labels![0]!;

/** Shows a language in every group that has it. */
function show(language: string | null): void {
  for (const choice of document.querySelectorAll<HTMLInputElement>(CHOICES)) {
    if (labelOf(choice).textContent === language) choice.checked = true;
  }
}

/** Shows the language that was chosen last, and follows the reader's choice. */
export function addTabs(): void {
  show(kept());
  for (const choice of document.querySelectorAll<HTMLInputElement>(CHOICES)) {
    choice.addEventListener('change', () => {
      const label = labelOf(choice);
      // The label stays where it was in the window: groups above it change their height.
      const { top } = choice.parentElement!.getBoundingClientRect();
      show(label.textContent);
      kept(label.textContent);
      scrollBy({ top: choice.parentElement!.getBoundingClientRect().top - top, behavior: 'instant' });
    });
  }
}
