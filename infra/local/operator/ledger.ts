import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import * as z from 'zod';
import { BANKS, type Bank } from '../../../shared/domain/values/bank.ts';

/** What the operator has seen of a reference. */
export interface OperatorReferenceCounts {
  readonly bank: Bank;
  /** Bank submissions that reached the operator since its start, repeats and failed ones included. */
  readonly received: number;
  /** Credit queries made on the person: more than 1 is the harm that must never happen. */
  readonly accepted: number;
}

/** A line of the file: an acceptance, or a text set by hand (`decided`). */
export interface Accepted {
  readonly reference: string;
  readonly bank: Bank;
  readonly queryNumber: string;
  /** Slug of shared/operator/sandbox-operator.ts: what the CPF forces. */
  readonly outcome: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly decided?: string | undefined;
}

/** JSON by a schema; undefined where it is none, or another. */
export function parsedJson<T>(schema: z.ZodType<T>, text: string): T | undefined {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

export interface Ledger {
  byReference(reference: string): Accepted | undefined;
  byNumber(queryNumber: string): Accepted | undefined;
  /** Known from the first bank submission that reached the operator, accepted or not. */
  bankOf(reference: string): Bank | undefined;
  nextNumber(bank: Bank): string;
  receive(reference: string, bank: Bank): void;
  accept(accepted: Accepted): void;
  decide(decided: Accepted): void;
  counts(): Record<string, OperatorReferenceCounts>;
}

/**
 * What was accepted, in memory and, given a file, there first: a line is in the kernel's hands before the answer
 * leaves, so killing the process loses nothing. A line torn by a kill is left out, and ended so that the next is whole.
 */
export function openLedger(file: string | undefined): Ledger {
  const byReference = new Map<string, Accepted>();
  const byNumber = new Map<string, Accepted>();
  const counts = new Map<string, { bank: Bank; received: number; accepted: number }>();
  let numbers = 0;

  function countsOf(reference: string, bank: Bank) {
    const known = counts.get(reference) ?? { bank, received: 0, accepted: 0 };
    counts.set(reference, known);
    return known;
  }

  function remember(line: Accepted): void {
    byReference.set(line.reference, line);
    byNumber.set(line.queryNumber, line);
  }

  function addAccepted(line: Accepted): void {
    remember(line);
    numbers += 1;
    countsOf(line.reference, line.bank).accepted += 1;
  }

  function append(line: Accepted): void {
    if (file !== undefined) appendFileSync(file, `${JSON.stringify(line)}\n`, { mode: 0o600 });
  }

  const text = file !== undefined && existsSync(file) ? readFileSync(file, 'utf8') : '';
  if (file !== undefined && text !== '' && !text.endsWith('\n')) appendFileSync(file, '\n');
  for (const written of text.split('\n')) {
    const line = acceptedLine(written);
    if (line === undefined) continue;
    if (line.decided === undefined) addAccepted(line);
    else remember(line);
  }

  return {
    byReference: (reference) => byReference.get(reference),
    byNumber: (queryNumber) => byNumber.get(queryNumber),
    bankOf: (reference) => counts.get(reference)?.bank,
    nextNumber: (bank) => `${bank.slice(0, 2).toUpperCase()}-${numbers + 1}`,
    receive(reference, bank) {
      countsOf(reference, bank).received += 1;
    },
    accept(line) {
      append(line);
      addAccepted(line);
    },
    decide(line) {
      append(line);
      remember(line);
    },
    counts: () => Object.fromEntries([...counts].map(([reference, of]) => [reference, { ...of }])),
  };
}

function acceptedLine(text: string): Accepted | undefined {
  return parsedJson(
    z.object({
      reference: z.string(),
      bank: z.enum(BANKS),
      queryNumber: z.string(),
      outcome: z.string(),
      at: z.number(),
      decided: z.string().optional(),
    }),
    text,
  );
}
