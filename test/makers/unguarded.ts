import { tableClient } from '../../shared/table/client.ts';

/** One conditional write, on its own or as a transaction's part. */
export interface GuardedWrite {
  readonly kind: 'Put' | 'Update';
  /** Partition key of the row. */
  readonly pk: string;
  readonly condition: string;
}

interface WriteInput {
  ConditionExpression?: string;
  readonly Item?: { readonly pk?: unknown };
  readonly Key?: { readonly pk?: unknown };
}

/** Always true, and it still uses the names and values of the condition: an unused value would be an error of its own. */
const always = (condition: string) => `(${condition}) OR attribute_exists(pk) OR attribute_not_exists(pk)`;

function pkOf(input: WriteInput): string {
  const pk = (input.Item ?? input.Key)?.pk;
  return typeof pk === 'string' ? pk : String((pk as { S?: string } | undefined)?.S);
}

/** Runs something while the table's client sends the chosen writes without their condition. */
export async function unguarded<T>(chosen: (write: GuardedWrite) => boolean, run: () => Promise<T>): Promise<T> {
  const stripped = <I extends WriteInput>(kind: GuardedWrite['kind'], input: I): I => {
    const condition = input.ConditionExpression;
    if (condition === undefined || !chosen({ kind, pk: pkOf(input), condition })) return input;
    return { ...input, ConditionExpression: always(condition) };
  };
  const stack = tableClient().middlewareStack;
  stack.add(
    (next, context) => (args) => {
      const input = args.input as WriteInput & { TransactItems?: Record<GuardedWrite['kind'], WriteInput>[] };
      const name = String(context.commandName);
      const changed = input.TransactItems
        ? {
            ...input,
            TransactItems: input.TransactItems.map((item) =>
              Object.fromEntries(
                Object.entries(item).map(([kind, part]) => [kind, stripped(kind as GuardedWrite['kind'], part)]),
              ),
            ),
          }
        : name.startsWith('Put')
          ? stripped('Put', input)
          : name.startsWith('Update')
            ? stripped('Update', input)
            : input;
      return next({ ...args, input: changed as typeof args.input });
    },
    { step: 'initialize', name: 'unguarded', override: true },
  );
  try {
    return await run();
  } finally {
    stack.remove('unguarded');
  }
}
