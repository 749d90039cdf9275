import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { SignatureV4 } from '@smithy/signature-v4';
import { signedHeaders, type UnsignedCall } from './administration-client.ts';
import { CommandError } from './errors.ts';

// AWS with the caller's own credentials: the SDK's chain (environment, profile, SSO, web identity, container, machine).

/** Time limit for an answer of AWS, in milliseconds. */
const DEADLINE = 10_000;

/** Configuration that every client of the SDK gets. */
export interface AwsAccess {
  readonly region: string;
  readonly requestHandler: { readonly requestTimeout: number; readonly throwOnRequestTimeout: true };
}

export const accessTo = (region: string): AwsAccess => ({
  region,
  requestHandler: { requestTimeout: DEADLINE, throwOnRequestTimeout: true },
});

/** Returns who the caller is to AWS: account (12 digits) and ARN. Throws a CommandError if AWS does not say. */
export async function awsCaller(access: AwsAccess): Promise<{ readonly account: string; readonly arn: string }> {
  const { Account, Arn } = await new STSClient(access).send(new GetCallerIdentityCommand({}));
  if (!Account || !Arn) throw new CommandError('AWS does not say who the caller is: sign in again');
  return { account: Account, arn: Arn };
}

/** Returns a function that signs calls of `execute-api` with the caller's credentials. */
export function callSigner(access: AwsAccess): (call: UnsignedCall) => Promise<Record<string, string>> {
  const { credentials, sha256 } = new STSClient(access).config;
  const signer = new SignatureV4({ service: 'execute-api', region: access.region, credentials, sha256 });
  return (call) => signedHeaders(signer, call);
}

/**
 * Returns a deployed stack: its outputs, and its status in CloudFormation's words (`UPDATE_COMPLETE`). Undefined if
 * there is no stack of that name. Throws the SDK's error if AWS refuses.
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
