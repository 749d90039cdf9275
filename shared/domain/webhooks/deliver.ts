import type { Clock } from '../values/clock.ts';
import type { Instant, Milliseconds } from '../values/time.ts';
import { type AttemptResult, type Delivery, type DueDelivery, type NextStep, nextStep } from './delivery.ts';
import { type DisablingCause, disablingCause, type WebhookEndpoint } from './endpoint.ts';
import type { AttemptClaim, Deliveries, DeliveryQueue, WebhookEndpoints, WebhookSender } from './ports.ts';

/** What became of one message: `done` with it, or it comes back after some time. */
export type MessageOutcome = { readonly kind: 'done' } | { readonly kind: 'again'; readonly after: Milliseconds };

/** One message that came to something: for logs and metrics. */
export interface AttemptReport {
  readonly delivery: Delivery;
  readonly begunAt: Instant;
  /** Undefined where there was no endpoint to try. */
  readonly result: AttemptResult | undefined;
  readonly next: NextStep;
  /** Set where this attempt disabled the endpoint. */
  readonly disabled: DisablingCause | undefined;
}

interface DeliverDeps {
  readonly deliveries: Deliveries;
  readonly endpoints: WebhookEndpoints;
  readonly queue: DeliveryQueue;
  readonly sender: WebhookSender;
  readonly clock: Clock;
  /** Gives numbers in [0, 1). */
  readonly random: () => number;
  readonly report: (report: AttemptReport) => void;
}

const DONE: MessageOutcome = { kind: 'done' };

/** What the sandbox reports instead of the first attempt of an event whose test CPF wants it to fail. */
const MADE_TO_FAIL: AttemptResult = {
  delivered: false,
  failure: 'conexao',
  milliseconds: 0,
  detail: 'sandbox: a primeira tentativa falha de propósito para este CPF de teste',
};

async function claimed(message: DueDelivery, { deliveries, clock }: DeliverDeps): Promise<AttemptClaim> {
  const claim = await deliveries.claim(message, clock());
  if (claim.kind !== 'redriven' || !(await deliveries.reopen(message, clock()))) return claim;
  return deliveries.claim(message, clock());
}

/** Counts a failed attempt against its endpoint: whether that is disabled by now, and the cause where this attempt did it. */
async function countFailure(
  delivery: Delivery,
  endpoint: WebhookEndpoint,
  result: AttemptResult,
  { endpoints, clock }: DeliverDeps,
): Promise<{ off: boolean; cause: DisablingCause | undefined }> {
  const now = clock();
  const { enabled, health } = await endpoints.countFailure(delivery.partnerId, endpoint, now);
  const cause = enabled ? disablingCause(health, result, now) : undefined;
  if (!cause) return { off: !enabled, cause };
  const off = await endpoints.disable(delivery.partnerId, { ...endpoint, health }, cause, now);
  return { off, cause: off ? cause : undefined };
}

type Outcome = Pick<AttemptReport, 'result' | 'next' | 'disabled'>;

/** The outcome of an attempt that disabled nothing. */
const outcome = (result: AttemptResult | undefined, next: NextStep): Outcome => ({ result, next, disabled: undefined });

async function attempt(delivery: Delivery, endpoint: WebhookEndpoint | undefined, deps: DeliverDeps): Promise<Outcome> {
  const { sender, clock, random } = deps;
  if (!endpoint) return outcome(undefined, { state: 'sem_destino' });
  const { to } = delivery;
  if (!endpoint.enabled && to === undefined) return outcome(undefined, { state: 'suspensa' });
  if (delivery.failFirst && delivery.attempts === 1) {
    // It says nothing of the endpoint, so it does not count against it.
    return outcome(MADE_TO_FAIL, nextStep(delivery, MADE_TO_FAIL, false, clock(), random));
  }
  const target = to === undefined ? endpoint : { ...endpoint, url: to };
  const result = await sender.send(target, delivery, delivery.attempts, clock());
  if (result.delivered) return outcome(result, { state: 'entregue' });
  if (to !== undefined) {
    // It says nothing of an endpoint that is elsewhere or off by now. Nobody can mend an address that was left.
    const next = nextStep(delivery, result, false, clock(), random);
    return outcome(result, next.state === 'esgotada' && to !== endpoint.url ? { state: 'sem_destino' } : next);
  }
  const { off, cause } = await countFailure(delivery, endpoint, result, deps);
  return { result, next: nextStep(delivery, result, off, clock(), random), disabled: cause };
}

async function write(delivery: Delivery, result: AttemptResult | undefined, next: NextStep, deps: DeliverDeps) {
  const { eventId, partnerId, dueAt, attempts, environment } = delivery;
  // The dead-letter queue hears of it before the row is closed: a crash between leaves a message, not silence. It names
  // the attempt that a redrive would make. What a partner tries in the sandbox wakes nobody
  // (shared/contract/README.md#delivery, rule 8). If a resend keeps the row open, the letter is stale: a later redrive
  // of it finds its attempt made and does nothing.
  if (next.state === 'esgotada' && environment === 'producao')
    await deps.queue.giveUp({ eventId, partnerId, attempt: attempts + 1, dueAt });
  return deps.deliveries.record(delivery, result, next, deps.clock());
}

/**
 * Writes what follows and gives it: what was to be suspended goes on where the endpoint was enabled at this moment. What was
 * resent during the attempt is due at once, by this message: the lease has turned away the resend's own.
 */
async function settle(
  delivery: Delivery,
  { result, next }: Omit<Outcome, 'disabled'>,
  deps: DeliverDeps,
): Promise<NextStep> {
  const written = await write(delivery, result, next, deps);
  if (written !== 'enabled' && written !== 'resent') return next;
  const now = deps.clock();
  const open: NextStep =
    written === 'enabled' && result
      ? nextStep(delivery, result, false, now, deps.random)
      : { state: 'pendente', dueAt: now, retryOwner: 'queue' };
  return settle(delivery, { result, next: open }, deps);
}

/**
 * Makes the attempt that a message stands for, if it is due and no other worker has it: at most one attempt a message.
 * Wherever it breaks off, the row is left so that the message's return or the sweeper goes on from there.
 */
export async function deliver(message: DueDelivery, deps: DeliverDeps): Promise<MessageOutcome> {
  const { endpoints, clock, report } = deps;
  const claim = await claimed(message, deps);
  if (claim.kind === 'early') return { kind: 'again', after: claim.dueAt - clock() };
  if (claim.kind !== 'claimed') return DONE;

  const { delivery } = claim;
  const begunAt = clock();
  const endpoint = await endpoints.get(delivery.partnerId);
  const attempted = await attempt(delivery, endpoint, deps);
  const next = await settle(delivery, attempted, deps);
  const { result, disabled } = attempted;
  // After the success is on record: what breaks here must not send the event again.
  if (result?.delivered && endpoint && delivery.to === undefined && endpoint.health.failures > 0)
    await endpoints.forgetFailures(delivery.partnerId, endpoint);
  report({ delivery, begunAt, result, next, disabled });
  return next.state === 'pendente' && next.retryOwner === 'queue'
    ? { kind: 'again', after: next.dueAt - clock() }
    : DONE;
}
