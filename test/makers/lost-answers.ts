import { readdirSync, readFileSync } from 'node:fs';
import { tableClient } from '#shared/table/rows/client.ts';

/** Folder of the adapters. */
const TABLE = new URL('../../shared/table/', import.meta.url);
/** Files whose functions send the writes of all others. */
const SENDERS = ['rows/client.ts', 'rows/indexed-rows.ts'];
/** Functions of `rows/client.ts` that make a single write. */
const WRITE = /\b(putRow|updateRow|winRow|updateRecognised)\(/g;
/** First lines of functions, and of methods in a class. */
const FUNCTION = /^(?:export )?(?:async )?function\*? (\w+)|^(?:export )?const (\w+) = .*=>/;
const METHOD = /^ {2}(?:static )?(?:async )?\*?#?(\w+)(?:<.*?>)?\(/;

/**
 * Returns the places in shared/table that make a conditional single write, as `file function write`. A put or an update
 * of a literal without a condition is left out. Throws an Error if a file makes its writes past `rows/client.ts`.
 */
export function conditionalWrites(): string[] {
  const files = readdirSync(TABLE, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  return files
    .filter((file) => !SENDERS.includes(file))
    .flatMap((file) => writesIn(file, readFileSync(new URL(file, TABLE), 'utf8')));
}

function writesIn(file: string, text: string): string[] {
  if (/\b(Put|Update|Delete|Write)(Item)?Command\b/.test(text)) throw new Error(`${file} sends a write by itself`);
  const found: string[] = [];
  let [name, inClass, at] = ['', false, 0];
  for (const line of text.split('\n')) {
    if (/^(?:export )?class /.test(line)) inClass = true;
    if (line === '}') inClass = false;
    const [, declared, constant] = FUNCTION.exec(line) ?? [];
    const [, method] = (inClass && METHOD.exec(line)) || [];
    name = declared ?? constant ?? method ?? name;
    for (const { 1: write, index } of line.matchAll(WRITE)) {
      const given = argument(text, at + index + String(write).length);
      if (!given.startsWith('{') || given.includes('ConditionExpression')) found.push(`${file} ${name} ${write}`);
    }
    at += line.length + 1;
  }
  return found;
}

/** Returns the text between the bracket at a place and its counterpart. */
function argument(text: string, from: number): string {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    if (text[at] === '(') depth += 1;
    if (text[at] === ')') depth -= 1;
    if (depth === 0) return text.slice(from + 1, at).trim();
  }
  throw new Error('a bracket is open');
}

/** A write whose first answer was lost. */
export interface LostAnswer {
  /** Place that made the write, as `conditionalWrites` names it. For a transaction, `write` is `transact`. */
  readonly place: string;
  /** Bodies of all tries. */
  readonly bodies: readonly string[];
}

/**
 * Runs `run` while the first answer to each conditional write and to each transaction is lost: the table has made the
 * write, the SDK sees a cut connection and repeats the write. Returns the result, and the writes in their order. A
 * write that the table refused at its first try is not repeated. `meanwhile` runs once, between the first write and its
 * repetition, and loses no answer.
 */
export async function losingFirstAnswers<T>(
  run: () => Promise<T>,
  meanwhile?: () => Promise<unknown>,
): Promise<{ result: T; lost: LostAnswer[] }> {
  const { middlewareStack } = tableClient();
  const lost: LostAnswer[] = [];
  let pending = meanwhile;
  let isMeanwhile = false;
  const traceLimit = Error.stackTraceLimit;
  Error.stackTraceLimit = 60;
  middlewareStack.add(
    (next, context) => (args) => {
      context['place'] = placeOf(new Error('the place of a write').stack ?? '');
      return next(args);
    },
    { step: 'initialize', priority: 'high', name: 'placeOfWrite' },
  );
  middlewareStack.add(
    (next, context) => {
      const bodies: string[] = [];
      return async (args) => {
        const { body } = args.request as { body: Uint8Array | string };
        const text = Buffer.from(body).toString();
        bodies.push(text);
        const answer = await next(args);
        if (isMeanwhile || bodies.length > 1 || !/"(ConditionExpression|TransactItems)"/.test(text)) return answer;
        lost.push({ place: context['place'], bodies });
        const other = pending;
        pending = undefined;
        isMeanwhile = true;
        await other?.();
        isMeanwhile = false;
        throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
      };
    },
    { step: 'finalizeRequest', priority: 'low', name: 'lostFirstAnswer' },
  );
  try {
    return { result: await run(), lost };
  } finally {
    middlewareStack.remove('placeOfWrite');
    middlewareStack.remove('lostFirstAnswer');
    Error.stackTraceLimit = traceLimit;
  }
}

/** Returns the place of a write from the stack of the call that sends it. */
function placeOf(stack: string): string {
  const frames = stack.split('\n').flatMap((line) => {
    const [, name, file] = /at (?:async )?(?:\w+\.)?#?(\S+) \(.*\/shared\/table\/(.*?\.ts):/.exec(line) ?? [];
    return name !== undefined && file !== undefined ? [{ name, file }] : [];
  });
  const own = frames.findIndex(({ file }) => !SENDERS.includes(file));
  const [send, place] = [frames[own - 1], frames[own]];
  return send && place ? `${place.file} ${place.name} ${send.name}` : 'elsewhere';
}
