import { tableClient } from '../../shared/table/client.ts';

/**
 * Lets each count of the table give a page of so many rows (a limit holds), behind which there is another, until `end`.
 * `pages` says how many were asked for; one that asks for more than a hundred fails.
 */
export function countForEver(rows: number): { readonly pages: () => number; end(): void } {
  let pages = 0;
  const { middlewareStack } = tableClient();
  middlewareStack.add(
    (next) => async (args) => {
      const { Select, Limit = rows } = args.input as { Select?: string; Limit?: number };
      if (Select !== 'COUNT') return next(args);
      pages += 1;
      if (pages > 100) throw new Error('it counts for ever');
      const output = { $metadata: {}, Count: Math.min(rows, Limit), LastEvaluatedKey: { pk: String(pages) } };
      return { response: {}, output };
    },
    { step: 'initialize', name: 'countForEver', override: true },
  );
  return { pages: () => pages, end: () => void middlewareStack.remove('countForEver') };
}
