import type { Item } from './client.ts';
import type { RowKey } from './keys.ts';

interface Change {
  /** An undefined value is left out: the attribute stays as it is. */
  readonly set: Item;
  readonly remove?: readonly string[];
  /** The condition may use `#name` for each attribute that is set. */
  readonly condition: string;
  /** An undefined value is left out. */
  readonly values?: Item;
}

export function updateOf(Key: RowKey, { set, remove = [], condition, values }: Change) {
  const assigned = Object.entries(set).filter(([, value]) => value !== undefined);
  const assignments = assigned.map(([name]) => `#${name} = :new_${name}`);
  const removal = remove.length === 0 ? '' : ` REMOVE ${remove.join(', ')}`;
  return {
    Key,
    UpdateExpression: `SET ${assignments.join(', ')}${removal}`,
    ConditionExpression: condition,
    ExpressionAttributeNames: Object.fromEntries(assigned.map(([name]) => [`#${name}`, name])),
    ExpressionAttributeValues: {
      ...values,
      ...Object.fromEntries(assigned.map(([name, value]) => [`:new_${name}`, value])),
    },
  };
}
