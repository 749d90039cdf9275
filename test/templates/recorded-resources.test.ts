import { describe, expect, it } from 'vitest';
import { everythingOn, type Synthesised } from '../makers/synthesised.ts';
import { faultsOfDeployment, lossesInStacks, type RecordedStacks, recordStacks } from '../record/resources.ts';

const today = recordStacks(everythingOn());

type Change = (templates: Record<'data' | 'service' | 'administration' | 'watch', Template>) => void;
interface Template {
  readonly Resources: Record<string, { Type: string; Properties: Record<string, unknown>; DeletionPolicy?: string }>;
  readonly Outputs: Record<string, { Export?: { Name: string } }>;
}
/** Returns the record of these templates after a change. */
function changed(change: Change): RecordedStacks {
  const all = everythingOn();
  const json = (name: 'data' | 'service' | 'administration' | 'watch'): Template =>
    structuredClone(all[name].toJSON()) as Template;
  const templates = {
    data: json('data'),
    service: json('service'),
    administration: json('administration'),
    watch: json('watch'),
  };
  change(templates);
  const stage = Object.fromEntries(
    Object.entries(templates).map(([name, template]) => [name, { toJSON: () => template }]),
  );
  return recordStacks(stage as unknown as Synthesised);
}
const first = ({ Resources }: Template, type: string) =>
  Object.entries(Resources).find(([, { Type }]) => Type === type)!;
const TABLE = 'TableCD117FA1';

interface Index {
  readonly IndexName: string;
  readonly Projection: { readonly NonKeyAttributes: string[] };
}
const indexesIn = ({ Resources }: Template) => Resources[TABLE]!.Properties['GlobalSecondaryIndexes'] as Index[];

describe('lossesInStacks', () => {
  const CHANGES: Readonly<Record<string, readonly [Change, RegExp]>> = {
    'another projection of an index': [
      ({ data }) => {
        indexesIn(data)[0]!.Projection.NonKeyAttributes.push('another');
      },
      /the index byList has another key or projection, which AWS refuses: add an index with a new name$/,
    ],
    'another sort key of the table': [
      ({ data }) => {
        data.Resources[TABLE]!.Properties['KeySchema'] = [{ AttributeName: 'pk', KeyType: 'HASH' }];
      },
      /TableCD117FA1 .* KeySchema was .*: AWS would replace it, or refuse the change$/,
    ],
    'another type of a key': [
      ({ data }) => {
        const [first] = data.Resources[TABLE]!.Properties['AttributeDefinitions'] as { AttributeType: string }[];
        first!.AttributeType = 'B';
      },
      /TableCD117FA1 .* KeySchema was .*: AWS would replace it, or refuse the change$/,
    ],
    'another logical id of the table': [
      ({ data }) => {
        data.Resources['Rows'] = data.Resources[TABLE]!;
        delete data.Resources[TABLE];
      },
      /TableCD117FA1 .* is now Rows: AWS makes the new one first, and its name is in use$/,
    ],
    'a table that is no longer retained': [
      ({ data }) => {
        data.Resources[TABLE]!.DeletionPolicy = 'Delete';
      },
      /its deletion policy was Retain, and is now Delete$/,
    ],
    'a renamed log group': [
      ({ service }) => {
        first(service, 'AWS::Logs::LogGroup')[1].Properties['LogGroupName'] = '/partner-credit/renamed';
      },
      /^service stack: .* \(AWS::Logs::LogGroup\): LogGroupName was .* and is now "\/partner-credit\/renamed": AWS would replace it/,
    ],
    'a renamed secret': [
      ({ data }) => {
        first(data, 'AWS::SecretsManager::Secret')[1].Properties['Name'] = 'another';
      },
      /\(AWS::SecretsManager::Secret\): Name was .* and is now "another"/,
    ],
    'a secret with a value': [
      ({ data }) => {
        first(data, 'AWS::SecretsManager::Secret')[1].Properties['GenerateSecretString'] = {};
      },
      /\(AWS::SecretsManager::Secret\): GenerateSecretString was undefined, and is now {}/,
    ],
    'user names that are case-sensitive': [
      ({ administration }) => {
        first(administration, 'AWS::Cognito::UserPool')[1].Properties['UsernameConfiguration'] = {
          CaseSensitive: true,
        };
      },
      /\(AWS::Cognito::UserPool\): UsernameConfiguration was {"CaseSensitive":false}, and is now {"CaseSensitive":true}/,
    ],
    'a new API in place of the partners’': [
      ({ service }) => {
        const [id, resource] = first(service, 'AWS::ApiGateway::RestApi');
        service.Resources['Another'] = resource;
        delete service.Resources[id];
      },
      /\(AWS::ApiGateway::RestApi\) was removed or has another logical id: AWS would make a new one$/,
    ],
    'a key for several regions': [
      ({ data }) => {
        first(data, 'AWS::KMS::Key')[1].Properties['MultiRegion'] = true;
      },
      /\(AWS::KMS::Key\): MultiRegion was undefined, and is now true/,
    ],
    'an export that is gone': [
      ({ data }) => {
        delete data.Outputs[Object.keys(data.Outputs)[0]!];
      },
      /^data stack: the output .* was removed$/,
    ],
    'a function under another logical id': [
      ({ service }) => {
        const [id, resource] = first(service, 'AWS::Lambda::Function');
        service.Resources['Another'] = resource;
        delete service.Resources[id];
      },
      /\(AWS::Lambda::Function\) is now Another: AWS makes the new one first, and its name is in use$/,
    ],
  };

  it.each(Object.entries(CHANGES))('it refuses %s', (_, [change, sentence]) => {
    const [found, ...others] = lossesInStacks(today, changed(change));
    expect(found).toMatch(sentence);
    expect(others).toEqual([]);
  });

  it('it lets a function go, and takes a new resource and one new index', () => {
    const after = changed(({ data, service }) => {
      delete service.Resources[first(service, 'AWS::Lambda::Function')[0]];
      service.Resources['New'] = { Type: 'AWS::SQS::Queue', Properties: { QueueName: 'new' } };
      indexesIn(data).push({ ...indexesIn(data)[0]!, IndexName: 'byMonth' });
    });
    expect(lossesInStacks(today, after)).toEqual([]);
    expect(faultsOfDeployment(today, after)).toEqual([]);
  });
});

describe('faultsOfDeployment', () => {
  it('it refuses two new indexes', () => {
    const after = changed(({ data }) => {
      const indexes = indexesIn(data);
      indexes.push({ ...indexes[0]!, IndexName: 'byMonth' }, { ...indexes[0]!, IndexName: 'byYear' });
    });
    expect(faultsOfDeployment(today, after)).toEqual([
      `${TABLE}: byMonth and byYear change at once, and AWS changes one index in a deployment`,
    ]);
  });

  it('it refuses the removal of an index that the last release reads, and of no other', () => {
    const without = changed(({ data }) => void indexesIn(data).pop());
    expect(faultsOfDeployment(today, without)).toEqual([
      `${TABLE}: the index byDue is gone, and the last release reads it: first release code that does not`,
    ]);
    const unread = changed(({ data }) => {
      indexesIn(data).push({ ...indexesIn(data)[0]!, IndexName: 'byMonth' });
    });
    expect(faultsOfDeployment(unread, today)).toEqual([]);
  });
});
