import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { administrationOf, STAGE_NAMES, type Stage, stageNamed, stageValues } from '#infra/stages.ts';
import { DUTIES, type Duty } from '#shared/administration/operation.ts';
import { type AdministrationAccess, dutiesFor, parsed } from './administration-client.ts';
import { type AwsAccess, accessTo, awsCaller, callSigner, deployedStack } from './aws.ts';
import { CommandError, UsageError } from './errors.ts';

export const LOCAL = 'local';
export const STAGES: readonly string[] = [...STAGE_NAMES, LOCAL];

/** Environment variable with the API's address, for callers who may not read CloudFormation's stacks. */
const URL_VARIABLE = 'MANAGER_ADMINISTRATION_URL';

const serviceFormat = z.object({
  administration: z.object({ url: z.url(), tokens: z.partialRecord(z.enum(DUTIES), z.string()) }),
  logs: z.string(),
});

export interface ReachedStage {
  /** Rejects with a CommandError if the API has no known address. */
  access(): Promise<AdministrationAccess>;
  readonly name: string;
  /** The caller's ARN on AWS. For the local run, the duty, or `local` if none was chosen. */
  readonly caller: string;
  /** Place and caller, for questions: `Stage prod, account 111122223333, as people/maria`. */
  readonly place: string;
  /** AWS with the caller's credentials, and the stage's values. Undefined for the local run. */
  readonly aws: { readonly access: AwsAccess; readonly stage: Stage } | undefined;
  readonly logs?: string;
}

type LocalCaller = { readonly duty?: Duty; readonly person?: string };

/**
 * Reaches AWS with the caller's own credentials, or the local run with a token of its service file: that of `duty`,
 * else of the first duty that may make the call. Throws a UsageError or a CommandError that names the cure.
 */
export async function reachStage(name: string, serviceFile: string, as: LocalCaller): Promise<ReachedStage> {
  if (name === LOCAL) return reachLocal(serviceFile, as);
  if (as.duty !== undefined || as.person !== undefined)
    throw new UsageError('--duty is for --local, and so is --person: on AWS your own role says what you may do');
  const stage = stageValues(named(name));
  refuseEndpoints(name);
  const aws = accessTo(stage.region);
  const { account, arn } = await awsCaller(aws);
  if (stage.account !== undefined && account !== stage.account) {
    throw new CommandError(
      `these credentials are of account ${account}, stage ${name} is in ${stage.account}: use that account's profile (AWS_PROFILE)`,
    );
  }
  return {
    access: async () => ({ url: await administrationUrl(aws, stage), sign: callSigner(aws) }),
    name,
    caller: arn,
    place: `Stage ${name}, account ${account}, as ${arn.slice(arn.lastIndexOf(':') + 1).replace(/^assumed-role\//, '')}`,
    aws: { access: aws, stage },
  };
}

/** Returns the address from the environment, else from the stack's output. Throws a CommandError if neither has it. */
async function administrationUrl(aws: AwsAccess, stage: Stage): Promise<string> {
  const configured = process.env[URL_VARIABLE];
  if (configured) return configured;
  const name = administrationOf(stage);
  try {
    const url = (await deployedStack(aws, name))?.outputs['AdministrationUrl'];
    if (url !== undefined) return url;
  } catch (error) {
    if (!(error instanceof Error) || !error.name.startsWith('AccessDenied')) throw error;
    throw new CommandError(
      `you may not read the outputs of stack ${name}: set ${URL_VARIABLE} to its AdministrationUrl`,
      { cause: error },
    );
  }
  throw new CommandError(`this stage has no stack ${name}: deploy its stacks first`);
}

/**
 * Throws a UsageError if the shell sets endpoints of AWS: calls for AWS would reach the local run or an emulator.
 * MANAGER_EMULATED_STAGE names a stage that is meant to be emulated.
 */
function refuseEndpoints(name: string): void {
  if (process.env['MANAGER_EMULATED_STAGE'] === name) return;
  const variables = Object.keys(process.env).filter((name) => name.startsWith('AWS_ENDPOINT_URL') && process.env[name]);
  if (variables.length > 0)
    throw new UsageError(
      `${variables.join(', ')} would lead elsewhere than to stage ${name}: unset them, or say --local`,
    );
}

function named(name: string) {
  try {
    return stageNamed(name);
  } catch {
    throw new UsageError(`there is no stage ${JSON.stringify(name)}: use ${STAGES.join(', ')}`);
  }
}

function reachLocal(file: string, { duty, person }: LocalCaller): ReachedStage {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandError(
      `${file} is missing: start the local run first (npm start), or name the file of another run with --service-file`,
      { cause: error },
    );
  }
  const service = serviceFormat.safeParse(parsed(text));
  if (!service.success)
    throw new CommandError(
      `${file} is no service file of a local run: name the right one with --service-file, or start the run again (npm start)`,
    );
  const { url, tokens } = service.data.administration;
  return {
    access: async () => ({
      url,
      sign: async (call) => {
        const [first] = dutiesFor(call);
        const bearer = duty ?? first;
        const token = bearer && tokens[bearer];
        if (token === undefined) throw new CommandError(`${file} has no token of that duty: start the run again`);
        return { ...call.headers, authorization: `Bearer ${token}${person === undefined ? '' : `~${person}`}` };
      },
    }),
    name: LOCAL,
    caller: [person, duty].filter((part) => part !== undefined).join(' / ') || LOCAL,
    place: duty === undefined ? `Stage ${LOCAL}` : `Stage ${LOCAL}, duty ${duty}`,
    aws: undefined,
    logs: service.data.logs,
  };
}
