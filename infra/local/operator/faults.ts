import * as z from 'zod/mini';
import { BANKS, type Bank } from '#shared/domain/values/bank.ts';
import { type Milliseconds, minutes, seconds } from '#shared/domain/values/time.ts';
import { forcedStatus } from '#shared/operator/sandbox-operator.ts';
import { seededRandom } from '../aws/aws-like/settings.ts';

export interface OperatorSubmission {
  readonly reference: string;
  readonly bank: Bank;
  readonly queryNumber: string;
  readonly status: string;
}

export interface OperatorReply {
  readonly status: number;
  readonly body: unknown;
  readonly wait?: Milliseconds;
  readonly instead?: 'close' | 'reset' | 'garbage' | 'stall';
}

interface Fault {
  /** Whether the fault happens before the submission is looked at, so that nothing is accepted. */
  readonly before: boolean;
  readonly reply: (reply: OperatorReply, delayMs: Milliseconds | undefined) => OperatorReply;
}

const failBefore = (reply: Fault['reply']): Fault => ({ before: true, reply });
const failAfter = (reply: Fault['reply']): Fault => ({ before: false, reply });
const alterBody = (fields: (body: object) => object): Fault =>
  failAfter((reply) => {
    const { body } = reply;
    if (typeof body !== 'object' || body === null) return reply;
    return { ...reply, body: { ...body, ...fields(body) } };
  });

export const OPERATOR_FAULTS = [
  'slow',
  'error_500',
  'error_500_after',
  'lost_answer',
  'lost_before',
  'reset',
  'garbage',
  'huge_body',
  'wrong_reference',
  'wrong_bank',
  'unknown_status',
  'refused',
  'unauthorized',
  'stalled',
] as const;
export type OperatorFaultKind = (typeof OPERATOR_FAULTS)[number];

const FAULTS: Readonly<Record<OperatorFaultKind, Fault>> = {
  /** A submission is accepted before the wait. */
  slow: failAfter((reply, delayMs = seconds(1)) => ({ ...reply, wait: delayMs })),
  error_500: failBefore(() => problem(500, 'internal_error')),
  error_500_after: failAfter(() => problem(500, 'internal_error')),
  lost_answer: failAfter((reply) => ({ ...reply, instead: 'close' })),
  lost_before: failBefore((reply) => ({ ...reply, instead: 'close' })),
  reset: failBefore((reply) => ({ ...reply, instead: 'reset' })),
  garbage: failAfter((reply) => ({ ...reply, instead: 'garbage' })),
  huge_body: alterBody(() => ({ filler: 'x'.repeat(1024 * 1024) })),
  wrong_reference: alterBody(() => ({ reference: 'producao-0-0' })),
  wrong_bank: alterBody((body) => ({ bank: BANKS.find((other) => !('bank' in body) || other !== body.bank) })),
  unknown_status: alterBody(() => ({ status: 'Situação 17-B' })),
  /** Answers 422 to a bank submission. An accepted reference and a query get their usual answer. */
  refused: failBefore((reply) => reply),
  unauthorized: failBefore(() => problem(401, 'unauthorized')),
  stalled: failAfter((reply) => ({ ...reply, instead: 'stall' })),
};

const BATCH_FAULTS = ['partial', 'duplicates', 'no_batches'] as const;
type BatchFaultKind = (typeof BATCH_FAULTS)[number];

const OF_BATCHES: Readonly<Record<BatchFaultKind, (submissions: readonly OperatorSubmission[]) => OperatorReply>> = {
  partial: (submissions) => batchReply(submissions.filter((_, index) => index % 2 === 0)),
  duplicates: (submissions) => batchReply(submissions.concat(submissions)),
  no_batches: () => problem(404, 'not_found'),
};

const batchReply = (submissions: readonly unknown[]): OperatorReply => ({ status: 200, body: { submissions } });
const isOfBatch = (kind: OperatorFaultOrder['kind']): kind is BatchFaultKind => kind in OF_BATCHES;

export type OperatorOperation = 'submit' | 'query' | 'batch';

export const faultOrderFormat = z.object({
  kind: z.enum([...OPERATOR_FAULTS, ...BATCH_FAULTS]),
  bank: z.optional(z.enum(BANKS)),
  /** Only bank submissions, only queries (including batches), or only batches. @default all calls */
  operation: z.optional(z.enum(['submit', 'query', 'batch'])),
  /** Number of calls that fail. Then the order is used up. @default no limit */
  times: z.optional(z.number().check(z.int(), z.positive())),
  /** Share of the matching calls that fail, by the seeded generator. @default 1 */
  rate: z.optional(z.number().check(z.minimum(0), z.maximum(1))),
  /** Delay of `slow`. @default a second */
  delayMs: z.optional(z.number().check(z.minimum(0), z.maximum(minutes(10)))),
});
export type OperatorFaultOrder = Readonly<z.infer<typeof faultOrderFormat>>;

export function problem(status: number, code: string): OperatorReply {
  return { status, body: { code, message: 'The stand-in of the operator cannot do this.' } };
}

export function refusal(reference: string, status: 400 | 422, code: string): OperatorReply {
  return { status, body: { reference, code, message: 'Refused.', status: forcedStatus('entrega_falha', 0) } };
}

export const strikesBefore = (order: OperatorFaultOrder | undefined): boolean =>
  order !== undefined && !isOfBatch(order.kind) && FAULTS[order.kind].before;

export const failing = (order: OperatorFaultOrder | undefined, reply: OperatorReply): OperatorReply =>
  order && !isOfBatch(order.kind) ? FAULTS[order.kind].reply(reply, order.delayMs) : reply;

/** A wrong reference or bank is in the first entry, a wrong status text in all entries. */
export function failingBatch(
  order: OperatorFaultOrder | undefined,
  submissions: readonly OperatorSubmission[],
): OperatorReply {
  if (!order) return batchReply(submissions);
  const { kind } = order;
  if (isOfBatch(kind)) return OF_BATCHES[kind](submissions);
  const altered = (body: OperatorSubmission) => failing(order, { status: 200, body }).body;
  if (kind === 'unknown_status') return batchReply(submissions.map(altered));
  const strikesOne = kind === 'wrong_reference' || kind === 'wrong_bank';
  if (strikesOne)
    return batchReply(submissions.map((submission, index) => (index === 0 ? altered(submission) : submission)));
  return failing(order, batchReply(submissions));
}

export class FaultOrders {
  private readonly random = seededRandom(1);
  private orders: { readonly order: OperatorFaultOrder; remaining: number }[] = [];

  add(order: OperatorFaultOrder): void {
    this.orders.push({ order, remaining: order.times ?? Number.POSITIVE_INFINITY });
  }

  clear(): void {
    this.orders = [];
  }

  /** Counts the call for the first order that matches it. `repeated`: whether the reference was accepted before. */
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
    found.remaining -= 1;
    this.orders = this.orders.filter(({ remaining }) => remaining > 0);
    return found.order;
  }
}
