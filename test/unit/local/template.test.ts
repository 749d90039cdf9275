import { expect, it } from 'vitest';
import { functionName } from '../../../infra/local/blueprint.ts';
import { Template, type TemplateResource } from '../../../infra/local/template.ts';

const QUEUES = 'http://127.0.0.1:9324';
const SECRET = 'arn:aws:secretsmanager:sa-east-1:000000000000:secret:service/keys-local0';
const ARN = 'arn:aws:lambda:sa-east-1:000000000000:function:work';

/** A text for Fn::Sub: `<name>` stands for a placeholder. */
function sub(text: string, own?: object) {
  const placeholders = text.replaceAll(/<(.+?)>/g, '$${$1}');
  return { 'Fn::Sub': own ? [placeholders, own] : placeholders };
}

/** A template of two stacks; the resolved properties of the one `Probe` in the second are read back. */
function resolved(value: unknown): unknown {
  const data: Record<string, TemplateResource> = {
    Table: { Type: 'AWS::DynamoDB::GlobalTable', Properties: { TableName: 'rows' } },
    Keys: { Type: 'AWS::SecretsManager::Secret', Properties: { Name: 'service/keys' } },
  };
  const service: Record<string, TemplateResource> = {
    Probe: { Type: 'Probe', Properties: { value } },
    Queue: { Type: 'AWS::SQS::Queue', Properties: { QueueName: { 'Fn::Join': ['-', ['deliveries', 'dev']] } } },
    Work: { Type: 'AWS::Lambda::Function', Properties: { FunctionName: 'work' } },
    Version: { Type: 'AWS::Lambda::Version', Properties: { FunctionName: { Ref: 'Work' } } },
    Live: { Type: 'AWS::Lambda::Alias', Properties: { FunctionName: { Ref: 'Work' }, Name: 'live' } },
    Api: { Type: 'AWS::ApiGateway::RestApi' },
  };
  const exported = (Name: string, Value: unknown) => ({ Value, Export: { Name } });
  const Outputs = {
    One: exported('data:table', { Ref: 'Table' }),
    Two: exported('data:table-arn', { 'Fn::GetAtt': ['Table', 'Arn'] }),
    Three: exported('data:keys', { Ref: 'Keys' }),
  };
  const stacks = [
    { name: 'data', assets: new Map(), template: { Resources: data, Outputs } },
    { name: 'service', assets: new Map(), template: { Resources: service } },
  ];
  const template = new Template(stacks, QUEUES);
  return template.ofType('Probe')[0]!.properties['value'];
}

it.each([
  ['plain values', { a: [1, 'x', true, null] }, { a: [1, 'x', true, null] }],
  ['a queue by its URL', { Ref: 'Queue' }, `${QUEUES}/000000000000/deliveries-dev`],
  ['a queue by its ARN', { 'Fn::GetAtt': ['Queue', 'Arn'] }, 'arn:aws:sqs:sa-east-1:000000000000:deliveries-dev'],
  ['a queue by its name', { 'Fn::GetAtt': 'Queue.QueueName' }, 'deliveries-dev'],
  ['a function by its name', { Ref: 'Work' }, 'work'],
  ['an alias by its ARN', { Ref: 'Live' }, `${ARN}:live`],
  ['the number of a version', { 'Fn::GetAtt': ['Version', 'Version'] }, '1'],
  ['the root of an API', { 'Fn::GetAtt': ['Api', 'RootResourceId'] }, 'Api.root'],
  ['pseudo parameters', sub('<AWS::Partition>/<AWS::Region>/<AWS::AccountId>'), 'aws/sa-east-1/000000000000'],
  ['a substitution', sub('<Queue.Arn>|<Work>'), 'arn:aws:sqs:sa-east-1:000000000000:deliveries-dev|work'],
  ['one of its own', sub('<own>|<!kept>', { own: { Ref: 'Queue' } }), `${QUEUES}/000000000000/deliveries-dev|\${kept}`],
  ['what another stack exports', { 'Fn::ImportValue': 'data:table' }, 'rows'],
  ['an exported ARN', { 'Fn::ImportValue': 'data:table-arn' }, 'arn:aws:dynamodb:sa-east-1:000000000000:table/rows'],
  ['an exported secret', { 'Fn::ImportValue': 'data:keys' }, SECRET],
  ['a join of parts', { 'Fn::Join': ['/', ['a', { Ref: 'Work' }, { Ref: 'AWS::StackName' }]] }, 'a/work/service'],
  ['a part of a split', { 'Fn::Select': [6, { 'Fn::Split': [':', { Ref: 'Live' }] }] }, 'work'],
])('resolves %s', (_, value, expected) => {
  expect(resolved(value)).toEqual(expected);
});

it.each([
  ['an unknown function', { 'Fn::Cidr': ['10.0.0.0/8', 2, 3] }, 'Fn::Cidr'],
  ['a missing resource', { Ref: 'Nothing' }, 'Nothing'],
  ['a missing export', { 'Fn::ImportValue': 'data:nothing' }, 'data:nothing'],
])('names %s', (_, value, name) => {
  expect(() => resolved(value)).toThrow(name);
});

it.each([
  ...['work', 'work:live', ARN, `${ARN}:live`],
  `arn:aws:apigateway:sa-east-1:lambda:path/2015-03-31/functions/${ARN}:live/invocations`,
])('finds the function behind %s', (reference) => {
  expect(functionName(reference)).toBe('work');
});
