import { Duration } from 'aws-cdk-lib';
import * as cw from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { seconds } from '#shared/domain/values/time.ts';
import { NAMESPACE } from '#shared/runtime/metrics.ts';
import { textOf } from '../formula.ts';
import type { EverySeries, Series } from '../metrics.ts';
import { prefixOf, type Stage } from '../stages.ts';

/** `page` wakes someone, `ticket` waits for office hours; `rollback` only takes a deployment back, `part` only feeds others. */
type Level = 'page' | 'ticket' | 'rollback' | 'part';

/** What is bad: a metric beyond its bound, in so many periods of so many. */
export type Condition = Bound & {
  readonly metric: Series;
  /** Periods in which it must hold. @default 1 */
  readonly datapoints?: number;
  /** Periods that are looked at. @default datapoints */
  readonly outOf?: number;
  /** Whether no data counts as bad. @default false */
  readonly missingIsBad?: boolean;
};
type Bound = { readonly above: number } | { readonly atLeast: number } | { readonly below: number };

/** What every alarm of a stack shares. */
interface AlarmSetting {
  readonly stage: Stage;
  /** Where alarms of a level go. */
  readonly topics: Readonly<Partial<Record<Level, ITopic>>>;
  /** The alarms made so far, by name, for those that stand above others. */
  readonly made?: ReadonlyMap<string, cw.AlarmBase>;
}

/** Other alarms, by name, that are all on at once; or, with `unless`, any of them while that one is not. */
export interface AllOn {
  readonly alarms: readonly string[];
  readonly unless?: string;
}

type Conditions = readonly [Condition, Condition, ...Condition[]];

export interface ImpactAlarmProps {
  readonly setting: AlarmSetting;
  /** Physical name behind the stage's prefix. */
  readonly name: string;
  readonly level: Level;
  /** What it means for partners or for the service: one sentence that who is woken up reads first. */
  readonly impact: string;
  /** Section of infra/RUNBOOK.md. */
  readonly section: string;
  /** All of them must hold at once; each of several conditions becomes an alarm of its own that tells no one. */
  readonly when: Condition | Conditions | AllOn;
  /** Whether one of several conditions is enough. @default false */
  readonly any?: true;
}

/**
 * An alarm that says what it means and what to do. Throws an Error, so that synthesis fails, where an alarm below it was
 * not made before.
 */
export class ImpactAlarm extends Construct {
  /** What notifies. */
  readonly alarm: cw.AlarmBase;

  constructor(scope: Construct, id: string, props: ImpactAlarmProps) {
    super(scope, id);
    const { setting, name, level, impact, section, when, any } = props;
    const alarmName = `${prefixOf(setting.stage)}-${name}`;
    const alarmDescription = `${level}: ${impact} What to do: ${setting.stage.runbookUrl}#${section}`;
    const on = (part: cw.AlarmBase) => cw.AlarmRule.fromAlarm(part, cw.AlarmState.ALARM);
    const composite = (alarmRule: cw.IAlarmRule) =>
      new cw.CompositeAlarm(this, 'Alarm', { compositeAlarmName: alarmName, alarmDescription, alarmRule });
    if ('alarms' in when) {
      const made = (other: string) => {
        const below = setting.made?.get(other);
        if (!below) throw new Error(`alarm ${name} stands above alarms that are not made before it`);
        return on(below);
      };
      const below = when.alarms.map(made);
      this.alarm = composite(
        when.unless === undefined
          ? cw.AlarmRule.allOf(...below)
          : cw.AlarmRule.allOf(cw.AlarmRule.anyOf(...below), cw.AlarmRule.not(made(when.unless))),
      );
    } else if (isSeveral(when)) {
      this.alarm = composite(
        cw.AlarmRule[any ? 'anyOf' : 'allOf'](
          ...when.map((condition, index) =>
            on(
              new cw.Alarm(this, `Part${index + 1}`, {
                ...alarmProps(condition),
                alarmName: `${alarmName}-part-${index + 1}`,
                alarmDescription: `Tells no one by itself, only together with the other parts of ${alarmName}. ${alarmDescription}`,
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

/** Whether several conditions must hold at once. */
export function isSeveral(when: Condition | Conditions): when is Conditions {
  return Array.isArray(when);
}

function alarmProps(condition: Condition) {
  const { metric, datapoints = 1, outOf = datapoints, missingIsBad = false } = condition;
  const { comparisonOperator, threshold } = boundOf(condition);
  return {
    metric: cdkMetric(metric),
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

/** A series as CDK takes it for alarms and graphs, with the label that a graph gives it. */
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
        label: label ?? `\${PROP('Dim.${series.by}')}`,
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
  const dimensions = [by, ...Object.keys(fixed)].sort().join();
  return `SEARCH('{${NAMESPACE},${dimensions}} MetricName="${name}" ${values.join(' ')}', '${statistic}', ${period / seconds(1)})`;
}
