/** An answer that breaks the contract, or is about something else than the question, counts as no answer. */
import * as z from 'zod/mini';
import type { BankSubmission, OperatorStatus, SubmissionRefusal } from '../domain/analyses/ports.ts';
import { BANKS, type Bank } from '../domain/values/bank.ts';
import { MASK } from '../domain/values/cpf.ts';
import { keptText } from '../domain/values/masked-text.ts';
import { repeatedName } from '../domain/values/repeated-name.ts';
import type { OutboundAnswer } from '../outbound/http-client.ts';
import type { OperatorFault } from './circuit.ts';

/** The call to the operator turns this error into an outcome. */
export class NoAnswer extends Error {
  readonly fault: OperatorFault;

  constructor(fault: OperatorFault) {
    super(fault);
    this.fault = fault;
  }
}

/**
 * Texts are reduced to a closed alphabet, so that the stored text equals the text of the next poll. CPF, e-mail,
 * telephone and RG are masked, since the texts go into webhooks and into rows that an erasure leaves. bank-text.ts
 * masks names, and people in query numbers.
 */
export function answerSchemas() {
  const text = (longest: number) => z.pipe(z.string().check(z.maxLength(longest)), z.transform(keptText));
  return {
    submission: z.object({
      reference: z.string(),
      bank: z.enum(BANKS),
      queryNumber: z.string().check(z.regex(/^[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}$/)),
      status: text(200),
    }),
    refusal: z.object({ reference: z.string(), code: z.string().check(z.maxLength(40)), status: text(200) }),
    // Each entry is checked separately, so that an entry that does not fit spoils no other.
    batch: z.object({ submissions: z.array(z.unknown()) }),
    neverReceived: z.object({ reference: z.string(), code: z.literal('never_received') }),
  };
}

type AnswerSchemas = ReturnType<typeof answerSchemas>;

interface Asked {
  readonly reference: string;
  readonly bank: Bank;
  /** Empty if the number is not known. */
  readonly queryNumber: string;
}

/** A number with a mask is not the bank's own: its analysis is asked for by our reference. */
export const isBanksNumber = (queryNumber: string): boolean => queryNumber !== '' && !queryNumber.includes(MASK);

/** Throws NoAnswer if the answer has no usable submission. */
export function readSubmitAnswer(
  schemas: AnswerSchemas,
  answer: OutboundAnswer,
  { reference, bank }: Pick<Asked, 'reference' | 'bank'>,
): BankSubmission {
  if (answer.status === 400 || answer.status === 422) {
    const refusal = parsed(schemas.refusal, answer);
    expectSame(refusal.reference, reference);
    return { kind: 'refused', rawStatus: refusal.status, reason: reasonOf(refusal.code) };
  }
  expectStatus(answer, 200, 201);
  const submission = parsed(schemas.submission, answer);
  expectSame(submission.reference, reference);
  expectSame(submission.bank, bank);
  return { kind: 'accepted', queryNumber: submission.queryNumber, rawStatus: submission.status };
}

/** Throws NoAnswer if the answer has no usable status. */
export function readStatusAnswer(
  schemas: AnswerSchemas,
  answer: OutboundAnswer,
  { reference, bank, queryNumber }: Asked,
): OperatorStatus {
  const byNumber = isBanksNumber(queryNumber);
  if (!byNumber && answer.status === 404) {
    expectSame(parsed(schemas.neverReceived, answer).reference, reference);
    return { kind: 'absent' };
  }
  expectStatus(answer, 200);
  const submission = parsed(schemas.submission, answer);
  expectSame(submission.reference, reference);
  expectSame(submission.bank, bank);
  if (byNumber) expectSame(submission.queryNumber, queryNumber);
  return { kind: 'known', queryNumber: submission.queryNumber, rawStatus: submission.status };
}

/** A status is `known` only if exactly one entry fits the analysis. Throws NoAnswer if the answer has no entries. */
export function readBatchAnswer(
  schemas: AnswerSchemas,
  answer: OutboundAnswer,
  asked: readonly Asked[],
): OperatorStatus[] {
  if (answer.status === 501) throw new NoAnswer('status');
  expectStatus(answer, 200);
  const byReference = Map.groupBy(
    parsed(schemas.batch, answer).submissions.flatMap((entry) => schemas.submission.safeParse(entry).data ?? []),
    ({ reference }) => reference,
  );
  return asked.map(({ reference, bank, queryNumber }): OperatorStatus => {
    const fitting = (byReference.get(reference) ?? []).filter(
      (entry) => entry.bank === bank && (queryNumber.includes(MASK) || entry.queryNumber === queryNumber),
    );
    const [status] = fitting;
    return status && fitting.length === 1
      ? { kind: 'known', queryNumber: status.queryNumber, rawStatus: status.status }
      : { kind: 'unanswerable' };
  });
}

/**
 * Throws NoAnswer if the body is no JSON, does not fit, or has an object with a name twice: JSON.parse would keep the
 * last of two situations.
 */
function parsed<T>(schema: z.ZodMiniType<T>, answer: OutboundAnswer): T {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(answer.body);
    const value = schema.parse(JSON.parse(text));
    if (repeatedName(text) === undefined) return value;
  } catch {
    // NoAnswer is thrown below.
  }
  throw new NoAnswer('garbage');
}

function expectStatus(answer: OutboundAnswer, ...expected: readonly number[]): void {
  if (expected.includes(answer.status)) return;
  if (answer.status === 401 || answer.status === 403) throw new NoAnswer('unauthorized');
  throw new NoAnswer(answer.status >= 500 || answer.status === 429 ? 'failing' : 'status');
}

function expectSame(actual: string, expected: string): void {
  if (actual !== expected) throw new NoAnswer('mismatch');
}

/** The operator's own message is not used: it may name a person. */
const reasonOf = (code: string): SubmissionRefusal =>
  code === 'bank_not_served' || code === 'form_invalid' ? code : 'other';
