import { describe, expect, it } from 'vitest';
import { FALLBACK, FUNCTIONS } from '#infra/functions.ts';
import { ROUTES } from '#shared/contract/routes.ts';
import { everythingOn, Synthesised } from '../makers/synthesised.ts';

const prod = Synthesised.of('prod');
const dev = Synthesised.of('dev');
const hotfix = everythingOn();

/** They give files, and a crash of theirs is told by the API's 5xx. */
const GIVE_FILES: readonly string[] = ['get-openapi', 'get-openapi-30', 'get-docs'];

/** The deployment group that moves an operation's alias, and the alarm of its own if it has one. */
function groupOf(stage: Synthesised, operation: string) {
  const alias = stage.serviceResources('AWS::Lambda::Alias').find(([id]) => id === stage.functionOf(operation).alias)!;
  const policy = (
    alias[1] as unknown as { UpdatePolicy: { CodeDeployLambdaAliasUpdate: { DeploymentGroupName: { Ref: string } } } }
  ).UpdatePolicy;
  const id = policy.CodeDeployLambdaAliasUpdate.DeploymentGroupName.Ref;
  expect((alias[1] as unknown as { DependsOn: string[] }).DependsOn).toContain(id);
  const properties = stage
    .serviceResources('AWS::CodeDeploy::DeploymentGroup')
    .find(([other]) => other === id)![1].Properties;
  const alarms = (properties['AlarmConfiguration'] as { Alarms: { Name: { Ref: string } }[] }).Alarms;
  // Its own, and that of the API where calls lead to it.
  const isCalled = operation === FALLBACK || ROUTES.some((route) => route.operation === operation);
  const own = GIVE_FILES.includes(operation) ? 0 : 1;
  expect(alarms).toHaveLength(isCalled ? own + 1 : own);
  if (isCalled) expect(alarms.at(-1)!.Name.Ref).toMatch(/apialarm/);
  return { properties, alarm: alarms.slice(0, own)[0]?.Name.Ref };
}
const alarmOf = (operation: string): Record<string, unknown> =>
  prod.serviceResources('AWS::CloudWatch::Alarm').find(([id]) => id === groupOf(prod, operation).alarm)![1].Properties;

describe.each(FUNCTIONS)('a release of $operation', ({ operation }) => {
  it('goes by canary and comes back by itself, when it fails or its own alarm goes off', () => {
    expect(groupOf(prod, operation).properties).toMatchObject({
      DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent5Minutes',
      AlarmConfiguration: { Enabled: true },
      AutoRollbackConfiguration: {
        Enabled: true,
        Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_REQUEST', 'DEPLOYMENT_STOP_ON_ALARM'],
      },
    });
  });

  it('in dev goes at once, and as a hotfix whatever alarms say too; it still comes back when it fails', () => {
    const DeploymentConfigName = 'CodeDeployDefault.LambdaAllAtOnce';
    expect(groupOf(dev, operation).properties).toMatchObject({ DeploymentConfigName });
    expect(groupOf(hotfix, operation).properties).toMatchObject({
      DeploymentConfigName,
      AlarmConfiguration: { Enabled: false },
      AutoRollbackConfiguration: { Enabled: true, Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_REQUEST'] },
    });
  });

  it('leaves the former version in place, and no version of a release that was taken back', () => {
    const version = prod
      .serviceResources('AWS::Lambda::Version')
      .find(
        ([, { Properties }]) => (Properties['FunctionName'] as { Ref: string }).Ref === prod.functionOf(operation).id,
      )!;
    expect(version[1].DeletionPolicy).toBe('RetainExceptOnCreate');
  });
});

it.each(FUNCTIONS.map(({ operation }) => operation).filter((operation) => !GIVE_FILES.includes(operation)))(
  'a release of %s is judged by what callers of its alias meet, within a minute',
  (operation) => {
    const Dimensions = [
      { Name: 'FunctionName', Value: `partner-credit-prod-${operation}` },
      { Name: 'Resource', Value: `partner-credit-prod-${operation}:live` },
    ];
    expect(alarmOf(operation)).toMatchObject({ MetricName: 'Errors', Dimensions, Period: 60, Threshold: 1 });
  },
);

it('keeps logs of prod when its stack goes, but not when its first creation fails', () => {
  for (const [, { DeletionPolicy }] of prod.serviceResources('AWS::Logs::LogGroup'))
    expect(DeletionPolicy).toBe('RetainExceptOnCreate');
});

it('every function behind the gateway is judged by the API’s 5xx too: three in a minute', () => {
  const api = prod
    .serviceResources('AWS::CloudWatch::Alarm')
    .filter(([, { Properties }]) => Properties['AlarmName'] === 'partner-credit-prod-release-api');
  expect(api.map(([, { Properties }]) => Properties)).toMatchObject([
    { Namespace: 'AWS/ApiGateway', MetricName: '5XXError', Period: 60, Threshold: 3 },
  ]);
});
