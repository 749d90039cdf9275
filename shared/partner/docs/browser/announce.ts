/** Says a sentence to whoever listens to the page instead of looking at it. */
export function announce(sentence: string): void {
  document.querySelector('#aviso')!.textContent = sentence;
}
