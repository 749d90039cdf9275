import { join } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { type AwsLikeSettings, parseAwsLike } from '../infra/local/aws/aws-like/settings.ts';
import type { LocalOptions } from '../infra/local/engines.ts';
import { StartError } from '../infra/local/listen.ts';
import { type LocalRun, type LocalService, startLocal } from '../infra/local/run.ts';
import { type Milliseconds, minutes, seconds } from '../shared/domain/values/time.ts';

const project = join(import.meta.dirname, '..');

function number(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0) throw new InvalidArgumentError('a whole number is needed');
  return value;
}

const UNITS: Readonly<Record<string, Milliseconds>> = { ms: 1, s: seconds(1), m: minutes(1) };

/** Takes `500ms`, `2s` or `1m`. Throws an InvalidArgumentError for any other text, and for 0. */
function duration(text: string): Milliseconds {
  const [, count, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m)$/.exec(text) ?? [];
  const value = Number(count ?? 0) * (UNITS[unit] ?? 0);
  if (value <= 0) throw new InvalidArgumentError('a time such as 2s, 500ms or 1m is needed');
  return value;
}

/** Throws commander's InvalidArgumentError if the text is no setting. */
function awsLikeOf(text: string): AwsLikeSettings {
  try {
    return parseAwsLike(text);
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
  }
}

const command = new Command('npm start --')
  .description('The whole service on this machine, made from the template that AWS gets.')
  .option('--port <number>', 'port of the gateway', number, 3000)
  .option('--fresh', 'an empty service in memory; without it data is kept in .local', false)
  .option('--poll-every <time>', 'time between ticks of the schedules, 2s for example (on AWS: a minute)', duration)
  .option('--rate <number>', 'calls a minute of the demo partner', number, 120)
  .option('--approvals', 'certain changes wait for the approval of a second person, as in production', false)
  .option('--verbose', 'show everything that functions write, not only warnings and errors', false)
  .addOption(
    new Option(
      '--aws-like [day]',
      'transactions that conflict, late indexes and old reads, as on AWS: default, harsh (with faults), or <day>:<seed>',
    )
      .preset('default')
      .argParser(awsLikeOf),
  )
  .option('--folder <path>', 'where data is kept', join(project, '.local'))
  .option('--service-file <path>', 'where addresses and keys are written to (default: service.json in the folder)')
  .option('--assembly <path>', 'a dev stage that was synthesised before (default: this run synthesises it)')
  .option('--canary <path>', 'a dev stage of another release, whose functions take every second invocation')
  .parse();
type RunOptions = Omit<LocalOptions, 'serviceFile' | 'dynamoDbEndpoint'>;
const options = command.opts<RunOptions & Partial<Pick<LocalOptions, 'serviceFile'>>>();

// Lambda's clock shows UTC.
process.env['TZ'] = 'UTC';

const started = Date.now();
const time = (): string => new Date().toISOString().slice(11, 19);
let run: LocalRun | undefined;
let ending = false;

async function end(code: number): Promise<void> {
  if (ending) return;
  ending = true;
  const timer = setTimeout(() => process.exit(code), 5000);
  await run?.close();
  clearTimeout(timer);
  process.exit(code);
}

function fail(message: string): void {
  console.error(`npm start: ${message}`);
  void end(1);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void end(0));

function readyText({ url, dashboards, keys, inbox, administration }: LocalService): string {
  const body = `'{"nome":"Maria de Souza","cpf":"900.000.001-75"}'`;
  return `
Ready after ${((Date.now() - started) / 1000).toFixed(1)} s. Ctrl-C ends everything.

  API             ${url}
  documentation   ${url}/docs
  sandbox key     ${keys.sandbox}
  production key  ${keys.producao}
  webhook inbox   ${inbox.url}   (GET lists the events)
  operations      ${dashboards}
  manager's panel ${administration.panel}   (password ${administration.password})

  curl ${url}/health
  curl ${url}/v1/me -H 'X-API-Key: ${keys.sandbox}'
  curl ${url}/v1/leads -H 'X-API-Key: ${keys.sandbox}' -H 'Content-Type: application/json' -d ${body}
`;
}

try {
  run = startLocal(
    project,
    {
      ...options,
      serviceFile: options.serviceFile ?? join(options.folder, 'service.json'),
      dynamoDbEndpoint: process.env['AWS_ENDPOINT_URL_DYNAMODB'],
    },
    {
      step: (text) => console.log(`${((Date.now() - started) / 1000).toFixed(1).padStart(5)} s  ${text}`),
      line: (text) => console.log(`${time()}  ${text}`),
      lost: fail,
    },
  );
  const service = await run.ready;
  if (!ending) console.log(readyText(service));
} catch (error) {
  // The run was already ending when it failed: this failure needs no message.
  if (ending) await run?.close();
  else if (error instanceof StartError) fail(error.message);
  else {
    console.error(error);
    fail('the local run could not start');
  }
}
