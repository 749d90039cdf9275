import { afterAll, afterEach, expect } from 'vitest';
import { captureOutput, takeCapturedTexts } from './makers/overheard.ts';

const MOST_SHOWN = 5;

/**
 * Fails a test during which personal data was written to a log: a known value of a test person, or a text that looks
 * like personal data.
 */
async function nothingPersonalWasWritten(): Promise<void> {
  const texts = takeCapturedTexts();
  if (texts.length === 0) return;
  // Imported only here, because the contract's examples take a while to load and most unit tests write nothing.
  const { personalDataIn } = await import('./makers/personal-data.ts');
  const found = texts.flatMap((text) => personalDataIn(text).map((finding) => ({ ...finding, text })));
  const lines = found.slice(0, MOST_SHOWN).map(({ kind, value, text }) => {
    const start = Math.max(0, text.toLowerCase().indexOf(value.toLowerCase()) - 80);
    return `${kind}, in: ${text.slice(start, start + 240)}`;
  });
  expect(lines, 'personal data in log output').toEqual([]);
}

captureOutput();
afterEach(nothingPersonalWasWritten);
// Also checks what the services of a test file write while they end.
afterAll(nothingPersonalWasWritten);
