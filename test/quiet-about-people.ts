import { afterAll, afterEach, expect } from 'vitest';
import { overhearOutput, takeHeard } from './makers/overheard.ts';

const MOST_SHOWN = 5;

/** Fails the test during which anything was written to a log that is known of a person, or looks like it. */
async function nothingPersonalWasWritten(): Promise<void> {
  const heard = takeHeard();
  if (heard.length === 0) return;
  // Loaded here alone: most unit tests write nothing, and the examples of the contract take a while to load.
  const { personalDataIn } = await import('./makers/personal-data.ts');
  const found = heard.flatMap((text) => personalDataIn(text).map((one) => ({ ...one, text })));
  const said = found.slice(0, MOST_SHOWN).map(({ kind, value, text }) => {
    const at = Math.max(0, text.toLowerCase().indexOf(value.toLowerCase()) - 80);
    return `${kind}, in: ${text.slice(at, at + 240)}`;
  });
  expect(said, 'personal data in log output').toEqual([]);
}

overhearOutput();
afterEach(nothingPersonalWasWritten);
// What the services of a test file write as they end.
afterAll(nothingPersonalWasWritten);
