import { Duration } from 'aws-cdk-lib';
import { EventSourceMapping, type IFunction } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { namesOf, type Stage } from '../stages.ts';

/** Webhook deliveries: a queue with its dead-letter queue, both encrypted and open to TLS only. */
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
      // Six times the worker's timeout, as Lambda asks for.
      visibilityTimeout: Duration.seconds(180),
      // The short attempts of one message, and room for crashes.
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: 8 },
    });
  }

  /** Lets a function take messages; those that it reports as failed come back, the others are deleted. */
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
