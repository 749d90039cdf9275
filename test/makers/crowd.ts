import { tableClient } from '#shared/table/rows/client.ts';
import { setDefaultTimeLeft } from './call.ts';

/** Far longer than the slowest machine takes for 200 calls in one process, in milliseconds. */
const PATIENCE = 150_000;

interface Adjustable {
  updateHttpClientConfig(key: 'connectionTimeout' | 'requestTimeout', value: number): void;
}

/**
 * Makes the time limits of calls so long that they end no call. On AWS each of 200 simultaneous callers has a
 * container, a processor and connections of its own. Here they queue in one process before one engine, and limits made
 * for a hanging peer would end calls that only wait for their turn.
 */
export function extendTimeLimits(): void {
  const handler = tableClient().config.requestHandler as unknown as Adjustable;
  handler.updateHttpClientConfig('connectionTimeout', PATIENCE);
  handler.updateHttpClientConfig('requestTimeout', PATIENCE);
  setDefaultTimeLeft(PATIENCE);
}
