import { announce } from './announce.ts';

const SHOWN = 2000;

/** Gives each sample a button that copies it. */
export function addCopyButtons(): void {
  for (const figure of document.querySelectorAll('figure.code')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copiar';
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
