import { describe, expect, it } from 'vitest';
import { endsOf, isNear, RUNTIME } from '#infra/ends.ts';
import { stageValues } from '#infra/stages.ts';
import { dayOf } from '#shared/domain/values/clock.ts';

const stage = stageValues('prod', {});
const ends = endsOf(stage);

describe('endsOf', () => {
  it('endsOf lists the runtime and security.txt, earliest first', () => {
    expect(new Set(ends.map(({ what }) => what))).toEqual(new Set(['security.txt', `support of ${RUNTIME.name}`]));
    const days = ends.map(({ day }) => day);
    expect(days).toEqual(days.toSorted());
    expect(ends.find(({ what }) => what === 'security.txt')?.day).toBe(stage.support.contactUntil);
  });
});

it.each([
  ['2027-04-30', false],
  ['2027-05-01', true],
  ['2028-05-01', true],
])('on %s the end of the runtime is near: %s', (today, near) => {
  const runtime = ends.find(({ what }) => what.startsWith('support of'));
  expect(runtime && isNear(runtime, dayOf(today))).toBe(near);
});
