import * as z from 'zod';
import { BANKS, type Bank } from '../../../shared/domain/values/bank.ts';
import { forcedStatus } from '../../../shared/operator/sandbox-operator.ts';
import { parsedJson } from './ledger.ts';

export const OPERATOR_FAULTS = [
  /** Answers late, by `delayMs`; a submission is accepted before the wait. */
  'slow',
  /** 500, nothing accepted. */
  'error_500',
  /** 500 after a submission was accepted. */
  'error_500_after',
  /** Accepts, then closes the connection without an answer. */
  'lost_answer',
  /** Closes the connection before anything is accepted. */
  'lost_before',
  /** Resets the connection (TCP RST) before anything is accepted. */
  'reset',
  /** Accepts, then answers 200 with a body that is no JSON. */
  'garbage',
  /** Accepts, then answers a well-formed body of 1 MB. */
  'huge_body',
  /** Accepts, then answers for another reference. */
  'wrong_reference',
  /** Accepts, then answers for another bank. */
  'wrong_bank',
  /** Accepts, then answers with a status text that no rule knows. */
  'unknown_status',
  /** 422 for a bank submission, nothing accepted; a reference accepted before, and a query, are answered as they stand. */
  'refused',
  /** 401, nothing accepted. */
  'unauthorized',
  /** Accepts, starts an answer and never ends it. */
  'stalled',
] as const;
/** What only the answer about a batch can have. */
export const BATCH_FAULTS = [
  /** Every second submission is left out. */
  'partial',
  /** Each submission comes twice. */
  'duplicates',
  /** 404: an operator that answers no batches. */
  'no_batches',
] as const;
export type OperatorFaultKind = (typeof OPERATOR_FAULTS)[number];
type BatchFaultKind = (typeof BATCH_FAULTS)[number];

/** Which calls fail, and how. */
export interface OperatorFaultOrder {
  readonly kind: OperatorFaultKind | BatchFaultKind;
  /** Only calls about this bank. @default every bank */
  readonly bank?: Bank | undefined;
  /** Only bank submissions, only queries (batches too), or only batches. @default all */
  readonly operation?: OperatorOperation | undefined;
  /** How many calls; then the order is spent. @default always */
  readonly times?: number | undefined;
  /** Which share of the matching calls, 0 to 1, by the seeded generator. @default 1 */
  readonly rate?: number | undefined;
  /** Milliseconds, for `slow`. @default 1,000 */
  readonly delayMs?: number | undefined;
}

export type OperatorOperation = 'submit' | 'query' | 'batch';

export interface OperatorSubmission {
  readonly reference: string;
  readonly bank: Bank;
  readonly queryNumber: string;
  readonly status: string;
}

/** What goes back, or how the connection ends instead. */
export interface OperatorReply {
  readonly status: number;
  readonly body: unknown;
  /** Milliseconds before anything goes back. */
  readonly wait?: number;
  readonly instead?: 'close' | 'reset' | 'garbage' | 'stall';
}

/** Faults that strike before a submission is looked at. */
const BEFORE: Readonly<Record<OperatorFaultKind, boolean>> = {
  slow: false,
  error_500: true,
  error_500_after: false,
  lost_answer: false,
  lost_before: true,
  reset: true,
  garbage: false,
  huge_body: false,
  wrong_reference: false,
  wrong_bank: false,
  unknown_status: false,
  refused: true,
  unauthorized: true,
  stalled: false,
};

/** Whether a fault strikes before a submission is looked at. */
export function strikesBefore({ kind }: OperatorFaultOrder): boolean {
  return BEFORE[kind as OperatorFaultKind] ?? false;
}

function isOfBatch(kind: OperatorFaultOrder['kind']): boolean {
  return BATCH_FAULTS.some((one) => one === kind);
}

export function problem(status: number, code: string): OperatorReply {
  return { status, body: { code, message: 'The stand-in of the operator’s operator cannot do this.' } };
}

export function refusal(reference: string, status: 400 | 422, code: string): OperatorReply {
  return { status, body: { reference, code, message: 'Refused.', status: forcedStatus('entrega_falha', 0) } };
}

/** The reply as the ordered fault leaves it. */
export function failing(fault: OperatorFaultOrder | undefined, reply: OperatorReply): OperatorReply {
  const body = reply.body as Partial<OperatorSubmission>;
  const kind = fault?.kind;
  switch (kind) {
    case undefined:
    case 'refused':
    case 'partial':
    case 'duplicates':
    case 'no_batches':
      return reply;
    case 'slow':
      return { ...reply, wait: fault?.delayMs ?? 1_000 };
    case 'error_500':
    case 'error_500_after':
      return problem(500, 'internal_error');
    case 'unauthorized':
      return problem(401, 'unauthorized');
    case 'lost_answer':
    case 'lost_before':
      return { ...reply, instead: 'close' };
    case 'reset':
      return { ...reply, instead: 'reset' };
    case 'garbage':
      return { ...reply, instead: 'garbage' };
    case 'stalled':
      return { ...reply, instead: 'stall' };
    case 'huge_body':
      return { ...reply, body: { ...body, filler: 'x'.repeat(1024 * 1024) } };
    case 'wrong_reference':
      return { ...reply, body: { ...body, reference: 'producao-0-0' } };
    case 'wrong_bank':
      return { ...reply, body: { ...body, bank: BANKS.find((bank) => bank !== body.bank) } };
    case 'unknown_status':
      return { ...reply, body: { ...body, status: 'Situação 17-B' } };
  }
}

/** The reply about a batch as the ordered fault leaves it: what changes an answer strikes its first, a text all. */
export function failingBatch(
  fault: OperatorFaultOrder | undefined,
  submissions: readonly OperatorSubmission[],
): OperatorReply {
  const told = (changed: readonly OperatorSubmission[]) => ({ status: 200, body: { submissions: changed } });
  switch (fault?.kind) {
    case 'partial':
      return told(submissions.filter((_, index) => index % 2 === 0));
    case 'duplicates':
      return told([...submissions, ...submissions]);
    case 'no_batches':
      return problem(404, 'not_found');
    case 'unknown_status':
      return told(submissions.map((one) => ({ ...one, status: 'Situação 17-B' })));
    case 'wrong_reference':
    case 'wrong_bank':
      return told(
        submissions.map((one, index) =>
          index === 0 ? (failing(fault, { status: 200, body: one }).body as OperatorSubmission) : one,
        ),
      );
    default:
      return failing(fault, told(submissions));
  }
}

export function faultOrder(text: string): OperatorFaultOrder | undefined {
  return parsedJson(
    z.object({
      kind: z.enum([...OPERATOR_FAULTS, ...BATCH_FAULTS]),
      bank: z.enum(BANKS).optional(),
      operation: z.enum(['submit', 'query', 'batch']).optional(),
      times: z.number().int().positive().optional(),
      rate: z.number().min(0).max(1).optional(),
      delayMs: z.number().min(0).max(600_000).optional(),
    }),
    text,
  );
}

/** The orders that stand, in their order. */
export interface FaultOrders {
  add(order: OperatorFaultOrder): void;
  clear(): void;
  /** The first that matches a call, which it then counts against it; `repeated` where the reference was accepted before. */
  take(bank: Bank | undefined, operation: OperatorOperation, repeated?: boolean): OperatorFaultOrder | undefined;
}

export function faultOrders(seed: number): FaultOrders {
  const random = generator(seed);
  let orders: { order: OperatorFaultOrder; left: number }[] = [];
  return {
    add(order) {
      orders.push({ order, left: order.times ?? Number.POSITIVE_INFINITY });
    },
    clear() {
      orders = [];
    },
    take(bank, operation, repeated = false) {
      const found = orders.find(
        ({ order }) =>
          (order.bank === undefined || order.bank === bank) &&
          [undefined, operation, operation === 'batch' && 'query'].includes(order.operation) &&
          !(order.kind === 'refused' && (repeated || operation !== 'submit')) &&
          !(operation !== 'batch' && isOfBatch(order.kind)) &&
          (order.rate === undefined || random() < order.rate),
      );
      if (!found) return undefined;
      found.left -= 1;
      orders = orders.filter(({ left }) => left > 0);
      return found.order;
    },
  };
}

/** Numbers in [0, 1) that repeat with the seed: mulberry32. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
