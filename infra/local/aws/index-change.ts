import type {
  CreateTableCommandInput,
  GlobalSecondaryIndex,
  GlobalSecondaryIndexDescription,
  KeySchemaElement,
  Projection,
  TableDescription,
} from '@aws-sdk/client-dynamodb';
import { StartError } from '../listen.ts';

export type IndexChange = { readonly create: GlobalSecondaryIndex } | { readonly remove: string };

export const REFUSALS = {
  index:
    "Cannot update GSI's properties other than Provisioned Throughput and Contributor Insights Specification. You can create a new GSI with a different name.",
  many: 'Cannot perform more than one GSI creation or deletion in a single update',
  table: (name: string) =>
    `CloudFormation cannot update a stack when a custom-named resource requires replacing. Rename ${name} and update the stack again.`,
} as const;

/**
 * Returns the change of indexes that a deployment would make, undefined if there is none. Throws a StartError with
 * CloudFormation's words if AWS would refuse the change: another key of the table, another key or projection of an
 * index, or more than one index that is new or missing.
 */
export function indexChange(kept: TableDescription, wanted: CreateTableCommandInput): IndexChange | undefined {
  const { TableName = '' } = wanted;
  if (keyOf(kept.KeySchema) !== keyOf(wanted.KeySchema)) throw refuse(TableName, REFUSALS.table(TableName));
  const before = new Map((kept.GlobalSecondaryIndexes ?? []).map((index) => [index.IndexName, index]));
  const after = new Map((wanted.GlobalSecondaryIndexes ?? []).map((index) => [index.IndexName, index]));
  const changes: IndexChange[] = [];
  for (const [name, index] of after) {
    const earlier = before.get(name);
    if (earlier === undefined) changes.push({ create: index });
    else if (definitionOf(earlier) !== definitionOf(index)) throw refuse(`${TableName}/${name}`, REFUSALS.index);
  }
  for (const name of before.keys()) if (name !== undefined && !after.has(name)) changes.push({ remove: name });
  if (changes.length > 1) throw refuse(TableName, REFUSALS.many);
  return changes[0];
}

const refuse = (what: string, words: string): StartError =>
  new StartError(
    `the table kept from an earlier run cannot become the template's, and AWS would refuse this deployment (${what}): ${words} To begin without the kept data, remove .local or start with --fresh.`,
  );

const keyOf = (schema: readonly KeySchemaElement[] = []): string =>
  schema
    .map(({ AttributeName, KeyType }) => `${KeyType} ${AttributeName}`)
    .sort()
    .join();

/** The order of projected attributes has no meaning. */
const projectionOf = ({ ProjectionType, NonKeyAttributes = [] }: Projection = {}): string =>
  `${ProjectionType} ${NonKeyAttributes.toSorted().join()}`;

const definitionOf = ({
  KeySchema,
  Projection,
}: Pick<GlobalSecondaryIndexDescription, 'KeySchema' | 'Projection'>): string =>
  `${keyOf(KeySchema)}; ${projectionOf(Projection)}`;
