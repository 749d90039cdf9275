import { tableClient } from '#shared/table/rows/client.ts';

const NAME = 'pagesOfOne';

/**
 * Runs `work` while each page of a query or a scan has one row at most, so that a few rows are a long list. A read that
 * asks for one page sees only its first row.
 */
export async function withPagesOfOne<T>(work: () => Promise<T>): Promise<T> {
  const { middlewareStack } = tableClient();
  middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        const isList = commandName === 'QueryCommand' || commandName === 'ScanCommand';
        return next(isList ? { ...args, input: { ...args.input, Limit: 1 } } : args);
      },
    { step: 'initialize', name: NAME, override: true },
  );
  try {
    return await work();
  } finally {
    middlewareStack.remove(NAME);
  }
}
