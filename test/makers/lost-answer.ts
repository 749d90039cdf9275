import { tableClient } from '../../shared/table/client.ts';

/**
 * Loses the answer to the next write of the table whose text matches, below the SDK's repetition: the engine has done
 * what was asked, the SDK hears that the connection was cut, and repeats it. Gives how many answers were lost.
 */
export async function losingAnswer<T>(matches: RegExp, run: () => Promise<T>): Promise<{ result: T; lost: number }> {
  const { middlewareStack } = tableClient();
  let lost = 0;
  middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const answer = await next(args);
        if (/^(Get|BatchGet|Query)/.test(String(commandName))) return answer;
        const { body } = args.request as { body?: string };
        if (lost > 0 || !matches.test(String(body))) return answer;
        lost += 1;
        throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
      },
    { step: 'finalizeRequest', priority: 'low', name: 'lostAnswer' },
  );
  try {
    return { result: await run(), lost };
  } finally {
    middlewareStack.remove('lostAnswer');
  }
}
