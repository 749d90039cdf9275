import { DynamoDBClient, DynamoDBServiceException } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { Failure } from '#shared/domain/values/failure.ts';
import { seconds } from '#shared/domain/values/time.ts';
import { noteTableUse } from '#shared/runtime/metrics.ts';

/** The table is slow or throttles, or the connection to it is broken. */
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

export function documents(): DynamoDBDocumentClient {
  if (client) return client;
  client = DynamoDBDocumentClient.from(
    new DynamoDBClient({
      maxAttempts: 3,
      requestHandler: { connectionTimeout: seconds(2), requestTimeout: seconds(4), throwOnRequestTimeout: true },
    }),
    { marshallOptions: { removeUndefinedValues: true } },
  );
  client.middlewareStack.add(
    (next) => async (args) => {
      Object.assign(args.input, { ReturnConsumedCapacity: 'TOTAL' });
      const result = await next(args).catch((error: unknown) => {
        // A refusal does not say how much capacity it consumed.
        if (error instanceof DynamoDBServiceException) noteTableUse(0);
        throw error;
      });
      const consumed = 'ConsumedCapacity' in result.output ? [result.output.ConsumedCapacity ?? []].flat() : [];
      noteTableUse(consumed.reduce((sum, use) => sum + ('CapacityUnits' in use ? (use.CapacityUnits ?? 0) : 0), 0));
      return result;
    },
    { step: 'initialize', name: 'noteTableUse' },
  );
  return client;
}

/** Throws `servico_indisponivel` if the same request may well succeed later. */
export async function mapTransient<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (isTransient(error)) throw new Failure('servico_indisponivel', { cause: error });
    throw error;
  }
}

/** Node's connection errors have their kind in `code`, the SDK's errors in `name`. */
function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return TRANSIENT.has(error.name) || ('code' in error && TRANSIENT.has(String(error.code)));
}
