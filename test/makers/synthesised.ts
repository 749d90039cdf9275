import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { addStage } from '#infra/stage-stacks.ts';
import { type Stage, type StageName, stageValues } from '#infra/stages.ts';
import settings from '../../cdk.json' with { type: 'json' };

/** Test values for what infra/stages.ts leaves open in prod. */
export const FILLED_IN: Partial<Stage> = {
  account: '111122223333',
  pinnedAccount: '111122223333',
  operatorUrl: 'https://operator.banks.test',
  domain: {
    name: 'api.credit.test',
    certificateArn: 'arn:aws:acm:sa-east-1:111122223333:certificate/11111111-2222-4333-8444-555555555555',
  },
  alarmTargets: {
    page: [{ kind: 'https', url: 'https://pager.credit.test/hook' }],
    ticket: [{ kind: 'email', address: 'team@credit.test' }],
  },
  runbookUrl: 'https://git.credit.test/RUNBOOK.md',
  probeHasKey: true,
  evidence: {
    copyVaultArn: 'arn:aws:backup:sa-east-1:444455556666:backup-vault:evidence-of-credit',
    secondRegion: undefined,
    vaultLock: 'compliance',
  },
};

/** Everything that a stage can have and no stage has yet, together with what prod leaves open. */
export const EVERYTHING_ON: Partial<Stage> = {
  ...FILLED_IN,
  evidence: { ...FILLED_IN.evidence!, secondRegion: 'us-east-1', vaultLock: 'governance' },
  executeApi: false,
  setsGatewayAccount: false,
  fixedEgress: true,
  egressAddresses: true,
  administration: {
    ...{ throttle: { rate: 20, burst: 40 }, firewall: undefined, accounts: [], vpcEndpoints: [] },
    federation: { kind: 'oidc', issuer: 'https://login.credit.test', clientId: 'panel', clientSecret: 'login' },
  },
  shift: 'hotfix',
  concurrency: {
    accountLimit: 1000,
    reserved: { 'submit-analyses': 200, 'poll-bank-outcomes': 8, 'sweep-deliveries': 2 },
    provisioned: { 'get-lead': 3 },
  },
  alarmTargets: {
    page: [{ kind: 'slack', workspaceId: 'T0AAAAAAA', channelId: 'C0AAAAAAA' }, ...FILLED_IN.alarmTargets!.page],
    ticket: FILLED_IN.alarmTargets!.ticket,
  },
};

export interface Resource {
  readonly Type: string;
  readonly Properties: Record<string, unknown>;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
}

/** Returns the properties of a template's resources of one type. */
export const propertiesOf = (stack: Template, type: string): Record<string, unknown>[] =>
  Object.values(stack.findResources(type) as Record<string, Resource>).map(({ Properties }) => Properties);

/** The stacks of a stage as CloudFormation gets them, with a stub instead of the bundles. */
export class Synthesised {
  readonly data: Template;
  readonly service: Template;
  readonly administration: Template;
  readonly watch: Template;
  readonly dataStackIsProtected: boolean;

  constructor(name: StageName, changes: Partial<Stage> = {}) {
    const app = new App({ analyticsReporting: false, context: settings.context });
    const stacks = addStage(app, { ...stageValues(name, {}), ...changes }, () =>
      Code.fromInline('export const handler = async () => ({});'),
    );
    this.data = Template.fromStack(stacks.data);
    this.service = Template.fromStack(stacks.service);
    this.administration = Template.fromStack(stacks.administration);
    this.watch = Template.fromStack(stacks.watch);
    this.dataStackIsProtected = stacks.data.terminationProtection ?? false;
  }

  private static readonly stages = new Map<StageName, Synthesised>();

  /** Returns a stage with its own values. Each stage is synthesised only once, because it takes seconds. */
  static of(name: StageName): Synthesised {
    const stage = Synthesised.stages.get(name) ?? new Synthesised(name);
    Synthesised.stages.set(name, stage);
    return stage;
  }

  /** Returns the resources of a type in the service stack, with their logical ids. */
  serviceResources(type: string): [string, Resource][] {
    return Object.entries(this.service.findResources(type) as Record<string, Resource>);
  }

  /**
   * Returns the function of an operation, with the logical ids of the function and of its live alias. Throws an Error
   * if the stack lacks either.
   */
  functionOf(operation: string): { id: string; alias: string; properties: Record<string, unknown> } {
    const entry = this.serviceResources('AWS::Lambda::Function').find(
      ([, { Properties }]) =>
        String(Properties['FunctionName']).endsWith(`-${operation}`) &&
        variables(Properties)['OPERATION'] === operation,
    );
    if (!entry) throw new Error(`no function for ${operation}`);
    const alias = this.serviceResources('AWS::Lambda::Alias').find(
      ([, { Properties }]) => (Properties['FunctionName'] as { Ref: string }).Ref === entry[0],
    );
    if (!alias) throw new Error(`no alias for ${operation}`);
    return { id: entry[0], alias: alias[0], properties: entry[1].Properties };
  }

  /** Returns the statements of the role of an operation's function. */
  statementsOf(operation: string): Statement[] {
    const role = this.functionOf(operation).properties['Role'] as { 'Fn::GetAtt': [string, string] };
    const resource = this.service.findResources('AWS::IAM::Role')[role['Fn::GetAtt'][0]] as Resource;
    const policies = resource.Properties['Policies'] as { PolicyDocument: { Statement: RawStatement[] } }[];
    return policies.flatMap(({ PolicyDocument }) =>
      PolicyDocument.Statement.map((statement) => ({
        ...statement,
        Action: [statement.Action].flat(),
        Resource: (Array.isArray(statement.Resource) ? statement.Resource : [statement.Resource]).map((resource) =>
          JSON.stringify(resource),
        ),
      })),
    );
  }
}

const prodWith = (changes: Partial<Stage>) => {
  let stage: Synthesised | undefined;
  return () => {
    stage ??= new Synthesised('prod', changes);
    return stage;
  };
};
/** Returns prod with every value that its first deployments leave open. It is synthesised only once. */
export const filledInProd = prodWith(FILLED_IN);
/** Returns prod with everything that is off by default. It is synthesised only once. */
export const everythingOn = prodWith(EVERYTHING_ON);

interface RawStatement {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

export interface Statement {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: readonly string[];
  /** Each resource as JSON. */
  readonly Resource: readonly string[];
  readonly Condition?: unknown;
}

/** Returns the environment variables in a function's properties. */
export function variables(properties: Record<string, unknown>): Record<string, unknown> {
  return (properties['Environment'] as { Variables: Record<string, unknown> }).Variables;
}
