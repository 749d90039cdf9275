import { Duration } from 'aws-cdk-lib';
import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { ServiceFunction, type ServiceFunctionProps } from './service-function.ts';

interface PollerProps extends ServiceFunctionProps {
  /** What each run of a minute is given; one schedule per input. */
  readonly inputs: readonly Readonly<Record<string, number>>[];
}

/** A function that runs each minute, once per input. A failed run is not retried: the next minute's takes its place. */
export class Poller extends Construct {
  readonly function: ServiceFunction;

  constructor(scope: Construct, id: string, props: PollerProps) {
    super(scope, id);
    const maxEventAge = Duration.seconds(60);
    this.function = new ServiceFunction(this, 'Run', props);
    // The rule's own retry settings cover only handing the event to Lambda; these cover the runs.
    this.function.live.configureAsyncInvoke({ retryAttempts: 0, maxEventAge });
    props.inputs.forEach((input, index) => {
      new Rule(this, `Minute${index}`, {
        description: `${props.row.operation} ${JSON.stringify(input)}`,
        schedule: Schedule.rate(Duration.minutes(1)),
        targets: [
          new LambdaFunction(this.function.live as IFunction, {
            event: RuleTargetInput.fromObject(input),
            retryAttempts: 0,
            maxEventAge,
          }),
        ],
      });
    });
  }
}
