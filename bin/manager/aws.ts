import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { SignatureV4 } from '@smithy/signature-v4';
import * as z from 'zod/mini';
import { prefixOf, type Stage } from '#infra/stages.ts';
import { timestamp } from '#shared/domain/values/clock.ts';
import { type Instant, seconds } from '#shared/domain/values/time.ts';
import { signedHeaders, type UnsignedCall } from './administration-client.ts';
import { CommandError } from './errors.ts';

// These functions call AWS with the caller's own credentials: the SDK's chain (environment, profile, SSO, web identity,
// container, machine).

/** Time limit for an answer of AWS, in milliseconds. */
const DEADLINE = 10_000;

export interface AwsAccess {
  readonly region: string;
  readonly requestHandler: { readonly requestTimeout: number; readonly throwOnRequestTimeout: true };
}

export const accessTo = (region: string): AwsAccess => ({
  region,
  requestHandler: { requestTimeout: DEADLINE, throwOnRequestTimeout: true },
});

/** The account has 12 digits. Throws a CommandError if AWS does not say who calls. */
export async function awsCaller(access: AwsAccess): Promise<{ readonly account: string; readonly arn: string }> {
  const { Account, Arn } = await new STSClient(access).send(new GetCallerIdentityCommand({}));
  if (!Account || !Arn) throw new CommandError('AWS does not say who the caller is: sign in again');
  return { account: Account, arn: Arn };
}

function signerOf(access: AwsAccess, service: string): SignatureV4 {
  const { credentials, sha256 } = new STSClient(access).config;
  return new SignatureV4({ service, region: access.region, credentials, sha256 });
}

export function callSigner(access: AwsAccess): (call: UnsignedCall) => Promise<Record<string, string>> {
  const signer = signerOf(access, 'execute-api');
  return (call) => signedHeaders(signer, call);
}

/** Jobs of AWS Backup: `backup` makes a copy of a table, `copy` takes it to another vault. */
const JOBS = {
  backup: { path: 'backup-jobs', vault: 'backupVaultName', list: 'BackupJobs' },
  copy: { path: 'copy-jobs', vault: 'destinationVaultArn', list: 'CopyJobs' },
} as const;

/** AWS writes a moment as seconds since 1970, with decimals. Only a copy job says how long its copy is kept. */
const jobFormat = z.object({
  ResourceArn: z.optional(z.string()),
  CompletionDate: z.optional(z.number()),
  DestinationRecoveryPointLifecycle: z.optional(z.object({ DeleteAfterDays: z.optional(z.number()) })),
});
const jobsFormat = z.object({ BackupJobs: z.optional(z.array(jobFormat)), CopyJobs: z.optional(z.array(jobFormat)) });

/**
 * Returns at most a thousand jobs. Throws a CommandError if AWS refuses. The SDK's client of AWS Backup would be a
 * package for two calls.
 */
export async function completedJobs(access: AwsAccess, kind: keyof typeof JOBS, vault: string, since: Instant) {
  const { path, vault: parameter, list } = JOBS[kind];
  const url = new URL(`https://backup.${access.region}.amazonaws.com/${path}/`);
  const query = { [parameter]: vault, state: 'COMPLETED', completeAfter: timestamp(since), maxResults: '1000' };
  url.search = new URLSearchParams(query).toString();
  const request = { method: 'GET', url, headers: {}, body: undefined };
  const headers = await signedHeaders(signerOf(access, 'backup'), request);
  const answer = await fetch(url, { headers, signal: AbortSignal.timeout(DEADLINE) });
  if (!answer.ok) throw new CommandError(`AWS Backup refuses: ${answer.status}`);
  const jobs = jobsFormat.parse(await answer.json())[list] ?? [];
  return jobs.map(({ ResourceArn = '', CompletionDate = 0, DestinationRecoveryPointLifecycle }) => ({
    resource: ResourceArn,
    at: seconds(CompletionDate),
    keptDays: DestinationRecoveryPointLifecycle?.DeleteAfterDays,
  }));
}

/**
 * The status is in CloudFormation's words (`UPDATE_COMPLETE`). Undefined if there is no such stack. Throws the SDK's
 * error if AWS refuses.
 */
export async function deployedStack(access: AwsAccess, name: string) {
  try {
    const { Stacks } = await new CloudFormationClient(access).send(new DescribeStacksCommand({ StackName: name }));
    const { StackStatus = '', Outputs = [] } = Stacks?.[0] ?? {};
    const outputs = Outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue] as const);
    const named: Readonly<Record<string, string>> = Object.fromEntries(outputs);
    return { status: StackStatus, outputs: named };
  } catch (error) {
    if (error instanceof Error && error.name === 'ValidationError') return undefined;
    throw error;
  }
}

/** Throws the SDK's error if AWS refuses. */
export async function deployedCommit(access: AwsAccess, stage: Stage): Promise<string> {
  const service = await deployedStack(access, `${prefixOf(stage)}-service`);
  return service?.outputs['Commit'] ?? 'unknown';
}
