import { createInterface, type Interface } from 'node:readline/promises';
import { Writable } from 'node:stream';

export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  /** Whether a person is there to answer questions. */
  readonly interactive: boolean;
  /** Width of a line, in characters. Undefined if results go to a file or a pipe. */
  readonly columns: number | undefined;
  ask(question: string): Promise<string>;
  askSecretly(question: string): Promise<string>;
  input(): Promise<string>;
}

async function answerTo(lines: Interface, question: string): Promise<string> {
  // Ctrl-D and Ctrl-C count as an empty answer, which means no.
  const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
  const answer = await Promise.race([lines.question(question), closed]);
  lines.close();
  return answer;
}

export function processTerminal(): Terminal {
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    interactive: process.stdin.isTTY === true && process.stderr.isTTY === true,
    columns: process.stdout.isTTY ? process.stdout.columns : undefined,
    ask: (question) => answerTo(createInterface({ input: process.stdin, output: process.stderr }), question),
    async askSecretly(question) {
      process.stderr.write(question);
      const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
      const answer = await answerTo(createInterface({ input: process.stdin, output: nowhere, terminal: true }), '');
      process.stderr.write('\n');
      return answer;
    },
    async input() {
      let text = '';
      process.stdin.setEncoding('utf8');
      for await (const chunk of process.stdin) text += chunk;
      return text;
    },
  };
}
