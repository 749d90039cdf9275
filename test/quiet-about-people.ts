import { afterAll, afterEach, expect } from 'vitest';
import { overhear, takeHeard } from './makers/overheard.ts';

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

type Write = typeof process.stdout.write;

for (const stream of [process.stdout, process.stderr]) {
  const write: Write = stream.write.bind(stream);
  stream.write = ((chunk: string | Uint8Array, ...rest: []) => {
    const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
    overhear(text);
    // The functions' own lines are for this check alone: they would bury the report.
    return /^\{"(level|_aws)":/.test(text) || write(chunk, ...rest);
  }) as Write;
}

for (const name of ['debug', 'log', 'info', 'warn', 'error'] as const) {
  const say = console[name].bind(console);
  console[name] = (...values: unknown[]) => {
    overhear(values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(' '));
    say(...values);
  };
}

afterEach(nothingPersonalWasWritten);
// What the services of a test file write as they end.
afterAll(nothingPersonalWasWritten);
