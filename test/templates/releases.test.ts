import { describe, expect, it } from 'vitest';
import { FALLBACK, FUNCTIONS } from '#infra/functions.ts';
import { ROUTES } from '#shared/contract/routes.ts';
import { everythingOn, Synthesised } from '../makers/synthesised.ts';

const prod = Synthesised.of('prod');
const dev = Synthesised.of('dev');
const hotfix = everythingOn();

/** Operations that only return files. The API's 5xx shows their crashes. */
const GIVE_FILES: readonly string[] = ['get-openapi', 'get-openapi-30', 'get-docs'];

/** Returns the deployment group that moves an operation's alias, and its own alarm, if it has one. */
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
  // Its own alarm, and that of the API if calls reach the function.
  const isCalled = operation === FALLBACK || ROUTES.some((route) => route.operation === operation);
  const own = GIVE_FILES.includes(operation) ? 0 : 1;
  expect(alarms).toHaveLength(isCalled ? own + 1 : own);
  if (isCalled) expect(alarms.at(-1)!.Name.Ref).toMatch(/apialarm/);
  return { properties, alarm: alarms.slice(0, own)[0]?.Name.Ref };
}
const alarmOf = (operation: string): Record<string, unknown> =>
  prod.serviceResources('AWS::CloudWatch::Alarm').find(([id]) => id === groupOf(prod, operation).alarm)![1].Properties;

describe.each(FUNCTIONS)('GradualRelease of $operation', ({ operation }) => {
  it('a release in prod is a canary, and rolls back if it fails or its alarm goes off', () => {
    expect(groupOf(prod, operation).properties).toMatchObject({
      DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent5Minutes',
      AlarmConfiguration: { Enabled: true },
      AutoRollbackConfiguration: {
        Enabled: true,
        Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_REQUEST', 'DEPLOYMENT_STOP_ON_ALARM'],
      },
    });
  });

  it('a release in dev or as a hotfix moves all callers at once; a hotfix rolls back on failure, not on alarms', () => {
    const DeploymentConfigName = 'CodeDeployDefault.LambdaAllAtOnce';
    expect(groupOf(dev, operation).properties).toMatchObject({ DeploymentConfigName });
    expect(groupOf(hotfix, operation).properties).toMatchObject({
      DeploymentConfigName,
      AlarmConfiguration: { Enabled: false },
      AutoRollbackConfiguration: { Enabled: true, Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_REQUEST'] },
    });
  });

  it('a release keeps the former version, and no version whose creation was rolled back', () => {
    const version = prod
      .serviceResources('AWS::Lambda::Version')
      .find(
        ([, { Properties }]) => (Properties['FunctionName'] as { Ref: string }).Ref === prod.functionOf(operation).id,
      )!;
    expect(version[1].DeletionPolicy).toBe('RetainExceptOnCreate');
  });
});

describe('the order of a release', () => {
  /** Returns the aliases of a stage by the number of aliases that must have shifted before. */
  function waves(stage: Synthesised): readonly number[] {
    const aliases = new Map(stage.serviceResources('AWS::Lambda::Alias'));
    const depth = (id: string): number => {
      const { DependsOn } = aliases.get(id) as unknown as { DependsOn: string[] };
      return Math.max(0, ...DependsOn.filter((other) => aliases.has(other)).map((other) => depth(other) + 1));
    };
    const depths = Array.from(aliases.keys(), depth);
    return Array.from({ length: Math.max(...depths) + 1 }, (_, wave) => depths.filter((at) => at === wave).length);
  }

  it('an ordinary release moves at most eleven functions at the same time, in three waves', () => {
    expect(waves(prod)).toEqual([11, 11, FUNCTIONS.length - 22]);
    expect(waves(prod).at(-1)).toBeLessThanOrEqual(11);
  });

  it('a hotfix moves all functions at the same time', () => {
    expect(waves(hotfix)).toEqual([FUNCTIONS.length]);
  });

  // Lambda refuses a second version of the same code and settings: the deployment would fail.
  it('another commit with the same code makes no new version of any function', () => {
    const versions = (stage: Synthesised) => stage.serviceResources('AWS::Lambda::Version').map(([id]) => id);
    const next = Synthesised.with('dev', {}, 'another-commit');
    expect(next.service.toJSON()['Description']).toContain('another-commit');
    expect(versions(next)).toEqual(versions(dev));
  });
});

it.each(FUNCTIONS.map(({ operation }) => operation).filter((operation) => !GIVE_FILES.includes(operation)))(
  'the release alarm of %s counts the errors of its alias within a minute',
  (operation) => {
    const Dimensions = [
      { Name: 'FunctionName', Value: `partner-credit-prod-${operation}` },
      { Name: 'Resource', Value: `partner-credit-prod-${operation}:live` },
    ];
    expect(alarmOf(operation)).toMatchObject({ MetricName: 'Errors', Dimensions, Period: 60, Threshold: 1 });
  },
);

it('log groups of prod outlive their stack, unless their own creation fails', () => {
  for (const [, { DeletionPolicy }] of prod.serviceResources('AWS::Logs::LogGroup'))
    expect(DeletionPolicy).toBe('RetainExceptOnCreate');
});

it('three 5xx answers of the API in a minute roll back a release of any function behind the gateway', () => {
  const api = prod
    .serviceResources('AWS::CloudWatch::Alarm')
    .filter(([, { Properties }]) => Properties['AlarmName'] === 'partner-credit-prod-release-api');
  expect(api.map(([, { Properties }]) => Properties)).toMatchObject([
    { Namespace: 'AWS/ApiGateway', MetricName: '5XXError', Period: 60, Threshold: 3 },
  ]);
});
