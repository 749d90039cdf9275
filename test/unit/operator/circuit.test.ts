import { beforeEach, expect, it } from 'vitest';
import { Circuit, type OperatorFault } from '#shared/operator/circuit.ts';

let now = 0;
let shedding: Circuit;
beforeEach(() => {
  now = 1_780_000_000_000;
  shedding = new Circuit(() => now);
});

const submitted = (fault?: OperatorFault) => shedding.note({ operation: 'submit', fault });

it('the circuit refuses new submissions while most of the last 30 s timed out, and accepts them afterwards', () => {
  submitted();
  submitted('timeout');
  submitted('aborted');
  expect(shedding.openFor()).toBe(30);
  now += 999;
  expect(shedding.openFor()).toBe(30);
  now += 28_002;
  expect(shedding.openFor()).toBe(1);
  now += 1_000;
  expect(shedding.openFor()).toBeUndefined();
});

it('the circuit refuses new submissions for exactly as long as openFor says, however time-outs are spread', () => {
  for (let call = 0; call < 6; call++) {
    submitted('timeout');
    now += 4_000;
  }
  // When the fourth time-out has left the window, fewer than three remain in it.
  expect(shedding.openFor()).toBe(18);
  now += 17_999;
  expect(shedding.openFor()).toBe(1);
  now += 1;
  expect(shedding.openFor()).toBeUndefined();
});

it.each<[string, (OperatorFault | undefined)[]]>([
  ['every submission is answered', Array(10).fill(undefined)],
  ['only two submissions timed out', ['timeout', 'timeout']],
  ['half of the submissions timed out', ['timeout', 'timeout', undefined, undefined]],
  ['submissions failed, but not by a time-out', ['status', 'garbage', 'connection', 'mismatch']],
])('the circuit accepts new submissions if %s', (_, faults) => {
  for (const fault of faults) submitted(fault);
  expect(shedding.openFor()).toBeUndefined();
});

it('the circuit ignores time-outs of questions about analyses', () => {
  for (let call = 0; call < 10; call++) shedding.note({ operation: 'query', fault: 'timeout' });
  expect(shedding.openFor()).toBeUndefined();
});

const FAILS = ['unauthorized', 'token'] as const;
it.each(FAILS)('the circuit refuses new submissions for 30 s after any call whose token fails (%s)', (fault) => {
  shedding.note({ operation: 'query', fault });
  now += 10_000;
  expect(shedding.openFor()).toBe(20);
  now += 20_000;
  expect(shedding.openFor()).toBeUndefined();
});

it('the circuit accepts new submissions as soon as an answer proves the token, but not after a failed call', () => {
  submitted('unauthorized');
  submitted('connection');
  expect(shedding.openFor()).toBe(30);
  submitted();
  expect(shedding.openFor()).toBeUndefined();
});

it.each(['unauthorized', 'timeout'] as const)(
  'the circuit accepts new submissions after 30 s although the clock was put back by two days (%s)',
  (fault) => {
    for (let call = 0; call < 3; call++) submitted(fault);
    expect(shedding.openFor()).toBe(30);
    now -= 172_800_000;
    now += 30_000;
    expect(shedding.openFor()).toBeUndefined();
  },
);
