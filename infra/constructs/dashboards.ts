import { Duration } from 'aws-cdk-lib';
import * as cw from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { days } from '#shared/domain/values/time.ts';
import { type Graph, isSearch, type Light, type Widget } from '../dashboards/widget.ts';
import { boardsOf } from '../dashboards.ts';
import { logGroupNameOf, prefixOf, type Stage } from '../stages.ts';
import { cdkMetric } from './impact-alarm.ts';

interface DashboardsProps {
  readonly stage: Stage;
  /** Each alarm by its name without the prefix of the stage. */
  readonly alarms: ReadonlyMap<string, cw.AlarmBase>;
  readonly commit: string;
}

export class Dashboards extends Construct {
  constructor(scope: Construct, id: string, { stage, alarms, commit }: DashboardsProps) {
    super(scope, id);
    for (const { name, title, rows } of boardsOf(stage, 'made', commit))
      new cw.Dashboard(this, title, {
        dashboardName: `${prefixOf(stage)}-${name}`,
        defaultInterval: Duration.hours(12),
        // The titles name the periods, which CloudWatch would otherwise stretch with the time range.
        periodOverride: cw.PeriodOverride.INHERIT,
        widgets: rows.map((row) => row.map((widget) => cdkWidget(widget, stage, alarms))),
      });
  }
}

const HEIGHT = 6;

function cdkWidget(widget: Widget, stage: Stage, alarms: ReadonlyMap<string, cw.AlarmBase>): cw.IWidget {
  const { title, width } = widget;
  switch (widget.kind) {
    case 'alarms':
      return new cw.AlarmStatusWidget({
        title,
        alarms: widget.names.map((name) => alarmNamed(name, alarms)),
        width,
        // A row of the widget holds about six alarms.
        height: 2 + Math.ceil(widget.names.length / 6),
      });
    case 'light':
      return cdkLight(widget, alarms);
    case 'text':
      return new cw.TextWidget({ markdown: widget.markdown, width, height: 6 });
    case 'heading':
      return new cw.TextWidget({ markdown: `## ${title}`, width, height: 1 });
    case 'log': {
      const logGroupNames = widget.operations.map((operation) => logGroupNameOf(stage, operation));
      return new cw.LogQueryWidget({
        title,
        logGroupNames,
        queryLines: widget.query.slice(),
        width,
        height: HEIGHT,
      });
    }
    case 'tile':
      return new cw.SingleValueWidget({
        title: `${title} (${widget.unit})`,
        metrics: [cdkMetric(widget.series, title)],
        width,
        height: 3,
        // Shows one value over the whole period, whatever the time range of the dashboard is.
        setPeriodToTimeRange: true,
        start: `-P${widget.series.period / days(1)}D`,
      });
    case 'graph':
      return cdkGraph(widget);
  }
}

function cdkLight({ title, width, names, figure, unit, series }: Light, alarms: ReadonlyMap<string, cw.AlarmBase>) {
  const value = new cw.SingleValueWidget({
    title: `${figure} (${unit})`,
    metrics: [cdkMetric(series, figure)],
    width,
    height: 3,
    sparkline: true,
  });
  if (names.length === 0) return value;
  const on = new cw.AlarmStatusWidget({
    title: `${title}: alarms that are on`,
    alarms: names.map((name) => alarmNamed(name, alarms)),
    states: [cw.AlarmState.ALARM],
    sortBy: cw.AlarmStatusWidgetSortBy.STATE_UPDATED_TIMESTAMP,
    width,
    height: 3,
  });
  return new cw.Column(on, value);
}

/** Throws an Error if the stage does not make the alarm. */
function alarmNamed(name: string, alarms: ReadonlyMap<string, cw.AlarmBase>): cw.AlarmBase {
  const alarm = alarms.get(name);
  if (!alarm) throw new Error(`a dashboard shows the alarm ${name}, which the stage does not make`);
  return alarm;
}

function cdkGraph({ title, width, lines, stacked, unit, max, thresholds }: Graph): cw.GraphWidget {
  return new cw.GraphWidget({
    title,
    left: isSearch(lines)
      ? [cdkMetric(lines)]
      : Object.entries(lines).map(([label, series]) => cdkMetric(series, label)),
    width,
    height: HEIGHT,
    stacked,
    leftYAxis: {
      min: 0,
      showUnits: false,
      label: unit,
      max,
    },
    leftAnnotations: thresholds && Object.entries(thresholds).map(([label, value]) => ({ value, label })),
  });
}
