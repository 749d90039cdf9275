import { expect, it } from 'vitest';
import { MetricStore, STEP } from '#infra/local/dashboards/metric-store.ts';

it.each([
  ['Sum', 10],
  ['SampleCount', 4],
  ['Average', 2.5],
  ['Minimum', 1],
  ['Maximum', 4],
  ['p50', 2],
])('the statistic %s of 4 and 1 in one span, and 3 and 2 in the next, is %d', (statistic, value) => {
  const next = 0 + STEP;
  const store = new MetricStore(() => next);
  const series = { namespace: 'A', name: 'a', dimensions: {} };
  store.add(series, [4, 1], 0);
  store.add(series, [3, 2], next);
  expect(store.values(series, statistic, [0], 2 * STEP)).toEqual([value]);
});
