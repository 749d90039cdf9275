import { expect, it } from 'vitest';
import { type CallEnd, circuitBreaker } from '../../../../shared/domain/analyses/circuit-breaker.ts';

/** A breaker after calls that went one after the other and ended so; `started` counts those that it let start. */
function after(...ends: readonly CallEnd[]) {
  const breaker = circuitBreaker();
  let started = 0;
  for (const end of ends) {
    if (!breaker.mayStart(0)) break;
    started += 1;
    breaker.started();
    breaker.ended(end);
  }
  return { breaker, started };
}
const failed = (count: number) => Array<CallEnd>(count).fill('failed');

it('lets calls start beside others until five in a row have failed', () => {
  expect(after(...failed(4)).breaker.mayStart(9)).toBe(true);
  const { breaker } = after(...failed(5));
  expect([breaker.mayStart(1), breaker.mayStart(0), breaker.isOpen]).toEqual([false, true, false]);
});

it('counts failures anew from each answer, and a neutral end for nothing', () => {
  expect(after(...failed(4), 'answered', ...failed(4)).breaker.mayStart(1)).toBe(true);
  expect(after(...failed(4), 'neutral', ...failed(1)).breaker.mayStart(1)).toBe(false);
});

it('tries one call alone, whose failure leaves the bank alone for good', () => {
  const { breaker } = after(...failed(5));
  breaker.started();
  expect(breaker.mayStart(0)).toBe(false);
  breaker.ended('failed');
  expect([breaker.isOpen, breaker.mayStart(0)]).toEqual([true, false]);
  breaker.ended('answered');
  expect([breaker.isOpen, breaker.mayStart(0)]).toEqual([true, false]);
});

it('closes with the answer of the try, once in a run: the next five failures open it', () => {
  expect(after(...failed(5), 'answered').breaker.mayStart(9)).toBe(true);
  const { breaker, started } = after(...failed(5), 'answered', ...failed(5), 'answered');
  expect([breaker.isOpen, started]).toEqual([true, 11]);
});

it('makes the try again after a neutral end, and gives the same chance after it', () => {
  const { breaker } = after(...failed(5), 'neutral');
  expect([breaker.isOpen, breaker.mayStart(1), breaker.mayStart(0)]).toEqual([false, false, true]);
  expect(after(...failed(5), 'neutral', 'answered').breaker.mayStart(9)).toBe(true);
});

it('hears of calls that were under way when it tripped: an answer closes it, and no try was used', () => {
  const { breaker } = after(...failed(5));
  breaker.ended('failed');
  expect([breaker.isOpen, breaker.mayStart(0)]).toEqual([false, true]);
  breaker.ended('answered');
  expect(breaker.mayStart(9)).toBe(true);
  for (const end of failed(5)) breaker.ended(end);
  expect([breaker.isOpen, breaker.mayStart(0)]).toEqual([false, true]);
});
