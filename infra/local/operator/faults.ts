import * as z from 'zod/mini';
import { BANKS, type Bank } from '#shared/domain/values/bank.ts';
import { forcedStatus } from '#shared/operator/sandbox-operator.ts';
import { seededRandom } from '../aws/aws-like/settings.ts';

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

interface Fault {
  /** Whether it strikes before a submission is looked at, so that nothing is accepted. */
  readonly before: boolean;
  /** The reply as the fault leaves it; `delayMs` is the order's. */
  readonly reply: (reply: OperatorReply, delayMs: number | undefined) => OperatorReply;
}

const before = (reply: Fault['reply']): Fault => ({ before: true, reply });
const after = (reply: Fault['reply']): Fault => ({ before: false, reply });
const altered = (fields: (body: Partial<OperatorSubmission>) => object): Fault =>
  after((reply) => ({ ...reply, body: { ...(reply.body as object), ...fields(reply.body as object) } }));

const FAULTS = {
  /** Answers late, by `delayMs`; a submission is accepted before the wait. */
  slow: after((reply, delayMs = 1_000) => ({ ...reply, wait: delayMs })),
  error_500: before(() => problem(500, 'internal_error')),
  error_500_after: after(() => problem(500, 'internal_error')),
  /** Accepts, then closes the connection without an answer. */
  lost_answer: after((reply) => ({ ...reply, instead: 'close' })),
  lost_before: before((reply) => ({ ...reply, instead: 'close' })),
  /** Resets the connection (TCP RST). */
  reset: before((reply) => ({ ...reply, instead: 'reset' })),
  /** Answers 200 with a body that is no JSON. */
  garbage: after((reply) => ({ ...reply, instead: 'garbage' })),
  /** Answers a well-formed body of 1 MB. */
  huge_body: altered(() => ({ filler: 'x'.repeat(1024 * 1024) })),
  wrong_reference: altered(() => ({ reference: 'producao-0-0' })),
  wrong_bank: altered(({ bank }) => ({ bank: BANKS.find((other) => other !== bank) })),
  /** Answers with a status text that no rule knows. */
  unknown_status: altered(() => ({ status: 'Situação 17-B' })),
  /** 422 for a bank submission; a reference accepted before, and a query, are answered as they stand. */
  refused: before((reply) => reply),
  unauthorized: before(() => problem(401, 'unauthorized')),
  /** Starts an answer and never ends it. */
  stalled: after((reply) => ({ ...reply, instead: 'stall' })),
} as const satisfies Readonly<Record<string, Fault>>;

export type OperatorFaultKind = keyof typeof FAULTS;
export const OPERATOR_FAULTS = Object.keys(FAULTS) as OperatorFaultKind[];

/** Faults that only the answer about a batch can have. */
const OF_BATCHES = {
  /** Every second submission is left out. */
  partial: (submissions) => told(submissions.filter((_, index) => index % 2 === 0)),
  /** Each submission comes twice. */
  duplicates: (submissions) => told([...submissions, ...submissions]),
  /** 404: an operator that answers no batches. */
  no_batches: () => problem(404, 'not_found'),
} as const satisfies Readonly<Record<string, (submissions: readonly OperatorSubmission[]) => OperatorReply>>;
type BatchFaultKind = keyof typeof OF_BATCHES;
export const BATCH_FAULTS = Object.keys(OF_BATCHES) as BatchFaultKind[];

const told = (submissions: readonly OperatorSubmission[]): OperatorReply => ({ status: 200, body: { submissions } });
const isOfBatch = (kind: OperatorFaultOrder['kind']): kind is BatchFaultKind => kind in OF_BATCHES;

export type OperatorOperation = 'submit' | 'query' | 'batch';

/** Which calls fail, and how. */
export const faultOrderFormat = z.object({
  kind: z.enum([...OPERATOR_FAULTS, ...BATCH_FAULTS]),
  /** Only calls about this bank. @default every bank */
  bank: z.optional(z.enum(BANKS)),
  /** Only bank submissions, only queries (batches too), or only batches. @default all */
  operation: z.optional(z.enum(['submit', 'query', 'batch'])),
  /** How many calls; then the order is spent. @default always */
  times: z.optional(z.number().check(z.int(), z.positive())),
  /** Which share of the matching calls, by the seeded generator. @default 1 */
  rate: z.optional(z.number().check(z.minimum(0), z.maximum(1))),
  /** Milliseconds, for `slow`. @default 1,000 */
  delayMs: z.optional(z.number().check(z.minimum(0), z.maximum(600_000))),
});
export type OperatorFaultOrder = Readonly<z.infer<typeof faultOrderFormat>>;

export function problem(status: number, code: string): OperatorReply {
  return { status, body: { code, message: 'The stand-in of the operator cannot do this.' } };
}

export function refusal(reference: string, status: 400 | 422, code: string): OperatorReply {
  return { status, body: { reference, code, message: 'Refused.', status: forcedStatus('entrega_falha', 0) } };
}

/** Whether an ordered fault strikes before a submission is looked at. */
export const strikesBefore = (order: OperatorFaultOrder | undefined): boolean =>
  order !== undefined && !isOfBatch(order.kind) && FAULTS[order.kind].before;

/** The reply as the ordered fault, if any, leaves it. */
export const failing = (order: OperatorFaultOrder | undefined, reply: OperatorReply): OperatorReply =>
  order && !isOfBatch(order.kind) ? FAULTS[order.kind].reply(reply, order.delayMs) : reply;

/** The reply about a batch as the ordered fault leaves it: a wrong reference or bank in its first entry, a text in all. */
export function failingBatch(
  order: OperatorFaultOrder | undefined,
  submissions: readonly OperatorSubmission[],
): OperatorReply {
  if (!order) return told(submissions);
  const { kind } = order;
  if (isOfBatch(kind)) return OF_BATCHES[kind](submissions);
  const altered = (one: OperatorSubmission) => failing(order, { status: 200, body: one }).body as OperatorSubmission;
  if (kind === 'unknown_status') return told(submissions.map(altered));
  const strikesOne = kind === 'wrong_reference' || kind === 'wrong_bank';
  if (strikesOne) return told(submissions.map((one, index) => (index === 0 ? altered(one) : one)));
  return failing(order, told(submissions));
}

/** Orders, in the order in which they came. */
export class FaultOrders {
  private readonly random = seededRandom(1);
  private orders: { readonly order: OperatorFaultOrder; left: number }[] = [];

  add(order: OperatorFaultOrder): void {
    this.orders.push({ order, left: order.times ?? Number.POSITIVE_INFINITY });
  }

  clear(): void {
    this.orders = [];
  }

  /** The first order that matches a call; the call counts against it. `repeated`: the reference was accepted before. */
  take(bank: Bank | undefined, operation: OperatorOperation, repeated = false): OperatorFaultOrder | undefined {
    const found = this.orders.find(
      ({ order }) =>
        (order.bank === undefined || order.bank === bank) &&
        [undefined, operation, operation === 'batch' && 'query'].includes(order.operation) &&
        !(order.kind === 'refused' && (repeated || operation !== 'submit')) &&
        !(operation !== 'batch' && isOfBatch(order.kind)) &&
        (order.rate === undefined || this.random() < order.rate),
    );
    if (!found) return undefined;
    found.left -= 1;
    this.orders = this.orders.filter(({ left }) => left > 0);
    return found.order;
  }
}
