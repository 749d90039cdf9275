import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { Failure } from '#shared/domain/values/failure.ts';
import { noteTableUse } from '#shared/runtime/metrics.ts';

/** Names of errors after which the same call may well succeed: the table is slow or throttles, or the way to it is broken. */
const TRANSIENT = new Set([
  'ProvisionedThroughputExceededException',
  'ThrottlingException',
  'RequestLimitExceeded',
  'InternalServerError',
  'ServiceUnavailable',
  'TransactionInProgressException',
  'TimeoutError',
  'AbortError',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

let client: DynamoDBDocumentClient | undefined;

interface Consumed {
  readonly CapacityUnits?: number;
}

/** The SDK's client of the table, one in a container. It counts what each call consumes. */
export function documents(): DynamoDBDocumentClient {
  if (client) return client;
  client = DynamoDBDocumentClient.from(
    new DynamoDBClient({
      maxAttempts: 3,
      requestHandler: { connectionTimeout: 2000, requestTimeout: 4000, throwOnRequestTimeout: true },
    }),
    { marshallOptions: { removeUndefinedValues: true } },
  );
  client.middlewareStack.add(
    (next) => async (args) => {
      (args.input as { ReturnConsumedCapacity?: string }).ReturnConsumedCapacity = 'TOTAL';
      const result = await next(args).catch((error: unknown) => {
        // An answer that refuses does not say what it took.
        if ((error as { $metadata?: object }).$metadata) noteTableUse(0);
        throw error;
      });
      const consumed = (result.output as { ConsumedCapacity?: Consumed | Consumed[] }).ConsumedCapacity ?? [];
      noteTableUse([consumed].flat().reduce((sum, { CapacityUnits }) => sum + (CapacityUnits ?? 0), 0));
      return result;
    },
    { step: 'initialize', name: 'noteTableUse' },
  );
  return client;
}

/** The answer to a request. Throws `servico_indisponivel` where the same request may well succeed later. */
export async function mapTransient<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    const { name, code } = error as { name?: string; code?: string };
    if (TRANSIENT.has(name ?? '') || TRANSIENT.has(code ?? ''))
      throw new Failure('servico_indisponivel', { cause: error });
    throw error;
  }
}
