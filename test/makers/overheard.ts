let texts: string[] = [];
let isListening = false;

/** Keeps a text that a part of the service has written. It is checked after the test that caused it. */
export function captureText(text: string): void {
  texts.push(text);
}

/** Returns the texts that were heard since the last call. */
export function takeCapturedTexts(): string[] {
  const taken = texts;
  texts = [];
  return taken;
}

type Write = typeof process.stdout.write;

/** Hears this process's output and console from now on. A process that runs several test files starts it only once. */
export function captureOutput(): void {
  if (isListening) return;
  isListening = true;
  for (const stream of [process.stdout, process.stderr]) {
    const write: Write = stream.write.bind(stream);
    stream.write = ((chunk: string | Uint8Array, ...rest: []) => {
      const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
      captureText(text);
      // The log lines of functions are only checked, not shown, because they would hide the report of the tests.
      return /^\{"(level|_aws)":/.test(text) || write(chunk, ...rest);
    }) as Write;
  }
  for (const name of ['debug', 'log', 'info', 'warn', 'error'] as const) {
    const print = console[name].bind(console);
    console[name] = (...values: unknown[]) => {
      captureText(values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(' '));
      print(...values);
    };
  }
}
