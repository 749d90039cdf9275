import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

interface Units {
  /** Round trips, each by its operation. */
  calls: string[];
  read: number;
  write: number;
}

interface Consumed {
  readonly CapacityUnits?: number;
  readonly ReadCapacityUnits?: number;
  readonly WriteCapacityUnits?: number;
}

const READS = ['Get', 'BatchGet', 'Query', 'Scan', 'TransactGet'];

/**
 * Counts the table's round trips and the capacity that its answers report, including indexes and the second write of a
 * transaction.
 */
export function countUnits(client: DynamoDBDocumentClient): { readonly units: Units; reset(): void } {
  const units: Units = { calls: [], read: 0, write: 0 };
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const name = String(context.commandName).replace(/(Item|Items)?(Command)?$/, '');
      (args.input as { ReturnConsumedCapacity?: string }).ReturnConsumedCapacity = 'TOTAL';
      units.calls.push(name);
      const result = await next(args);
      const output = result.output as { ConsumedCapacity?: Consumed | Consumed[] };
      for (const consumed of [output.ConsumedCapacity ?? []].flat()) {
        const amount = consumed.CapacityUnits ?? (consumed.ReadCapacityUnits ?? 0) + (consumed.WriteCapacityUnits ?? 0);
        if (READS.some((read) => name.startsWith(read))) units.read += amount;
        else units.write += amount;
      }
      return result;
    },
    { step: 'initialize', name: 'countUnits', override: true },
  );
  return {
    units,
    reset: () => {
      units.calls = [];
      units.read = 0;
      units.write = 0;
    },
  };
}
