import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { administrationFunction } from '#infra/functions.ts';
import { allowed } from '#infra/local/aws/iam.ts';
import { blueprintOf } from '#infra/local/blueprint.ts';
import { ACCOUNT, REGION, readAssembly, Template } from '#infra/local/template.ts';
import { runbookText } from '#infra/runbook.ts';
import { STAGE_NAMES, stageValues } from '#infra/stages.ts';
import { DUTIES } from '#shared/administration/operation.ts';
import { ADMINISTRATION_OPERATIONS } from '#shared/administration/operations.ts';
import { everythingOn, propertiesOf, Synthesised, variables } from '../makers/synthesised.ts';

const { administration, duties } = blueprintOf(new Template(readAssembly(inject('assembly')), 'http://127.0.0.1:9'));
const prod = Synthesised.of('prod').administration;
const PROD = stageValues('prod', {});
const only = (type: string, of = prod): Record<string, unknown> => {
  const found = propertiesOf(of, type);
  expect(found).toHaveLength(1);
  return found[0]!;
};

/** The duties that people have. */
const PEOPLES = DUTIES.filter((duty) => duty !== 'operator');

/** Returns the IAM request of a call. */
const invocation = (method: string, path: string) => ({
  action: 'execute-api:Invoke',
  resource: `arn:aws:execute-api:${REGION}:${ACCOUNT}:${administration.id}/${administration.stage}/${method}${path}`,
});
/** Returns a path with ids in it. No id is a word of another route. */
const called = (path: string) =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => (name === 'event_id' ? 'evt_A' : '71'));

it.each(['find', 'export', 'correct', 'erase', 'withdraw-consent', 'apply-ledger'])(
  'only the duty privacy may call POST /v1/leads/%s',
  (name) => {
    const call = invocation('POST', `/v1/leads/${name}`);
    expect(DUTIES.filter((duty) => allowed(duties[duty]!, call))).toEqual(['privacy']);
  },
);

describe.each(DUTIES)('the duty %s', (duty) => {
  it.each(ADMINISTRATION_OPERATIONS.map((route) => [route.operation, route] as const))(
    'a duty may call %s exactly if the operation’s row names the duty',
    (_, { method, path, duties: named }) => {
      if (!path.includes('{operation}'))
        expect(allowed(duties[duty]!, invocation(method, called(path)))).toBe(named.includes(duty));
      // Only duties that may do the requested operation may approve it.
      else
        for (const { operation, duties: deciders } of ADMINISTRATION_OPERATIONS.filter(({ approval }) => approval)) {
          const decision = invocation(method, called(path.replace('{operation}', operation)));
          expect(allowed(duties[duty]!, decision), operation).toBe(deciders.includes(duty));
        }
    },
  );

  it('a person’s duty may read the outputs of its own stack, and nothing of other stacks', () => {
    const describes = (stack: string, action = 'DescribeStacks') =>
      allowed(duties[duty]!, {
        action: `cloudformation:${action}`,
        resource: `arn:aws:cloudformation:${REGION}:${ACCOUNT}:stack/${stack}`,
      });
    const own = administration.name;
    // A request names a stack without its id, or with it.
    for (const id of ['*', '5e6c1a10-0000-11f0-8000-0a1b2c3d4e5f'])
      expect(describes(`${own}/${id}`)).toBe(duty !== 'operator');
    for (const stack of [`${own}-2/*`, 'partner-credit-dev-data/*', 'partner-credit-prod-administration/*', '*'])
      expect(describes(stack)).toBe(false);
    for (const action of ['GetTemplate', 'UpdateStack', 'DeleteStack'])
      expect(describes(`${own}/*`, action)).toBe(false);
  });

  it('a duty may call no unknown route, and reach neither table, key, secrets nor queues', () => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      expect(allowed(duties[duty]!, invocation(method, '/v1/anything'))).toBe(false);
      expect(allowed(duties[duty]!, invocation(method, '/'))).toBe(false);
    }
    const actions = duties[duty]!.flatMap(({ Action }) => Action);
    const logs = ['logs:StartQuery', 'logs:Unmask', 'logs:GetQueryResults'];
    expect(actions).toEqual([
      'execute-api:Invoke',
      ...(duty === 'operator' ? [] : ['cloudformation:DescribeStacks']),
      // Logs of partners' calls, and the callers' addresses.
      ...(duty === 'security' ? logs : []),
    ]);
    const [calls, ...others] = duties[duty]!;
    const groups = ['/aws/lambda/partner-credit-dev-*', '/partner-credit-dev/access'].map(
      (group) => `arn:aws:logs:${REGION}:${ACCOUNT}:log-group:${group}:*`,
    );
    const address = others.slice(0, 1);
    expect(others.slice(1).map(({ Resource }) => Resource)).toEqual(
      duty === 'security' ? [groups, groups[1], '*'] : [],
    );
    for (const resource of [calls!.Resource].flat())
      expect(resource).toContain(`:${administration.id}/${administration.stage}/`);
    for (const { Resource } of address)
      expect(Resource).toBe(`arn:aws:cloudformation:${REGION}:${ACCOUNT}:stack/${administration.name}/*`);
  });

  it('the policy of a duty has fewer than 6,144 characters, the limit of IAM', () => {
    expect(JSON.stringify(duties[duty]).length).toBeLessThan(6_144);
  });
});

/** Returns the ARN of a method of prod that anybody may call. */
const methodOf = (path: string) => ({
  'Fn::Join': ['', [`arn:aws:execute-api:${REGION}:`, { Ref: 'AWS::AccountId' }, `:*/prod/${path}`]],
});
const PAGE = ['GET/painel', 'GET/painel/*'].map(methodOf);

describe('AdministrationStack', () => {
  it('every method of the administration except the page’s needs a signature, and leads to its own function', () => {
    const page = ['/painel', '/painel/{file}'].map((path) => {
      return { method: 'GET', path, function: 'partner-credit-dev-administration-panel', signed: false };
    });
    expect(administration.methods.filter(({ signed }) => !signed)).toEqual(page);
    expect(administration.methods).toHaveLength(ADMINISTRATION_OPERATIONS.length + page.length);
    for (const { operation, method, path } of ADMINISTRATION_OPERATIONS) {
      const name = `partner-credit-dev-${administrationFunction(operation)}`;
      expect(administration.methods).toContainEqual({ method, path, function: name, signed: true });
    }
  });

  it('the stack has an output for the policy of each duty, with the name that the README gives it', () => {
    const outputs = Object.keys(Synthesised.of('dev').administration.findOutputs('*'));
    const readme = readFileSync(join(import.meta.dirname, '../../infra/README.md'), 'utf8');
    expect(readme).toContain('the output `Policy<duty>`');
    expect(outputs.filter((name) => name.startsWith('Policy')).sort()).toEqual(
      DUTIES.map((duty) => `Policy${duty}`).sort(),
    );
  });

  it.each(STAGE_NAMES)('the administration’s functions of %s know whether another person must approve', (name) => {
    const functions = propertiesOf(Synthesised.of(name).administration, 'AWS::Lambda::Function').map(variables);
    const told = functions.flatMap(({ OPERATION, APPROVALS }) => (APPROVALS ? [`${OPERATION} ${APPROVALS}`] : []));
    const asking = ADMINISTRATION_OPERATIONS.filter(({ approval }) => approval !== undefined);
    const value = name === 'prod' ? 'required' : 'off';
    expect(told.sort()).toEqual(asking.map(({ operation }) => `${administrationFunction(operation)} ${value}`).sort());
  });

  it('the administration stack can be made if the account is known, as in every deployment', () => {
    const known = Synthesised.with('dev', { account: '111122223333' }).administration;
    expect(JSON.stringify(known.toJSON())).toContain(
      `"arn:aws:cloudformation:${REGION}:111122223333:stack/partner-credit-dev-administration/*"`,
    );
  });

  it('the administration accepts only TLS 1.2 or later with forward secrecy, and no host name but its own', () => {
    expect(only('AWS::ApiGateway::RestApi')).toMatchObject({
      SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09',
      EndpointAccessMode: 'STRICT',
    });
  });

  it('the resource policy denies other accounts and allows only the page, because duties decide', () => {
    const { Statement } = only('AWS::ApiGateway::RestApi')['Policy'] as { Statement: Record<string, unknown>[] };
    expect(Statement).toEqual([
      {
        ...{ Sid: 'OtherAccounts', Effect: 'Deny', Principal: { AWS: '*' } },
        ...{ Action: 'execute-api:Invoke', NotResource: PAGE },
        Condition: { StringNotEquals: { 'aws:PrincipalAccount': [{ Ref: 'AWS::AccountId' }] } },
      },
      {
        ...{ Sid: 'Panel', Effect: 'Allow', Principal: { AWS: '*' } },
        ...{ Action: 'execute-api:Invoke', Resource: PAGE },
      },
    ]);
  });

  it('a stage can allow accounts, VPC endpoints and the operator’s one route, and add a web firewall', () => {
    const ways = { accounts: ['111122223333'], vpcEndpoints: ['vpce-0a1b2c3d'] };
    const pushing = Synthesised.with('prod', {
      operatorPush: { account: '222233334444', throttle: { rate: 3, burst: 6 } },
      administration: { throttle: { rate: 5, burst: 10 }, firewall: { perAddress: 10_000 }, ...ways },
    }).administration;
    const { Statement } = only('AWS::ApiGateway::RestApi', pushing)['Policy'] as {
      Statement: Record<string, unknown>[];
    };
    expect(Statement.map(({ Sid, Effect, Resource, Condition }) => [Sid, Effect, Resource, Condition])).toEqual([
      [
        'OtherAccounts',
        'Deny',
        undefined,
        { StringNotEquals: { 'aws:PrincipalAccount': [{ Ref: 'AWS::AccountId' }, '111122223333', '222233334444'] } },
      ],
      ['Panel', 'Allow', PAGE, undefined],
      [
        'OtherWays',
        'Deny',
        'execute-api:/*',
        { StringNotEquals: { 'aws:SourceVpce': ['vpce-0a1b2c3d'], 'aws:PrincipalAccount': ['222233334444'] } },
      ],
      ['NamedAccounts', 'Allow', 'execute-api:/*', { StringEquals: { 'aws:PrincipalAccount': ['111122223333'] } }],
      [
        'NoOutcomesOfPeople',
        'Deny',
        methodOf('POST/resultados*'),
        { StringEquals: { 'aws:PrincipalAccount': ['111122223333'] } },
      ],
      [
        'Operator',
        'Allow',
        methodOf('POST/resultados'),
        { StringEquals: { 'aws:PrincipalAccount': ['222233334444'] } },
      ],
    ]);
    expect(only('AWS::WAFv2::WebACL', pushing)['Name']).toBe('partner-credit-prod-administration');
    const settings = only('AWS::ApiGateway::Stage', pushing)['MethodSettings'] as Record<string, unknown>[];
    const common = { LoggingLevel: 'ERROR', DataTraceEnabled: false, MetricsEnabled: false };
    const people = { ThrottlingRateLimit: 5, ThrottlingBurstLimit: 10, ...common };
    expect(settings).toEqual([
      { HttpMethod: '*', ResourcePath: '/*', ...people },
      { HttpMethod: 'POST', ResourcePath: '/~1resultados', ThrottlingRateLimit: 3, ThrottlingBurstLimit: 6, ...common },
      // The page has its own throttle, so that unsigned calls take nothing from signed calls.
      { HttpMethod: 'GET', ResourcePath: '/~1painel', ...people },
      { HttpMethod: 'GET', ResourcePath: '/~1painel~1{file}', ...people },
    ]);
  });

  it('people of another account that a stage names may call every route but the operator’s', () => {
    const named = Synthesised.with('prod', { administration: { ...PROD.administration, accounts: ['111122223333'] } });
    const { Statement } = only('AWS::ApiGateway::RestApi', named.administration)['Policy'] as {
      Statement: readonly { Effect: string; Resource?: unknown; Condition?: unknown }[];
    };
    const condition = JSON.stringify({ StringEquals: { 'aws:PrincipalAccount': ['111122223333'] } });
    const own = Statement.filter(({ Condition }) => JSON.stringify(Condition) === condition);
    /** Returns what a statement's resource matches: the end of an ARN, after the stage. */
    const pattern = (resource: unknown) =>
      resource === 'execute-api:/*' ? '*' : JSON.stringify(resource).replace(/^.*\/prod\/(.*?)".*$/, '$1');
    const policy = own.map(({ Effect, Resource }) => ({
      Effect: Effect === 'Deny' ? ('Deny' as const) : ('Allow' as const),
      Action: 'execute-api:Invoke',
      Resource: pattern(Resource),
    }));
    const mayCall = (method: string, path: string) =>
      allowed(policy, { action: 'execute-api:Invoke', resource: `${method}${path}` });
    for (const { operation, method, path } of ADMINISTRATION_OPERATIONS)
      expect(mayCall(method, called(path)), operation).toBe(operation !== 'record-outcomes');
    expect(mayCall('POST', '/resultados/')).toBe(false);
  });

  it('the access log of the administration names the caller and the route, but no address', () => {
    const { Format } = only('AWS::ApiGateway::Stage')['AccessLogSetting'] as { Format: string };
    const person = '$context.identity.cognitoAuthenticationProvider';
    expect(JSON.parse(Format.replace('$context.responseLatency', '12'))).toMatchObject({
      caller: '$context.identity.userArn',
      person,
      route: '$context.resourcePath',
    });
    expect(Format).not.toContain('sourceIp');
  });

  it('IAM names contain the region, so that a stage in another region can have its own', () => {
    const namesIn = ({ data, service, administration, watch }: Synthesised) =>
      [data, service, administration, watch].flatMap((stack) => [
        ...propertiesOf(stack, 'AWS::IAM::Role').map(({ RoleName }) => RoleName),
        ...propertiesOf(stack, 'AWS::IAM::ManagedPolicy').map(({ ManagedPolicyName }) => ManagedPolicyName),
      ]);
    const named = namesIn(Synthesised.of('prod')).filter((name) => name !== undefined);
    // Break glass, a policy for each duty, and a role of the user pool for each duty except the operator's.
    expect(named).toHaveLength(1 + DUTIES.length + PEOPLES.length);
    const elsewhere = namesIn(Synthesised.with('prod', { region: 'us-east-2' }));
    expect(named.filter((name) => elsewhere.includes(name))).toEqual([]);
  });

  it('functions that call the operator or partners use the fixed addresses, if a stage has them', () => {
    const functions = propertiesOf(everythingOn().administration, 'AWS::Lambda::Function');
    const inside = functions.filter(({ VpcConfig }) => VpcConfig);
    expect(inside.map(({ FunctionName }) => FunctionName).sort()).toEqual([
      'partner-credit-prod-administration-ping-webhook',
      'partner-credit-prod-administration-poll-analysis',
    ]);
  });

  it('the gateway’s own answers have the administration’s error body', () => {
    const answer = administration.answers['ACCESS_DENIED']!;
    expect(answer.status).toBe(403);
    expect(JSON.parse(answer.body)).toEqual({
      ok: false,
      error: expect.stringContaining('duties'),
      code: 'forbidden',
      request_id: '$context.extendedRequestId',
    });
  });
});

/**
 * Returns the actions of the runbook's commands for a role: those of a whole list if its first lines name the role,
 * else those of each item that names it.
 */
function asksOf(runbook: string, role: string): string[] {
  const parts = runbook.split(/\n\s*\n/).flatMap((paragraph) => {
    const [head = '', ...items] = paragraph.split(/\n(?=- |\d+\. |\| )/);
    return head.includes(role) ? [paragraph] : items.filter((item) => item.includes(role));
  });
  // Other credentials than the role's own assume it, so STS is left out.
  return parts.flatMap((part) =>
    [...part.matchAll(/`aws (?!sts )([a-z]+) ([a-z-]+)/g)].map(
      ([, service, verb]) =>
        `${service}:${verb!.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase())}`,
    ),
  );
}

describe('BreakGlass', () => {
  const name = 'partner-credit-prod-break-glass-sa-east-1';
  const roles = propertiesOf(everythingOn().administration, 'AWS::IAM::Role');
  const role = roles.find(({ RoleName }) => RoleName === name)!;
  const policies = role['Policies'] as { PolicyDocument: { Statement: Record<string, unknown>[] } }[];
  const statements = policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);

  it('the break-glass role needs a second factor, the user’s own name and the stage’s region, and lasts an hour', () => {
    expect(role['MaxSessionDuration']).toBe(3600);
    const trust = role['AssumeRolePolicyDocument'] as { Statement: Record<string, unknown>[] };
    expect(trust.Statement.map(({ Condition }) => Condition)).toEqual([
      {
        Bool: { 'aws:MultiFactorAuthPresent': 'true' },
        StringEquals: { 'aws:RequestedRegion': 'sa-east-1' },
        // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of IAM, not of ours.
        StringLike: { 'sts:RoleSessionName': '${aws:username}' },
      },
    ]);
  });

  it('the break-glass role may run the runbook’s commands, and read copies of the keys in any region', () => {
    const actions = statements.filter(({ Effect }) => Effect === 'Allow').flatMap(({ Action }) => Action as string[]);
    const asked = asksOf(runbookText(), 'partner-credit-prod-break-glass');
    expect(asked.length).toBeGreaterThan(4);
    expect(asked.filter((action) => !actions.includes(action))).toEqual([]);
    expect(statements.find(({ Sid }) => Sid === 'CopiesOfKeys')).toMatchObject({
      Action: ['secretsmanager:DescribeSecret', 'secretsmanager:GetSecretValue'],
      Resource: ['keys', 'retired-keys'].map(
        (secret) => `arn:aws:secretsmanager:*:111122223333:secret:partner-credit-prod/${secret}-??????`,
      ),
    });
  });

  it('the break-glass role may change neither consents nor the audit', () => {
    const denied = statements.filter(({ Effect }) => Effect === 'Deny');
    expect(denied.map(({ Sid, Action }) => [Sid, (Action as string[]).toSorted()])).toEqual([
      ['ConsentsStay', ['dynamodb:DeleteItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem']],
      ['AuditStays', ['dynamodb:DeleteItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem']],
      ['ApprovalsStay', ['dynamodb:DeleteItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem']],
    ]);
  });

  it('break-glass, new people or duties of the panel, and changes of point-in-time recovery wake someone', () => {
    const rules = propertiesOf(Synthesised.of('prod').watch, 'AWS::Events::Rule').filter(
      ({ Name }) => !String(Name).endsWith('-failed-copies'),
    );
    const requestParameters = { roleArn: [{ suffix: `:role/${name}` }] };
    const made = [
      'AdminCreateUser',
      'AdminAddUserToGroup',
      'AdminUpdateUserAttributes',
      'AdminSetUserPassword',
      'CreateGroup',
      'UpdateGroup',
      'StartUserImportJob',
    ];
    expect(rules.map(({ EventPattern }) => EventPattern)).toMatchObject([
      { source: ['aws.sts'], detail: { eventName: ['AssumeRole'], requestParameters } },
      { source: ['aws.cognito-idp'], detail: { eventName: made } },
      {
        source: ['aws.dynamodb'],
        detail: {
          eventName: ['UpdateContinuousBackups'],
          requestParameters: {
            tableName: [{ suffix: 'partner-credit-prod' }, { suffix: 'partner-credit-prod-erasures' }],
          },
        },
      },
    ]);
    const target = { Arn: { Ref: expect.stringMatching(/^Page/) }, RoleArn: expect.anything() };
    expect(rules.map(({ Targets }) => Targets)).toMatchObject([[target], [target], [target]]);
  });
});
