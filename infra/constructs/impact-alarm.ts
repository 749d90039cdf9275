import { Duration } from 'aws-cdk-lib';
import * as cw from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { seconds } from '#shared/domain/values/time.ts';
import { NAMESPACE } from '#shared/runtime/metrics.ts';
import { textOf } from '../formula.ts';
import type { EverySeries, Series } from '../metrics.ts';
import { isRunbookSection } from '../runbook.ts';
import { prefixOf, type Stage } from '../stages.ts';

/**
 * `page` wakes someone, `ticket` waits for office hours, `rollback` only rolls back a deployment, `part` only feeds a
 * composite alarm, and `clock` only says when composite alarms may ring.
 */
type Level = 'page' | 'ticket' | 'rollback' | 'part' | 'clock';

export type Condition = Bound & {
  readonly metric: Series;
  /** Number of periods in which the metric must be beyond its bound. @default 1 */
  readonly datapoints?: number;
  /** Number of last periods that count. @default datapoints */
  readonly outOf?: number;
  /** Whether a period without data counts as bad. @default false */
  readonly missingIsBad?: boolean;
};
type Bound = { readonly above: number } | { readonly atLeast: number } | { readonly below: number };

interface AlarmSetting {
  readonly stage: Stage;
  readonly topics: Readonly<Partial<Record<Level, ITopic>>>;
  /** Alarms made so far, in which a composite alarm finds its parts. */
  readonly made?: ReadonlyMap<string, cw.AlarmBase>;
}

/** Other alarms, by name: the composite is on if any of them is on, and also the alarm `during`. */
export interface AnyOn {
  readonly alarms: readonly string[];
  readonly during?: string;
}

type Conditions = readonly [Condition, Condition, ...Condition[]];

export interface ImpactAlarmProps {
  readonly setting: AlarmSetting;
  /** Physical name without the prefix of the stage. */
  readonly name: string;
  readonly level: Level;
  readonly impact: string;
  readonly section: string;
  /** If there are several conditions, all must hold, and each becomes an alarm that notifies nobody. */
  readonly when: Condition | Conditions | AnyOn;
  /** Whether one of several conditions is enough. @default false */
  readonly any?: true;
}

/** Throws an Error if infra/RUNBOOK.md lacks the section, or if a composite comes before one of its parts. */
export class ImpactAlarm extends Construct {
  readonly alarm: cw.AlarmBase;

  constructor(scope: Construct, id: string, props: ImpactAlarmProps) {
    super(scope, id);
    const { setting, name, level, impact, section, when, any } = props;
    if (!isRunbookSection(section))
      throw new Error(`alarm ${name} leads to infra/RUNBOOK.md#${section}, which is missing`);
    const alarmName = `${prefixOf(setting.stage)}-${name}`;
    const alarmDescription = `${level}: ${impact} What to do: ${setting.stage.runbookUrl}#${section}`;
    const on = (part: cw.AlarmBase) => cw.AlarmRule.fromAlarm(part, cw.AlarmState.ALARM);
    const composite = (alarmRule: cw.IAlarmRule) =>
      new cw.CompositeAlarm(this, 'Alarm', { compositeAlarmName: alarmName, alarmDescription, alarmRule });
    if ('alarms' in when) {
      const isOn = (other: string) => {
        const alarm = setting.made?.get(other);
        if (!alarm) throw new Error(`alarm ${name} reads the alarm ${other}, which is not made before it`);
        return on(alarm);
      };
      const parts = cw.AlarmRule.anyOf(...when.alarms.map(isOn));
      this.alarm = composite(when.during === undefined ? parts : cw.AlarmRule.allOf(parts, isOn(when.during)));
    } else if (isSeveral(when)) {
      this.alarm = composite(
        cw.AlarmRule[any ? 'anyOf' : 'allOf'](
          ...when.map((condition, index) =>
            on(
              new cw.Alarm(this, `Part${index + 1}`, {
                ...alarmProps(condition),
                alarmName: `${alarmName}-part-${index + 1}`,
                alarmDescription: `Notifies nobody by itself, only together with the other parts of ${alarmName}. ${alarmDescription}`,
              }),
            ),
          ),
        ),
      );
    } else {
      this.alarm = new cw.Alarm(this, 'Alarm', { ...alarmProps(when), alarmName, alarmDescription });
    }
    const topic = setting.topics[level];
    if (topic) {
      this.alarm.addAlarmAction(new SnsAction(topic));
      this.alarm.addOkAction(new SnsAction(topic));
    }
  }
}

export function isSeveral(when: Condition | Conditions): when is Conditions {
  return Array.isArray(when);
}

function alarmProps(condition: Condition) {
  const { metric, datapoints = 1, outOf = datapoints, missingIsBad = false } = condition;
  const { comparisonOperator, threshold } = boundOf(condition);
  return {
    metric: metric.kind === 'every' ? queryOf(metric) : cdkMetric(metric),
    comparisonOperator,
    threshold,
    evaluationPeriods: outOf,
    datapointsToAlarm: datapoints,
    treatMissingData: missingIsBad ? cw.TreatMissingData.BREACHING : cw.TreatMissingData.NOT_BREACHING,
  };
}

function boundOf(bound: Bound): { comparisonOperator: cw.ComparisonOperator; threshold: number } {
  if ('above' in bound)
    return { comparisonOperator: cw.ComparisonOperator.GREATER_THAN_THRESHOLD, threshold: bound.above };
  if ('atLeast' in bound)
    return {
      comparisonOperator: cw.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      threshold: bound.atLeast,
    };
  return { comparisonOperator: cw.ComparisonOperator.LESS_THAN_THRESHOLD, threshold: bound.below };
}

export function cdkMetric(series: Series, label?: string): cw.IMetric {
  const period = Duration.millis(series.period);
  switch (series.kind) {
    case 'metric': {
      const { namespace, name, dimensions, statistic } = series;
      return new cw.Metric({
        namespace,
        metricName: name,
        dimensionsMap: dimensions,
        statistic,
        period,
        label,
      });
    }
    case 'math': {
      const usingMetrics = Object.fromEntries(Object.entries(series.of).map(([name, one]) => [name, cdkMetric(one)]));
      return new cw.MathExpression({
        expression: textOf(series.formula),
        usingMetrics,
        period,
        label: label ?? series.label,
      });
    }
    case 'every':
      return new cw.MathExpression({
        expression: searchOf(series),
        label: label ?? series.by.map((dimension) => `\${PROP('Dim.${dimension}')}`).join(' '),
        period,
      });
    case 'rule':
      return new cw.MathExpression({
        expression: `INSIGHT_RULE_METRIC("${series.ruleName}", "MaxContributorValue")`,
        period,
        label,
      });
  }
}

function searchOf({ name, by, fixed, statistic, period }: EverySeries): string {
  const values = Object.entries(fixed).map(([dimension, value]) => `${dimension}="${value}"`);
  const dimensions = [...by, ...Object.keys(fixed)].sort().join();
  return `SEARCH('{${NAMESPACE},${dimensions}} MetricName="${name}" ${values.join(' ')}', '${statistic}', ${period / seconds(1)})`;
}

const FUNCTIONS = { Average: 'AVG', Maximum: 'MAX', Sum: 'SUM' };

/**
 * CloudWatch sends a notification for each series:
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Acting_Alarm_Changes.html. Throws an Error if Metrics
 * Insights does not know the statistic.
 */
function queryOf({ name, by, fixed, statistic, period }: EverySeries): cw.IMetric {
  const asked = Object.entries(FUNCTIONS).find(([known]) => known === statistic)?.[1];
  if (asked === undefined) throw new Error(`no alarm can ask for ${statistic} of every ${name}`);
  const schema = [NAMESPACE, ...Object.keys(fixed), ...by].map((word) => `"${word}"`).join(', ');
  const where = Object.entries(fixed).map(([dimension, value]) => `"${dimension}" = '${value}'`);
  const groups = by.map((dimension) => `"${dimension}"`).join(', ');
  return new cw.MathExpression({
    expression: `SELECT ${asked}("${name}") FROM SCHEMA(${schema}) WHERE ${where.join(' AND ')} GROUP BY ${groups} ORDER BY ${asked}() DESC`,
    period: Duration.millis(period),
  });
}
