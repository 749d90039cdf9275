import { Duration } from 'aws-cdk-lib';
import { EventSourceMapping, type IFunction } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { namesOf, type Stage } from '../stages.ts';

export class WorkQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, stage: Stage) {
    super(scope, id);
    const common = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true };
    this.deadLetters = new Queue(this, 'DeadLetters', {
      queueName: namesOf(stage).deadLetterQueue,
      ...common,
      retentionPeriod: Duration.days(14),
    });
    this.queue = new Queue(this, 'Queue', {
      queueName: namesOf(stage).deliveryQueue,
      ...common,
      // Six times the worker's timeout, as AWS recommends.
      visibilityTimeout: Duration.seconds(180),
      // Eight receives cover the short attempts of one message, and some crashes.
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: 8 },
    });
  }

  /** Messages that the worker reports as failed come back. The others are deleted. */
  feed(worker: IFunction, limits: { readonly batchSize: number; readonly maxConcurrency: number }): void {
    new EventSourceMapping(this, 'Source', {
      target: worker,
      eventSourceArn: this.queue.queueArn,
      batchSize: limits.batchSize,
      maxConcurrency: limits.maxConcurrency,
      reportBatchItemFailures: true,
    });
  }
}
