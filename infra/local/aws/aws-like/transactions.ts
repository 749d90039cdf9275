/**
 * DynamoDB's isolation (Developer Guide, Transactions, "Transaction conflict handling"). While a TransactWriteItems
 * runs, another transaction that names one of its rows, even in a condition check, is cancelled with the reason
 * TransactionConflict at that row. A single write of such a row gets TransactionConflictException, which the SDK does
 * not retry. Reads are not affected.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { type AwsAnswer, errorOf } from './request.ts';
import type { Row } from './rows.ts';
import { type AwsLikeSettings, draw } from './settings.ts';

const ONGOING = 'Transaction is ongoing for the item';

interface Outcome {
  readonly answer: AwsAnswer;
  readonly refused?: 'conflict' | 'in progress';
}

export function transactionsUnderWay(settings: () => AwsLikeSettings, random: () => number) {
  const heldRows = new Set<string>();
  /** Client tokens. A token in `done` took effect: the engine itself answers the token's repetition. */
  const running = new Set<string>();
  const done = new Set<string>();

  const holds = ({ id }: Row): boolean => heldRows.has(id);

  function conflict(rows: readonly Row[]): AwsAnswer | undefined {
    if (!rows.some((row) => holds(row))) return undefined;
    const codes = rows.map((row) => (holds(row) ? 'TransactionConflict' : 'None'));
    return errorOf('dynamodb', 'TransactionCanceledException', {
      message: `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes.join(', ')}]`,
      CancellationReasons: codes.map((Code) => (Code === 'None' ? { Code } : { Code, Message: ONGOING })),
    });
  }

  /**
   * Answers a repeated token as AWS does: refuses it while the first transaction runs, so that the SDK retries, and
   * confirms it after the transaction took effect.
   */
  async function run(
    rows: readonly Row[],
    token: string | undefined,
    whileHeld: () => Promise<void>,
    execute: () => Promise<AwsAnswer>,
  ): Promise<Outcome> {
    if (token !== undefined && done.has(token)) return { answer: await execute() };
    if (token !== undefined && running.has(token)) {
      return { answer: errorOf('dynamodb', 'TransactionInProgressException'), refused: 'in progress' };
    }
    const refusal = conflict(rows);
    if (refusal) return { answer: refusal, refused: 'conflict' };

    const half = draw(settings().transactionHold, random) / 2;
    for (const { id } of rows) heldRows.add(id);
    if (token !== undefined) running.add(token);
    try {
      await whileHeld();
      await wait(half);
      const answer = await execute();
      if (answer.status === 200) {
        if (token !== undefined) done.add(token);
        await wait(half);
      }
      return { answer };
    } finally {
      for (const { id } of rows) heldRows.delete(id);
      if (token !== undefined) running.delete(token);
    }
  }

  return { holds, run };
}

export const singleWriteConflict = (): AwsAnswer =>
  errorOf('dynamodb', 'TransactionConflictException', { message: ONGOING });
