import { readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { isOnThisMachine, sendToThisMachine } from '#infra/local/inbox.ts';
import { id as idField } from '#shared/administration/fields.ts';
import { accountEventOf, eventOf, testEventOf } from '#shared/contract/event.ts';
import { type Analysis, isPending, SITUATIONS, type Situation } from '#shared/domain/analyses/analysis.ts';
import { BANKS, type Bank } from '#shared/domain/values/bank.ts';
import {
  type AnalysisId,
  drawId,
  type LeadId,
  type PartnerId,
  type SubmissionId,
  type UnitId,
} from '#shared/domain/values/ids.ts';
import { ENVIRONMENTS, type Environment } from '#shared/domain/values/tenancy.ts';
import {
  ACCOUNT_EVENT,
  BOOKED_TYPES,
  type EventType,
  type Message,
  TEST_EVENT,
} from '#shared/domain/webhooks/delivery.ts';
import { id, wholeNumber } from './arguments.ts';
import { command } from './command.ts';
import { CommandError, UsageError } from './errors.ts';
import type { Session } from './session.ts';

// The trial needs no stage, no account and no stored partner.

interface TriggerOptions {
  readonly secret?: string;
  readonly secretFile?: string;
  readonly url: string;
  readonly event: Message['type'];
  readonly situation?: Situation;
  readonly bank: Bank;
  readonly environment: Environment;
  readonly analysis?: AnalysisId;
  readonly attempt: number;
  readonly forged?: true;
}

const SECRET = /^whsec_[A-Za-z0-9+/]+={0,2}$/;

/**
 * Returns the current secret first. Throws a UsageError if there is none, or if a text is not a secret; never repeats a
 * secret.
 */
function secretsOf({ secret, secretFile }: TriggerOptions): readonly [string, ...string[]] {
  const text = secretFile === undefined ? secret : fileText(secretFile);
  const [current, previous, ...others] = (text ?? '').split(/\s+/).filter((word) => word !== '');
  if (current === undefined) {
    throw new UsageError('give the secret: --secret-file, or WEBHOOK_SECRET in the environment');
  }
  const secrets: readonly [string, ...string[]] = previous === undefined ? [current] : [current, previous];
  if (others.length > 0 || !secrets.every((word) => SECRET.test(word))) {
    throw new UsageError('a secret is whsec_ and base64; at most two, the current one first');
  }
  return secrets;
}

function fileText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(
      `the secret's file cannot be read (${error instanceof Error && 'code' in error ? error.code : error})`,
    );
  }
}

const OUTCOMES = SITUATIONS.filter((situation) => !isPending(situation));

const situationsOf = (type: EventType): readonly Situation[] =>
  type === 'analise.erro' ? ['erro'] : OUTCOMES.filter((one) => one !== 'erro');

const PARTNER = idField<PartnerId>('The partner.').parse(1);
const UNIT = idField<UnitId>('The unit.').parse(1);
const SUBMISSION = idField<SubmissionId>('The submission.').parse(1);

/**
 * Makes the event with the code that makes the service's events. Throws a UsageError if events of this type do not
 * report the situation.
 */
function messageOf(options: TriggerOptions, now: number): Message {
  const { event: type, bank, environment } = options;
  if (type === TEST_EVENT) return testEventOf({ partnerId: PARTNER, environment }, now);
  if (type === ACCOUNT_EVENT) {
    return accountEventOf({ partnerId: PARTNER, change: 'webhook_segredo', environment }, now);
  }
  const allowed = situationsOf(type);
  const [usual] = allowed;
  const situation = options.situation ?? usual;
  if (situation === undefined || !allowed.includes(situation)) {
    throw new UsageError(`an event ${type} reports ${allowed.join(', ')}, not --situation ${situation}`);
  }
  const analysisId = options.analysis ?? drawId<AnalysisId>(now);
  const analysis: Analysis = {
    id: analysisId,
    unitId: UNIT,
    environment,
    partnerId: PARTNER,
    leadId: drawId<LeadId>(now),
    bank,
    submissionId: SUBMISSION,
    situation,
    queryNumber: `SB-${analysisId}`,
    rawStatus: situation.toUpperCase(),
    sequence: 1,
    createdAt: now,
  };
  return eventOf(analysis, now);
}

async function trigger(options: TriggerOptions, session: Session): Promise<void> {
  const { url, attempt, forged = false } = options;
  const secrets = secretsOf(options);
  if (!(await isOnThisMachine(url))) {
    throw new UsageError(
      'webhook trigger sends only to this machine (http://127.0.0.1:4200/webhooks, localhost, [::1]): webhook ping tries the address of a partner',
    );
  }
  const message = messageOf(options, session.clock());
  const result = await sendToThisMachine(message, { url, secrets, forged, attempt }, session.clock);
  const pairs: [string, string | number | undefined][] = [
    ['event', message.eventId],
    ['type', message.type],
    ['body', message.body],
    ['result', result.delivered ? 'accepted' : `refused: ${result.failure}`],
    ['status', result.status],
    ['took', `${result.milliseconds} ms`],
  ];
  if (!result.delivered && result.detail) pairs.push(['answer', result.detail.slice(0, 500)]);
  const { eventId: event_id, type } = message;
  session.printRecord({ event_id, type, attempt, body: JSON.parse(message.body), ...result }, pairs);
  if (!forged && !result.delivered) throw new CommandError('the receiver did not accept the event');
  if (!forged) return;
  if (result.delivered) throw new CommandError('the receiver accepted a forged event: it does not verify signatures');
  if (result.failure !== 'http_4xx') throw new CommandError('the receiver did not answer the forged event with a 4xx');
  session.note('The receiver refused the forged event, as it should.');
}

export function webhookTrial(noun: Command, session: Session): void {
  const triggering = command(
    noun,
    'trigger',
    'sign an event as the service does and send it to this machine',
    'webhook trigger --url http://127.0.0.1:4200/webhooks --secret-file s.txt',
    'webhook trigger --url http://localhost:8080/hook --situation recusado --bank inter',
  )
    .requiredOption('--url <url>', 'where to: a loopback address')
    .addOption(
      new Option('--event <type>')
        .choices([...BOOKED_TYPES, TEST_EVENT])
        .default('analise.resultado' satisfies EventType),
    )
    .addOption(new Option('--situation <name>', 'the outcome').choices(OUTCOMES))
    .addOption(new Option('--bank <nickname>').choices(BANKS).default('itau' satisfies Bank))
    .addOption(new Option('--environment <name>').choices(ENVIRONMENTS).default('sandbox'))
    .option('--analysis <id>', 'id of the analysis; the same id twice is the same event', id)
    .option('--attempt <number>', 'number of the attempt', wholeNumber(1, 12), 1)
    .option('--forged', 'sign with another secret: a good receiver refuses it')
    .option('--secret-file <file>', 'file with the secret; a second line may have the previous one')
    .addOption(
      new Option('--secret <whsec>', 'the secret itself; other users may see it in the process list').env(
        'WEBHOOK_SECRET',
      ),
    )
    .action((options: TriggerOptions) => trigger(options, session));
  session.needsNoStage(triggering);
}
