import { Duration, type Stack } from 'aws-cdk-lib';
import { EventSourceMapping, type IFunction } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

interface WorkQueueProps {
  /** Physical names of the queue and of its dead-letter queue. */
  readonly name: string;
  readonly deadName: string;
  /** Seconds for which a taken message is hidden: six times the worker's timeout, as Lambda asks for. */
  readonly visibility: number;
  /** Receives after which a message goes to the dead-letter queue. */
  readonly maxReceiveCount: number;
}

/** A queue with its dead-letter queue, both encrypted and open to TLS only. */
export class WorkQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;

  constructor(scope: Construct | Stack, id: string, props: WorkQueueProps) {
    super(scope, id);
    this.deadLetters = new Queue(this, 'DeadLetters', {
      queueName: props.deadName,
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    this.queue = new Queue(this, 'Queue', {
      queueName: props.name,
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      visibilityTimeout: Duration.seconds(props.visibility),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: props.maxReceiveCount },
    });
  }

  /** Lets a function take messages; those that it reports as failed come back, the others are deleted. */
  feed(worker: IFunction, limits: { readonly batchSize: number; readonly maxConcurrency: number }): EventSourceMapping {
    return new EventSourceMapping(this, 'Source', {
      target: worker,
      eventSourceArn: this.queue.queueArn,
      batchSize: limits.batchSize,
      maxConcurrency: limits.maxConcurrency,
      reportBatchItemFailures: true,
    });
  }
}
