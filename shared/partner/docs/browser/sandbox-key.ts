/** Puts the reader's sandbox key into the samples of this page: in memory only, and gone with the page. */
import { KEY_PLACEHOLDER } from '../facts.ts';
import { element } from './search-box.ts';

const SANDBOX = 'pmc_sandbox_';
const ANY_KEY = 'pmc_';

const NOTES = {
  empty: 'Ela entra nas amostras desta página e some com ela: não é enviada nem guardada. Só a do sandbox.',
  filled: 'As amostras desta página já têm a sua chave.',
  production: 'Essa é uma chave de produção e foi descartada: ela só pertence ao seu servidor. Use a do sandbox.',
  other: `Uma chave do sandbox começa com ${SANDBOX}.`,
} as const;

/** Which note fits the text typed so far. */
function noteOf(typed: string): keyof typeof NOTES {
  if (SANDBOX.startsWith(typed)) return 'empty';
  if (typed.startsWith(SANDBOX)) return /^\w+$/.test(typed) ? 'filled' : 'other';
  return typed.startsWith(ANY_KEY) ? 'production' : 'other';
}

/** The text nodes of the samples that hold the key's placeholder, each with its original text. */
function places(): readonly (readonly [place: Node, text: string])[] {
  const found: [Node, string][] = [];
  for (const code of document.querySelectorAll('article code')) {
    const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node.nodeValue?.includes(KEY_PLACEHOLDER)) found.push([node, node.nodeValue]);
    }
  }
  return found;
}

/** A field above the first sample that has a place for the key. */
export function addKeyField(): void {
  const keys = places();
  const sample = keys[0]?.[0].parentElement?.closest('figure');
  if (!sample) return;

  const label = element('label', { htmlFor: 'chave' }, 'Sua chave do sandbox');
  const attributes = { type: 'text', autocomplete: 'off', spellcheck: false, placeholder: `${SANDBOX}…` } as const;
  const input = element('input', { id: 'chave', ...attributes });
  input.setAttribute('aria-describedby', 'chave-nota');
  const note = element('p', { id: 'chave-nota', role: 'status' });
  sample.before(element('div', { className: 'key' }, label, input, note));

  function fill(): void {
    const typed = input.value.trim();
    const told = noteOf(typed);
    if (told === 'production') input.value = '';
    note.textContent = NOTES[told];
    note.classList.toggle('warning', told === 'production' || told === 'other');
    const key = told === 'filled' ? typed : KEY_PLACEHOLDER;
    for (const [place, text] of keys) place.nodeValue = text.replaceAll(KEY_PLACEHOLDER, () => key);
  }
  input.addEventListener('input', fill);
  // A browser keeps a page to go back to, with what was typed into it.
  addEventListener('pagehide', () => {
    input.value = '';
    fill();
  });
  fill();
}
