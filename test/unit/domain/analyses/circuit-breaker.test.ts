import { expect, it } from 'vitest';
import { type CallEnd, circuitBreaker } from '#shared/domain/analyses/circuit-breaker.ts';

/** A breaker after calls with these ends, one after the other. */
function after(...ends: readonly CallEnd[]) {
  const breaker = circuitBreaker();
  for (const end of ends) {
    expect(breaker.mayStart(0)).toBe(true);
    breaker.started();
    breaker.ended(end);
  }
  return breaker;
}
const times = (count: number, end: CallEnd) => new Array<CallEnd>(count).fill(end);

it('the circuit breaker of a lane opens after five failures in a row and a failed trial call', () => {
  expect(after(...times(5, 'failed')).isOpen).toBe(false);
  const open = after(...times(6, 'failed'));
  expect(open.isOpen).toBe(true);
  expect(open.mayStart(0)).toBe(false);
});

it('the circuit breaker of a lane waits for running calls before the trial call, which runs alone', () => {
  const tripped = after(...times(5, 'failed'));
  expect(tripped.mayStart(3)).toBe(false);
  expect(tripped.mayStart(0)).toBe(true);
  tripped.started();
  expect(tripped.mayStart(0)).toBe(false);
});

it('the circuit breaker of a lane closes when the trial call is answered, and allows no second trial', () => {
  const closed = after(...times(5, 'failed'), 'answered');
  expect(closed.mayStart(9)).toBe(true);
  for (let failure = 0; failure < 5; failure++) closed.ended('failed');
  expect(closed.isOpen).toBe(true);
});

it('the circuit breaker of a lane never opens for failures that an answer interrupts', () => {
  const breaker = after(...Array.from({ length: 40 }, () => [...times(4, 'failed'), 'answered' as const]).flat());
  expect(breaker.isOpen).toBe(false);
  expect(breaker.mayStart(5)).toBe(true);
});

it('the circuit breaker of a lane still has its trial call, whatever running calls return after it tripped', () => {
  const breaker = after(...times(5, 'failed'));
  breaker.ended('failed');
  expect(breaker.isOpen).toBe(false);
  expect(breaker.mayStart(0)).toBe(true);
  breaker.ended('answered');
  for (const end of times(5, 'failed')) breaker.ended(end);
  expect(breaker.isOpen).toBe(false);
  expect(breaker.mayStart(0)).toBe(true);
});

it('the circuit breaker of a lane ignores calls that say nothing about the bank', () => {
  expect(after(...times(100, 'neutral')).mayStart(9)).toBe(true);
  expect(after('failed', 'failed', 'neutral', 'failed', 'neutral', 'failed', 'failed').mayStart(1)).toBe(false);
  const retried = after(...times(5, 'failed'), 'neutral');
  expect(retried.isOpen).toBe(false);
  expect(retried.mayStart(1)).toBe(false);
  retried.started();
  retried.ended('failed');
  expect(retried.isOpen).toBe(true);
});

it('the circuit breaker of a lane stays open even if a running call is answered', () => {
  const open = after(...times(6, 'failed'));
  open.ended('answered');
  expect(open.isOpen).toBe(true);
});
