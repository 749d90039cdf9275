import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { StartError } from './listen.ts';

/** Most of a synthesis is loading the CDK, so its compiled code is cached. */
export const COMPILED = 'node_modules/.cache/compiled';

/**
 * Synthesises the dev stage with the program that a deployment runs. Leaves the rules of CloudFormation and cdk-nag to
 * `npm run synth` and to deployments. Throws a StartError with the program's output if it fails.
 */
export async function synthesise(project: string, folder: string, signal?: AbortSignal): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  const { CDK_DEFAULT_ACCOUNT: _, ...environment } = process.env;
  const child = spawn(process.execPath, ['bin/app.ts', '--stage', 'dev'], {
    cwd: project,
    env: { ...environment, CDK_OUTDIR: folder, CDK_VALIDATION: 'false', NODE_COMPILE_CACHE: join(project, COMPILED) },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new StartError(`synthesis failed: npm run synth shows the same\n${output.trim()}`);
}

export const REGION = 'sa-east-1';
export const ACCOUNT = '000000000000';

const templateResource = z.object({
  Type: z.string(),
  Properties: z.optional(z.record(z.string(), z.unknown())),
});
type TemplateResource = Readonly<z.infer<typeof templateResource>>;

const stackTemplate = z.object({
  Resources: z.optional(z.record(z.string(), templateResource)),
  Outputs: z.optional(
    z.record(z.string(), z.object({ Value: z.unknown(), Export: z.optional(z.object({ Name: z.unknown() })) })),
  ),
});

const assetManifest = z.object({
  files: z.optional(z.record(z.string(), z.object({ source: z.object({ path: z.optional(z.string()) }) }))),
});

interface Stack {
  readonly name: string;
  readonly template: Readonly<z.infer<typeof stackTemplate>>;
  readonly assets: ReadonlyMap<string, string>;
}

export interface Resolved {
  readonly id: string;
  readonly type: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

export function readAssembly(folder: string): Stack[] {
  const names = readdirSync(folder)
    .filter((file) => file.endsWith('.template.json'))
    .map((file) => file.slice(0, -'.template.json'.length));
  return names.map((name) => {
    const read = (file: string): unknown => JSON.parse(readFileSync(join(folder, file), 'utf8'));
    const { files = {} } = assetManifest.parse(read(`${name}.assets.json`));
    return {
      name,
      template: stackTemplate.parse(read(`${name}.template.json`)),
      assets: new Map(Object.entries(files).map(([hash, { source }]) => [hash, join(folder, source.path ?? '')])),
    };
  });
}

/** Resolves what CloudFormation would resolve. Throws an Error that names an unknown function or reference. */
export class Template {
  readonly assets: ReadonlyMap<string, string>;
  private readonly stacks: readonly Stack[];
  private readonly queueEndpoint: string;

  constructor(stacks: readonly Stack[], queueEndpoint: string) {
    this.stacks = stacks;
    this.queueEndpoint = queueEndpoint;
    this.assets = new Map(stacks.flatMap(({ assets }) => [...assets]));
  }

  ofType(type: string): Resolved[] {
    return this.stacks.flatMap((stack) =>
      Object.entries(stack.template.Resources ?? {})
        .filter(([, resource]) => resource.Type === type)
        .map(([id, { Properties = {} }]) => ({ id, type, properties: this.resolveEach(Properties, stack) })),
    );
  }

  /** The ARN has the same form as references to the secret. */
  secretArn(name: string): string {
    return `arn:aws:secretsmanager:${REGION}:${ACCOUNT}:secret:${name}-local0`;
  }

  private resolve(value: unknown, stack: Stack): unknown {
    if (Array.isArray(value)) return value.map((item) => this.resolve(item, stack));
    if (typeof value !== 'object' || value === null) return value;
    const [entry, ...others] = Object.entries(value);
    if (entry && others.length === 0 && (entry[0] === 'Ref' || entry[0].startsWith('Fn::'))) {
      return this.resolveIntrinsic(entry[0], entry[1], stack);
    }
    return this.resolveEach(value, stack);
  }

  private resolveEach(values: object, stack: Stack): Record<string, unknown> {
    return Object.fromEntries(Object.entries(values).map(([key, item]) => [key, this.resolve(item, stack)]));
  }

  private resolveList(value: unknown, stack: Stack): readonly unknown[] {
    const list = this.resolve(value, stack);
    if (!Array.isArray(list)) throw new Error(`${stack.name}: ${JSON.stringify(value)} is not a list`);
    return list;
  }

  private resolveIntrinsic(name: string, argument: unknown, stack: Stack): unknown {
    // Join, Split and Select have a text or a number first, and their subject second. GetAtt has two texts.
    const [first, second]: readonly unknown[] = Array.isArray(argument) ? argument : [];
    switch (name) {
      case 'Ref':
        return this.resolveReference(String(argument), stack);
      case 'Fn::GetAtt':
        return this.resolveAttribute(String(first), String(second), stack);
      case 'Fn::Join':
        return this.resolveList(second, stack).join(String(first));
      case 'Fn::Split':
        return String(this.resolve(second, stack)).split(String(first));
      case 'Fn::Select':
        return this.resolveList(second, stack)[Number(first)];
      case 'Fn::Sub':
        // Our templates name only references: `cdk-assets-${AWS::AccountId}`.
        return String(argument).replace(/\$\{([^}]+)\}/g, (_, of: string) => this.resolveReference(of, stack));
      case 'Fn::ImportValue':
        return this.findExport(String(this.resolve(argument, stack)));
      default:
        throw new Error(`${name} in ${stack.name} cannot be resolved here`);
    }
  }

  private findExport(name: string): unknown {
    for (const stack of this.stacks) {
      for (const output of Object.values(stack.template.Outputs ?? {})) {
        if (output.Export && this.resolve(output.Export.Name, stack) === name) return this.resolve(output.Value, stack);
      }
    }
    throw new Error(`no stack exports ${name}`);
  }

  private resolveReference(name: string, stack: Stack): string {
    const pseudo: Readonly<Record<string, string>> = {
      'AWS::Region': REGION,
      'AWS::AccountId': ACCOUNT,
      'AWS::Partition': 'aws',
      'AWS::URLSuffix': 'amazonaws.com',
    };
    if (pseudo[name] !== undefined) return pseudo[name];
    const { Type } = this.findResource(name, stack);
    switch (Type) {
      case 'AWS::SQS::Queue':
        return `${this.queueEndpoint}/${ACCOUNT}/${this.nameOf(name, stack)}`;
      case 'AWS::Lambda::Alias':
      case 'AWS::SecretsManager::Secret':
        return this.arnOf(name, stack);
      default:
        return this.nameOf(name, stack);
    }
  }

  private resolveAttribute(id: string, attribute: string, stack: Stack): string {
    const { Type } = this.findResource(id, stack);
    if (attribute === 'Arn') return this.arnOf(id, stack);
    if (Type === 'AWS::ApiGateway::RestApi' && attribute === 'RootResourceId') return `${id}.root`;
    if (Type === 'AWS::SQS::Queue' && attribute === 'QueueName') return this.nameOf(id, stack);
    return `${id}.${attribute}`;
  }

  private arnOf(id: string, stack: Stack): string {
    const { Type, Properties } = this.findResource(id, stack);
    const name = this.nameOf(id, stack);
    const own = (key: string): string => String(this.resolve(Properties?.[key], stack));
    const at = (service: string, resource: string): string => `arn:aws:${service}:${REGION}:${ACCOUNT}:${resource}`;
    switch (Type) {
      case 'AWS::Lambda::Function':
        return at('lambda', `function:${name}`);
      case 'AWS::Lambda::Alias':
        return at('lambda', `function:${own('FunctionName')}:${own('Name')}`);
      case 'AWS::SQS::Queue':
        return at('sqs', name);
      case 'AWS::DynamoDB::GlobalTable':
        return at('dynamodb', `table/${name}`);
      case 'AWS::SecretsManager::Secret':
        return this.secretArn(name);
      case 'AWS::KMS::Key':
        return at('kms', `key/${name}`);
      case 'AWS::IAM::Role':
        return `arn:aws:iam::${ACCOUNT}:role/${name}`;
      case 'AWS::Logs::LogGroup':
        return at('logs', `log-group:${name}:*`);
      default:
        return at('cloudformation', `${stack.name}/${id}`);
    }
  }

  private nameOf(id: string, stack: Stack): string {
    const { Type, Properties } = this.findResource(id, stack);
    const properties: Readonly<Record<string, string>> = {
      'AWS::Lambda::Function': 'FunctionName',
      'AWS::SQS::Queue': 'QueueName',
      'AWS::DynamoDB::GlobalTable': 'TableName',
      'AWS::SecretsManager::Secret': 'Name',
      'AWS::Logs::LogGroup': 'LogGroupName',
      'AWS::IAM::Role': 'RoleName',
    };
    const property = properties[Type];
    const name = property && Properties?.[property];
    return name ? String(this.resolve(name, stack)) : id;
  }

  private findResource(id: string, stack: Stack): TemplateResource {
    const resource = stack.template.Resources?.[id];
    if (!resource) throw new Error(`${stack.name} has no resource ${id}`);
    return resource;
  }
}
