import { beforeEach, expect, it } from 'vitest';
import { Circuit, type OperatorFault } from '#shared/operator/circuit.ts';

let now = 0;
let shedding: Circuit;
beforeEach(() => {
  now = 1_000_000;
  shedding = new Circuit(() => now);
});

const submitted = (fault?: OperatorFault) => shedding.note({ operation: 'submit', fault });

it('new submissions are shed while most of the last 30 s timed out, and tried again after it', () => {
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

it('new submissions are shed for as long as it says, however the time-outs are spread', () => {
  for (let call = 0; call < 6; call++) {
    submitted('timeout');
    now += 4_000;
  }
  // Fewer than three remain in the window once the fourth has left it.
  expect(shedding.openFor()).toBe(18);
  now += 17_999;
  expect(shedding.openFor()).toBe(1);
  now += 1;
  expect(shedding.openFor()).toBeUndefined();
});

it.each<[string, (OperatorFault | undefined)[]]>([
  ['the operator answers', Array(10).fill(undefined)],
  ['two are too few to conclude from', ['timeout', 'timeout']],
  ['half is not most', ['timeout', 'timeout', undefined, undefined]],
  ['an answer of any kind is no time-out', ['status', 'garbage', 'connection', 'mismatch']],
])('new submissions are taken in where %s', (_, faults) => {
  for (const fault of faults) submitted(fault);
  expect(shedding.openFor()).toBeUndefined();
});

it('new submissions are not judged by questions about analyses', () => {
  for (let call = 0; call < 10; call++) shedding.note({ operation: 'query', fault: 'timeout' });
  expect(shedding.openFor()).toBeUndefined();
});

const FAILS = ['unauthorized', 'token'] as const;
it.each(FAILS)('new submissions are shed for 30 s where the token fails (%s), whoever asked', (fault) => {
  shedding.note({ operation: 'query', fault });
  now += 10_000;
  expect(shedding.openFor()).toBe(20);
  now += 20_000;
  expect(shedding.openFor()).toBeUndefined();
});

it('new submissions are taken in as soon as an answer proves the token, and not for a call without one', () => {
  submitted('unauthorized');
  submitted('connection');
  expect(shedding.openFor()).toBe(30);
  submitted();
  expect(shedding.openFor()).toBeUndefined();
});
