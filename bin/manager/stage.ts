import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { administrationOf, STAGE_NAMES, type Stage, stageNamed, stageValues } from '#infra/stages.ts';
import { DUTIES, type Duty } from '#shared/administration/operation.ts';
import { type AdministrationAccess, parsed } from './administration-client.ts';
import { type AwsAccess, accessTo, awsCaller, callSigner, deployedStack } from './aws.ts';
import { CommandError, UsageError } from './errors.ts';

/** The local run as a stage. */
const LOCAL = 'local';
export const STAGES: readonly string[] = [...STAGE_NAMES, LOCAL];

/** Where this program finds the API without asking CloudFormation: for callers who may not read stacks. */
const URL_VARIABLE = 'MANAGER_ADMINISTRATION_URL';

/** What the local run writes for this program. */
const serviceFormat = z.object({
  administration: z.object({ url: z.url(), tokens: z.partialRecord(z.enum(DUTIES), z.string()) }),
  logs: z.string(),
});

/** A stage as the caller reaches it. */
export interface ReachedStage {
  /** Where the administration's API is; fails where it cannot be found. */
  access(): Promise<AdministrationAccess>;
  readonly name: string;
  /** The caller as AWS knows them, an ARN; of the local run its duty. */
  readonly caller: string;
  /** Place and caller, for questions: `Stage prod, account 111122223333, as people/maria`. */
  readonly place: string;
  /** AWS by the caller's credentials, and the stage's values; none for the local run. */
  readonly aws: { readonly access: AwsAccess; readonly stage: Stage } | undefined;
  /** The folder of the local run's logs. */
  readonly logs?: string;
}

type LocalCaller = { readonly duty?: Duty; readonly person?: string };

/**
 * Reaches a stage: AWS by the caller's own credentials, or the local run by the tokens of its service file, of which
 * `duty` picks one; without it each call takes that of the first duty that may make it. `person` is who bears it.
 */
export async function reachStage(name: string, serviceFile: string, as: LocalCaller): Promise<ReachedStage> {
  if (name === LOCAL) return reachLocal(serviceFile, as);
  if (as.duty !== undefined || as.person !== undefined)
    throw new UsageError('--duty is for --local, as is --person: on AWS your own role says what you may do');
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

/** The address of a stage's API: what the environment names, else the output of its stack. */
async function administrationUrl(aws: AwsAccess, stage: Stage): Promise<string> {
  const set = process.env[URL_VARIABLE];
  if (set) return set;
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
 * Endpoints of the shell win over the stage's: what was meant for AWS would change the local run, or an emulator. An
 * emulated stage is named in MANAGER_EMULATED_STAGE, so that nobody reaches one unawares.
 */
function refuseEndpoints(name: string): void {
  if (process.env['MANAGER_EMULATED_STAGE'] === name) return;
  const set = Object.keys(process.env).filter((one) => one.startsWith('AWS_ENDPOINT_URL') && process.env[one]);
  if (set.length > 0)
    throw new UsageError(`${set.join(', ')} would lead elsewhere than to stage ${name}: unset them, or say --local`);
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
      `${file} is missing: start the local run first (npm start), or name the file of another by --service-file`,
      { cause: error },
    );
  }
  const service = serviceFormat.safeParse(parsed(text));
  if (!service.success)
    throw new CommandError(
      `${file} is no service file of a local run: name it by --service-file, or start it anew (npm start)`,
    );
  const { url, tokens } = service.data.administration;
  return {
    access: async () => ({
      url,
      sign: async ({ route, headers }) => {
        const [first] = route.duties;
        const bearer = duty ?? first;
        const token = bearer && tokens[bearer];
        if (token === undefined) throw new CommandError(`${file} has no token of that duty: start the run anew`);
        return { ...headers, authorization: `Bearer ${token}${person === undefined ? '' : `~${person}`}` };
      },
    }),
    name: LOCAL,
    caller: duty ?? LOCAL,
    place: duty === undefined ? `Stage ${LOCAL}` : `Stage ${LOCAL}, duty ${duty}`,
    aws: undefined,
    logs: service.data.logs,
  };
}
