import { expect, it } from 'vitest';
import { alarmsOf } from '#infra/alarms.ts';
import { alarmStates } from '#infra/local/dashboards/alarm-states.ts';
import { MetricStore } from '#infra/local/dashboards/metric-store.ts';
import { stageValues } from '#infra/stages.ts';
import { NAMESPACE } from '#shared/runtime/metrics.ts';

const MINUTE = 60_000;
const alarms = alarmsOf(stageValues('dev', {}));

/** Returns whether two alarms are on at a time of São Paulo, while clocks have been wrong for ten minutes. */
function statesAt(time: string, poller: 'runs' | 'stands still' = 'runs') {
  const now = Date.parse(`${time}-03:00`);
  const store = new MetricStore(() => now - 60 * MINUTE);
  for (let minute = 1; minute <= 10; minute++) {
    const at = now - minute * MINUTE;
    const add = (name: string, dimensions: object) =>
      store.add({ namespace: NAMESPACE, name, dimensions: { stage: 'dev', ...dimensions } }, [1], at);
    add('RunsWithWrongClock', {});
    if (poller === 'runs') add('Pending', { environment: 'producao' });
  }
  const states = alarmStates(alarms, store, now);
  return { part: states.get('clock-wrong')?.state, ticket: states.get('runs-wrong')?.state };
}

it.each([
  ['in the morning', '2026-11-30T09:10:00'],
  ['in the afternoon', '2026-11-30T17:55:00'],
])('a ticket that joins alarms is on with its part %s of a working day', (_, time) => {
  expect(statesAt(time)).toEqual({ part: 'ALARM', ticket: 'ALARM' });
});

it.each([
  ['at night', '2026-11-30T03:00:00'],
  ['just before nine', '2026-11-30T08:59:00'],
  ['on a Sunday', '2026-11-29T12:00:00'],
])('a ticket that joins alarms is off %s, so that it rings again in the morning', (_, time) => {
  expect(statesAt(time)).toEqual({ part: 'ALARM', ticket: 'OK' });
});

it('a ticket that joins alarms rings at night if the poller, its clock, is silent', () => {
  expect(statesAt('2026-11-30T03:00:00', 'stands still')).toEqual({ part: 'ALARM', ticket: 'ALARM' });
});
