import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { indexChange, REFUSALS } from '#infra/local/aws/index-change.ts';

type Index = NonNullable<CreateTableCommandInput['GlobalSecondaryIndexes']>[number];

const index = (name: string, changes: Partial<Index> = {}): Index => ({
  IndexName: name,
  KeySchema: [
    { AttributeName: `${name}Pk`, KeyType: 'HASH' },
    { AttributeName: `${name}Sk`, KeyType: 'RANGE' },
  ],
  Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['state', 'bank'] },
  ...changes,
});

const table = (indexes: Index[], partitionKey = 'pk'): CreateTableCommandInput => ({
  TableName: 'credit',
  AttributeDefinitions: [],
  KeySchema: [{ AttributeName: partitionKey, KeyType: 'HASH' }],
  GlobalSecondaryIndexes: indexes,
});

const kept = table([index('byList'), index('byDue')]);

it('indexChange returns nothing if only the order of indexes and projected attributes differs', () => {
  const reordered = index('byDue', { Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['bank', 'state'] } });
  expect(indexChange(kept, table([reordered, index('byList')]))).toBeUndefined();
  expect(indexChange(table([]), { ...table([]), GlobalSecondaryIndexes: undefined })).toBeUndefined();
});

it('indexChange returns the one index that a template adds', () => {
  const added = index('byBank');
  expect(indexChange(kept, table([index('byList'), index('byDue'), added]))).toEqual({ create: added });
});

it('indexChange returns the one index that a template leaves out', () => {
  expect(indexChange(kept, table([index('byDue')]))).toEqual({ remove: 'byList' });
});

const key = [{ AttributeName: 'other', KeyType: 'HASH' }] as const;
it.each<[string, Index]>([
  [
    'one more projected attribute',
    index('byDue', { Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['state', 'bank', 'id'] } }),
  ],
  [
    'one projected attribute less',
    index('byDue', { Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['state'] } }),
  ],
  ['all attributes projected', index('byDue', { Projection: { ProjectionType: 'ALL' } })],
  ['another key under the same name', index('byDue', { KeySchema: [...key] })],
])('indexChange refuses an index that exists with %s, in the words of CloudFormation', (_, changed) => {
  const change = () => indexChange(kept, table([index('byList'), changed]));
  expect(change).toThrow(`(credit/byDue): ${REFUSALS.index}`);
});

it.each<[string, Index[]]>([
  ['adds two indexes', [index('byList'), index('byDue'), index('byBank'), index('byUnit')]],
  ['removes two indexes', []],
  ['renames an index', [index('byList'), index('byDueDate')]],
])('indexChange refuses a template that %s, in the words of CloudFormation', (_, indexes) => {
  expect(() => indexChange(kept, table(indexes))).toThrow(`(credit): ${REFUSALS.many}`);
});

it('indexChange refuses another key of the table, which has a name of its own', () => {
  const change = () => indexChange(kept, table([index('byList'), index('byDue')], 'id'));
  expect(change).toThrow('requires replacing. Rename credit and update the stack again.');
});
