import { describe, expect, it } from 'vitest';
import { alarmsOf } from '#infra/alarms.ts';
import { boardsOf } from '#infra/dashboards.ts';
import { textOf } from '#infra/formula.ts';
import { PLATFORM_METRICS } from '#infra/metrics.ts';
import { stageValues } from '#infra/stages.ts';
import { METRICS, type MetricRow, NAMESPACE } from '#shared/runtime/metrics.ts';
import { metricsDrawn, metricsWatched, seriesDrawn, seriesWatched } from '#test/makers/series.ts';

const prod = { ...stageValues('prod', {}), probeHasKey: true };
const copyVaultArn = 'arn:aws:backup:sa-east-1:444455556666:backup-vault:copies';
const copying = { ...prod, evidence: { copyVaultArn, secondRegion: undefined, vaultLock: 'compliance' } } as const;
// AWS Backup has a metric for stages with a copy in another account, and another metric for stages without.
const [alarms, boards] = [alarmsOf(prod).concat(alarmsOf(copying)), boardsOf(prod)];

const formulas = [...seriesWatched(alarms), ...seriesDrawn(boards)].filter((series) => series.kind === 'math');

it.each(formulas)('a formula names only its own metrics, all with the same period: $formula', (series) => {
  const { formula, of, period } = series;
  for (const name of textOf(formula).match(/\b[a-z]\w*/g) ?? []) expect(Object.keys(of)).toContain(name);
  for (const metric of Object.values(of)) expect(metric.period).toBe(period);
});

describe('METRICS', () => {
  const line = (namespace: string, name: string, dimensions: readonly string[]) =>
    `${namespace} ${name} {${dimensions.toSorted().join()}}`;
  const rows = Object.entries<MetricRow>(METRICS);
  const own = rows.flatMap(([name, { by = [], total }]) => [
    line(NAMESPACE, name, ['stage', ...by]),
    ...(total ? [line(NAMESPACE, name, ['stage', 'environment'])] : []),
  ]);
  const shown = [...metricsWatched(alarms), ...metricsDrawn(boards)].map(({ namespace, name, dimensions }) =>
    line(namespace, name, Object.keys(dimensions)),
  );

  it('every metric of an alarm or a widget is emitted with the dimensions that they name', () => {
    expect(shown.length).toBeGreaterThan(200);
    expect(shown.filter((one) => one.startsWith(NAMESPACE) && !own.includes(one))).toEqual([]);
  });

  it('every metric of the catalogue is on an alarm or a widget', () => {
    expect(own.filter((one) => !shown.includes(one))).toEqual([]);
    const platform = Object.entries(PLATFORM_METRICS).flatMap(([space, all]) => all.map((name) => `${space} ${name} `));
    expect(platform.filter((one) => !shown.some((other) => other.startsWith(one)))).toEqual([]);
  });

  it('no metric has the unit as a dimension, which would cost more than the service', () => {
    expect(rows.flatMap(([, { by = [] }]): readonly string[] => by)).not.toContain('unit');
  });
});
