/** Reads the operator's answers: one that breaks the contract, or is about something else than was asked, is no answer. */
import * as z from 'zod/mini';
import type { SubmissionRefusal } from '../domain/analyses/ports.ts';
import { BANKS } from '../domain/values/bank.ts';
import type { OutboundAnswer } from '../outbound/http-client.ts';
import type { OperatorFault } from './circuit.ts';

/** The answer cannot be trusted, or there is none; the call that it is thrown in turns it into an outcome. */
export class NoAnswer extends Error {
  readonly fault: OperatorFault;

  constructor(fault: OperatorFault) {
    super(fault);
    this.fault = fault;
  }
}

/** The contract's answers. Texts are made well-formed Unicode, so that the stored one equals the one that the next poll brings. */
export function answerSchemas() {
  const text = (longest: number) =>
    z.pipe(
      z.string().check(z.maxLength(longest)),
      z.transform((value) => value.toWellFormed()),
    );
  return {
    submission: z.object({
      reference: z.string(),
      bank: z.enum(BANKS),
      queryNumber: z.string().check(z.regex(/^[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}$/)),
      status: text(200),
    }),
    refusal: z.object({ reference: z.string(), code: z.string().check(z.maxLength(40)), status: text(200) }),
    // Each status is checked by itself, so that one that does not fit spoils no other.
    batch: z.object({ submissions: z.array(z.unknown()) }),
    neverReceived: z.object({ reference: z.string(), code: z.literal('never_received') }),
  };
}

/** A body by its schema. Throws NoAnswer where it is no JSON or does not fit. */
export function parsed<T>(schema: z.ZodMiniType<T>, answer: OutboundAnswer): T {
  try {
    return schema.parse(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(answer.body)));
  } catch {
    throw new NoAnswer('garbage');
  }
}

/** Throws NoAnswer for any other status than those expected. */
export function expectStatus(answer: OutboundAnswer, ...expected: readonly number[]): void {
  if (expected.includes(answer.status)) return;
  if (answer.status === 401 || answer.status === 403) throw new NoAnswer('unauthorized');
  throw new NoAnswer(answer.status >= 500 || answer.status === 429 ? 'failing' : 'status');
}

/** Throws NoAnswer where an answer is about something else than was asked. */
export function expectSame(told: string, asked: string): void {
  if (told !== asked) throw new NoAnswer('mismatch');
}

/** Why the operator refused. Its own message stays out: it may name a person. */
export function reasonOf(code: string): SubmissionRefusal {
  return code === 'bank_not_served' || code === 'form_invalid' ? code : 'other';
}
