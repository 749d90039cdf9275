import type { Clock } from '../values/clock.ts';
import type { Instant, Milliseconds } from '../values/time.ts';
import {
  type AttemptResult,
  type Delivery,
  type DueDelivery,
  type NextStep,
  nextStep,
  waitsInQueue,
} from './delivery.ts';
import { type DisablingCause, disablingCause, type WebhookEndpoint } from './endpoint.ts';
import type { AttemptClaim, Deliveries, DeliveryQueue, WebhookEndpoints, WebhookSender } from './ports.ts';

export type MessageOutcome = { readonly kind: 'done' } | { readonly kind: 'again'; readonly after: Milliseconds };

export interface AttemptObserver {
  attempted(report: AttemptReport): void;
}

export interface AttemptReport {
  readonly delivery: Delivery;
  readonly begunAt: Instant;
  /** Undefined if there is no endpoint or the endpoint is disabled. */
  readonly result: AttemptResult | undefined;
  readonly next: NextStep;
  readonly disabled: DisablingCause | undefined;
}

interface DeliverDeps {
  readonly deliveries: Deliveries;
  readonly endpoints: WebhookEndpoints;
  readonly queue: Pick<DeliveryQueue, 'giveUp'>;
  readonly sender: WebhookSender;
  readonly clock: Clock;
  readonly random: () => number;
  readonly observer: AttemptObserver;
}

const DONE: MessageOutcome = { kind: 'done' };

const MADE_TO_FAIL: AttemptResult = {
  delivered: false,
  failure: 'conexao',
  milliseconds: 0,
  detail: 'sandbox: a primeira tentativa falha de propósito para este CPF de teste',
};

/** If the message is a redriven dead letter, reopens the delivery first. */
async function claimAttempt(message: DueDelivery, { deliveries, clock }: DeliverDeps): Promise<AttemptClaim> {
  const claim = await deliveries.claim(message, clock());
  if (claim.kind !== 'redriven' || !(await deliveries.reopen(message, clock()))) return claim;
  return deliveries.claim(message, clock());
}

async function countFailure(
  delivery: Delivery,
  endpoint: WebhookEndpoint,
  result: AttemptResult,
  { endpoints, clock }: DeliverDeps,
): Promise<{ isDisabled: boolean; cause: DisablingCause | undefined }> {
  const now = clock();
  const { enabled, health } = await endpoints.countFailure(delivery, endpoint, now);
  const cause = enabled ? disablingCause(health, result, now) : undefined;
  if (!cause) return { isDisabled: !enabled, cause };
  const isDisabled = await endpoints.disable(delivery, { ...endpoint, health }, cause, now);
  return { isDisabled, cause: isDisabled ? cause : undefined };
}

type Outcome = Pick<AttemptReport, 'result' | 'next' | 'disabled'>;

const outcome = (result: AttemptResult | undefined, next: NextStep): Outcome => ({ result, next, disabled: undefined });

async function attempt(delivery: Delivery, endpoint: WebhookEndpoint | undefined, deps: DeliverDeps): Promise<Outcome> {
  const { sender, clock, random } = deps;
  if (!endpoint) return outcome(undefined, { state: 'sem_destino' });
  const { to } = delivery;
  if (!endpoint.enabled && to === undefined) return outcome(undefined, { state: 'suspensa' });
  if (delivery.failFirst && delivery.attempts === 1) {
    // The receiver was never called, so this failure does not count against the endpoint.
    return outcome(MADE_TO_FAIL, nextStep(delivery, MADE_TO_FAIL, false, clock(), random));
  }
  const target = to === undefined ? endpoint : { ...endpoint, url: to };
  const result = await sender.send(target, delivery, delivery.attempts, clock());
  if (result.delivered) return outcome(result, { state: 'entregue' });
  if (to !== undefined) {
    // This failure does not count against the endpoint, which may have another address by now or be disabled. If the
    // address is no longer in use, nobody can repair it: the delivery ends as `sem_destino` and leaves no dead letter.
    const next = nextStep(delivery, result, false, clock(), random);
    return outcome(result, next.state === 'esgotada' && to !== endpoint.url ? { state: 'sem_destino' } : next);
  }
  const { isDisabled, cause } = await countFailure(delivery, endpoint, result, deps);
  return { result, next: nextStep(delivery, result, isDisabled, clock(), random), disabled: cause };
}

async function write(delivery: Delivery, result: AttemptResult | undefined, next: NextStep, deps: DeliverDeps) {
  const { eventId, partnerId, dueAt, attempts, environment } = delivery;
  // The dead letter is sent before the row is closed: a crash in between leaves a message, not silence. The letter
  // names the attempt that a redrive would make. Events of the sandbox leave none, so that a partner's tests wake
  // nobody (shared/contract/README.md#delivery, rule 8). If a resend keeps the row open, the letter is stale: a later
  // redrive of it finds that its attempt was made, and does nothing.
  if (next.state === 'esgotada' && environment === 'producao')
    await deps.queue.giveUp({ eventId, partnerId, attempt: attempts + 1, dueAt });
  return deps.deliveries.record(delivery, result, next, deps.clock());
}

/**
 * A step other than `next` is written and returned in two cases:
 *
 * - The delivery was to be suspended, but its endpoint is enabled now: the retries continue. If no attempt was made, an
 *   attempt is due at once.
 * - The event was resent during the attempt: the next attempt is due at once. The present message makes it, since the
 *   resend's own message found the lease taken and did nothing.
 *
 * If another worker was faster (`overtaken`), `next` is returned although it was not written.
 */
async function settle(
  delivery: Delivery,
  { result, next }: Omit<Outcome, 'disabled'>,
  deps: DeliverDeps,
): Promise<NextStep> {
  const written = await write(delivery, result, next, deps);
  if (written !== 'enabled' && written !== 'resent') return next;
  const now = deps.clock();
  const otherStep: NextStep =
    written === 'enabled' && result
      ? nextStep(delivery, result, false, now, deps.random)
      : { state: 'pendente', dueAt: now };
  return settle(delivery, { result, next: otherStep }, deps);
}

/** Wherever a call breaks off, the returning message or the sweeper continues. */
export async function deliver(message: DueDelivery, deps: DeliverDeps): Promise<MessageOutcome> {
  const { endpoints, clock, observer } = deps;
  const claim = await claimAttempt(message, deps);
  if (claim.kind === 'early') return { kind: 'again', after: claim.dueAt - clock() };
  if (claim.kind !== 'claimed') return DONE;

  const { delivery } = claim;
  const begunAt = clock();
  const endpoint = await endpoints.get(delivery);
  const attempted = await attempt(delivery, endpoint, deps);
  const next = await settle(delivery, attempted, deps);
  const { result, disabled } = attempted;
  // The failures are forgotten only after the success is on record: if this write fails, the event must not be sent
  // again.
  if (result?.delivered && endpoint && delivery.to === undefined && endpoint.health.failures > 0)
    await endpoints.forgetFailures(delivery, endpoint);
  observer.attempted({ delivery, begunAt, result, next, disabled });
  const now = clock();
  return next.state === 'pendente' && waitsInQueue(next.dueAt, now) ? { kind: 'again', after: next.dueAt - now } : DONE;
}
