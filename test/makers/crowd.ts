import { tableClient } from '../../shared/table/client.ts';

/**
 * Lets this process wait for the table as long as an invocation lasts. On AWS each of 200 callers at once has a container
 * and connections of its own; here they queue in one process before one engine, and the time-out of a hung request would
 * end calls that only wait for their turn.
 */
export function standForManyContainers(): void {
  const { requestHandler } = tableClient().config;
  (requestHandler as { updateHttpClientConfig?(key: string, value: number): void }).updateHttpClientConfig?.(
    'requestTimeout',
    28_000,
  );
}
