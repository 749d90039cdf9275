import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { BANKS, type Bank } from '#shared/domain/values/bank.ts';
import type { Instant } from '#shared/domain/values/time.ts';
import { parsedJson } from '../listen.ts';

export interface OperatorReferenceCounts {
  readonly bank: Bank;
  /** Also counts repeated and failed submissions. */
  readonly received: number;
  /** Credit queries made on the person. More than one query is the harm that must never happen. */
  readonly accepted: number;
}

/** `decided`: a status text that was set by hand. */
export interface Accepted {
  readonly reference: string;
  readonly bank: Bank;
  readonly queryNumber: string;
  /** Name of an outcome in shared/operator/sandbox-operator.ts. The CPF decides it. */
  readonly outcome: string;
  readonly at: Instant;
  readonly decided?: string;
}

const acceptedFormat: z.ZodMiniType<Accepted> = z.object({
  reference: z.string(),
  bank: z.enum(BANKS),
  queryNumber: z.string(),
  outcome: z.string(),
  at: z.number(),
  decided: z.optional(z.string()),
});

export const parsedBy = <T>(schema: z.ZodMiniType<T>, text: string): T | undefined =>
  schema.safeParse(parsedJson(text)).data;

/**
 * With a file, each accepted submission is written first: the kernel has the line before the answer leaves, so killing
 * the process loses nothing. A line that a kill has cut off is skipped.
 */
export class Ledger {
  private readonly file: string | undefined;
  private readonly references = new Map<string, Accepted>();
  private readonly numbers = new Map<string, Accepted>();
  private readonly seen = new Map<string, { bank: Bank; received: number; accepted: number }>();
  private accepted = 0;

  constructor(file: string | undefined) {
    this.file = file;
    const text = file !== undefined && existsSync(file) ? readFileSync(file, 'utf8') : '';
    if (file !== undefined && text !== '' && !text.endsWith('\n')) appendFileSync(file, '\n');
    for (const line of text.split('\n')) {
      const accepted = parsedBy(acceptedFormat, line);
      if (accepted) this.remember(accepted);
    }
  }

  byReference(reference: string): Accepted | undefined {
    return this.references.get(reference);
  }

  byNumber(queryNumber: string): Accepted | undefined {
    return this.numbers.get(queryNumber);
  }

  /** Known from the first submission that reached the operator, whether accepted or not. */
  bankOf(reference: string): Bank | undefined {
    return this.seen.get(reference)?.bank;
  }

  nextNumber(bank: Bank): string {
    return `${bank.slice(0, 2).toUpperCase()}-${this.accepted + 1}`;
  }

  receive(reference: string, bank: Bank): void {
    this.countsOf(reference, bank).received += 1;
  }

  write(line: Accepted): void {
    if (this.file !== undefined) appendFileSync(this.file, `${JSON.stringify(line)}\n`, { mode: 0o600 });
    this.remember(line);
  }

  counts(): Record<string, OperatorReferenceCounts> {
    return Object.fromEntries(Array.from(this.seen, ([reference, counts]) => [reference, { ...counts }]));
  }

  private remember(line: Accepted): void {
    this.references.set(line.reference, line);
    this.numbers.set(line.queryNumber, line);
    if (line.decided !== undefined) return;
    this.accepted += 1;
    this.countsOf(line.reference, line.bank).accepted += 1;
  }

  private countsOf(reference: string, bank: Bank) {
    const known = this.seen.get(reference) ?? { bank, received: 0, accepted: 0 };
    this.seen.set(reference, known);
    return known;
  }
}
