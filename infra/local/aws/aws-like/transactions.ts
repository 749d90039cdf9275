/**
 * DynamoDB's isolation (Developer Guide, Transactions, "Transaction conflict handling"): while a TransactWriteItems is
 * under way, another that names one of its rows (a condition check too) is cancelled with the reason TransactionConflict
 * at that row; a single write of such a row is refused with TransactionConflictException, which the SDK does not repeat.
 * Reads go through.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { type AwsAnswer, errorOf } from './request.ts';
import type { Row } from './rows.ts';
import { type AwsLikeSettings, draw } from './settings.ts';

const ONGOING = 'Transaction is ongoing for the item';

/** What came of a transaction, and why it was not executed. */
interface Outcome {
  readonly answer: AwsAnswer;
  readonly refused?: 'conflict' | 'in progress';
}

/** Transactions under way. */
export function transactionsUnderWay(settings: () => AwsLikeSettings, random: () => number) {
  const heldRows = new Set<string>();
  /** Client tokens of those under way, and of those that took effect: the engine answers these again. */
  const running = new Set<string>();
  const done = new Set<string>();

  const holds = ({ id }: Row): boolean => heldRows.has(id);

  /** The refusal of a transaction that names held rows; undefined where it names none. */
  function conflict(rows: readonly Row[]): AwsAnswer | undefined {
    if (!rows.some((row) => holds(row))) return undefined;
    const codes = rows.map((row) => (holds(row) ? 'TransactionConflict' : 'None'));
    return errorOf('dynamodb', 'TransactionCanceledException', {
      message: `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes.join(', ')}]`,
      CancellationReasons: codes.map((Code) => (Code === 'None' ? { Code } : { Code, Message: ONGOING })),
    });
  }

  /**
   * Runs a transaction, its rows held. `held` is awaited once they are. The same token again is answered as AWS does:
   * refused while the first is under way, which the SDK repeats, and confirmed once it took effect.
   */
  async function run(
    rows: readonly Row[],
    token: string | undefined,
    held: () => Promise<void>,
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
      await held();
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

/** The refusal of a single write beside a transaction. */
export const singleWriteConflict = (): AwsAnswer =>
  errorOf('dynamodb', 'TransactionConflictException', { message: ONGOING });
