import type { AwsLikeSettings } from './aws/aws-like/settings.ts';

export interface LocalOptions {
  readonly port: number;
  /** An empty service that leaves nothing behind; else data is kept in `.local`. */
  readonly fresh: boolean;
  /** Milliseconds between ticks of every schedule. @default the template's rates */
  readonly pollEvery: number | undefined;
  /** Calls a minute of the demo partner. */
  readonly rate: number;
  /** Shows all that functions write. */
  readonly verbose: boolean;
  /** Where data is kept, and where a fresh run keeps what it needs while it runs. */
  readonly folder: string;
  /** Where the addresses and keys are written to. */
  readonly serviceFile: string;
  /** Where the manager's command line finds table, queues and secrets. */
  readonly endpointsFile: string;
  /** Another DynamoDB than the embedded one. */
  readonly dynamoDbEndpoint: string | undefined;
  /** The dev stage as it was synthesised before. @default synthesised anew */
  readonly assembly: string | undefined;
  /** Puts a wire before table, queues and secrets that behaves as AWS does where they do not. */
  readonly awsLike: AwsLikeSettings | undefined;
}

/** Where progress, accesses, events and warnings are shown. */
export interface Screen {
  step(text: string): void;
  line(text: string): void;
  /** Something that the run cannot go on without has ended. */
  lost(text: string): void;
}
