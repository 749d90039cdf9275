import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { addStage } from '#infra/stage-stacks.ts';
import { type Stage, type StageName, stageValues } from '#infra/stages.ts';
import { MAX_POLL_SHARDS } from '#shared/domain/analyses/poll-schedule.ts';
import settings from '../../cdk.json' with { type: 'json' };
import { madeOnce } from './made-once.ts';

/** Test values for what infra/stages.ts leaves open in prod. */
export const FILLED_IN: Partial<Stage> = {
  account: '111122223333',
  pinnedAccount: '111122223333',
  operatorUrl: 'https://operator.banks.test',
  operatorContact: 'plantao@banks.test',
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

/** Everything that a stage can have and no stage has yet, with the largest values, and what prod leaves open. */
export const EVERYTHING_ON: Partial<Stage> = {
  ...FILLED_IN,
  evidence: {
    copyVaultArn: 'arn:aws:backup:us-east-1:444455556666:backup-vault:evidence-of-credit',
    secondRegion: 'us-east-1',
    vaultLock: 'governance',
  },
  executeApi: false,
  setsGatewayAccount: false,
  fixedEgress: true,
  egressAddresses: true,
  administration: {
    ...{ throttle: { rate: 20, burst: 40 }, firewall: { perAddress: 10 } },
    ...{ accounts: ['222233334444'], vpcEndpoints: ['vpce-0a1b2c3d'] },
    federation: { kind: 'oidc', issuer: 'https://login.credit.test', clientId: 'panel', clientSecret: 'login' },
  },
  operatorPush: { account: '333344445555', throttle: { rate: 10, burst: 20 } },
  pollShards: MAX_POLL_SHARDS,
  webhookConcurrency: 1000,
  shift: 'hotfix',
  concurrency: {
    accountLimit: 1000,
    reserved: { 'submit-analyses': 200, 'poll-bank-outcomes': MAX_POLL_SHARDS, 'sweep-deliveries': 2 },
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

/** The templates of a stage's stacks as CloudFormation gets them, with a stub instead of the bundles. */
type StageTemplates = Readonly<Record<'data' | 'service' | 'administration' | 'watch', TemplateJson>> & {
  readonly dataStackIsProtected: boolean;
};
type TemplateJson = ReturnType<Template['toJSON']>;

function synthesise(name: StageName, changes: Partial<Stage>, commit?: string): StageTemplates {
  const app = new App({ analyticsReporting: false, context: settings.context });
  const codeOf = () => Code.fromInline('export const handler = async () => ({});');
  const stacks = addStage(app, { ...stageValues(name, {}), ...changes }, codeOf, commit);
  return {
    data: Template.fromStack(stacks.data).toJSON(),
    service: Template.fromStack(stacks.service).toJSON(),
    administration: Template.fromStack(stacks.administration).toJSON(),
    watch: Template.fromStack(stacks.watch).toJSON(),
    dataStackIsProtected: stacks.data.terminationProtection ?? false,
  };
}

/** The stacks of a stage as CloudFormation gets them, with a stub instead of the bundles. */
export class Synthesised {
  readonly data: Template;
  readonly service: Template;
  readonly administration: Template;
  readonly watch: Template;
  readonly dataStackIsProtected: boolean;

  private constructor(templates: StageTemplates) {
    this.data = Template.fromJSON(templates.data);
    this.service = Template.fromJSON(templates.service);
    this.administration = Template.fromJSON(templates.administration);
    this.watch = Template.fromJSON(templates.watch);
    this.dataStackIsProtected = templates.dataStackIsProtected;
  }

  /** Returns a stage with changed values. Each call synthesises it, which takes seconds. */
  static with(name: StageName, changes: Partial<Stage>, commit?: string): Synthesised {
    return new Synthesised(synthesise(name, changes, commit));
  }

  private static readonly stages = new Map<string, Synthesised>();

  /** Returns a stage with its own values. */
  static of(name: StageName): Synthesised {
    return Synthesised.once(name, name, {});
  }

  /** Returns a stage that many files need. Only the first of a run's workers that needs it synthesises it. */
  static once(title: string, name: StageName, changes: Partial<Stage>): Synthesised {
    const stage = Synthesised.stages.get(title) ?? new Synthesised(madeOnce(title, () => synthesise(name, changes)));
    Synthesised.stages.set(title, stage);
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

/** Returns prod with every value that its first deployments leave open. */
export const filledInProd = () => Synthesised.once('prod-filled-in', 'prod', FILLED_IN);
/** Returns prod with everything that is off by default. */
export const everythingOn = () => Synthesised.once('prod-everything-on', 'prod', EVERYTHING_ON);

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
