import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { CloudWatchLogsClient, GetQueryResultsCommand, StartQueryCommand } from '@aws-sdk/client-cloudwatch-logs';
import { logGroupsOf, readRunbook, runbookText } from '#infra/runbook.ts';
import type { KeyOwner } from '#shared/domain/partners/partner.ts';
import { type Instant, type Milliseconds, seconds } from '#shared/domain/values/time.ts';
import { parsed } from './administration-client.ts';
import { CommandError } from './errors.ts';
import type { ReachedStage } from './stage.ts';

export const FACTS = ['at', 'operation', 'status', 'lead', 'simulation', 'analysis', 'analyses', 'address'] as const;
type Line = Readonly<Record<string, string | number | undefined>>;
type KeyCall = Readonly<Record<(typeof FACTS)[number], Line[string]>> & { readonly at: Instant };
interface Search extends Pick<KeyOwner, 'partnerId' | 'keyId'> {
  readonly since: Instant;
  readonly until: Instant;
}

export class CallsForbidden extends CommandError {}

function callOf(line: Line, at: Instant): KeyCall {
  const { operation, status, lead, simulation, analysis, analyses, address } = line;
  return { at, operation, status, lead, simulation, analysis, analyses, address };
}

/** Returns a value of Logs Insights: a number or a text, which may be written as JSON. */
function factIn(value: string | undefined): Line[string] {
  const read = parsed(`${value}`);
  return typeof read === 'number' || typeof read === 'string' ? read : value;
}

const isLine = (value: unknown): value is Line => typeof value === 'object' && value !== null;

const CALLS_OF_KEY = 'authentication-failures/calls-of-key';

/**
 * Returns a key's calls by the runbook's query, newest first. Throws a CommandError if Logs Insights does not complete
 * the query.
 */
export async function callsOnAws(
  { access, stage }: NonNullable<ReachedStage['aws']>,
  search: Search,
  pause: (length: Milliseconds) => Promise<unknown> = wait,
): Promise<KeyCall[]> {
  const { partnerId, keyId, since, until } = search;
  const asked = readRunbook(runbookText())
    .get('authentication-failures')
    ?.queries.find(({ name }) => name === CALLS_OF_KEY);
  if (!asked) throw new TypeError(`the runbook has no query ${CALLS_OF_KEY}`);
  const { text, sources } = asked;
  const client = new CloudWatchLogsClient(access);
  const asksForKey = text
    .replace('PUT THE ID HERE', `${partnerId}`)
    .replace('ispresent(of_key)', `of_key = "${keyId}"`);
  const query = new StartQueryCommand({
    logGroupNames: logGroupsOf(stage, sources),
    queryString: asksForKey,
    startTime: Math.floor(since / 1000),
    endTime: Math.ceil(until / 1000),
  });
  const { queryId } = await client.send(query);
  const look = () => client.send(new GetQueryResultsCommand({ queryId }));
  let answer = await look();
  for (; answer.status === 'Scheduled' || answer.status === 'Running'; answer = await look()) await pause(seconds(1));
  const { status, results = [] } = answer;
  if (status !== 'Complete') throw new CommandError(`Logs Insights says ${status}: repeat it, or with a later --since`);
  const calls = results.map((row) => {
    const { at, ...line } = Object.fromEntries(
      row.map(({ field = '', value }) => [field.replace('of_', ''), factIn(value)]),
    );
    // Logs Insights returns max(@timestamp) as a number, and a timestamp itself as a text in UTC.
    return callOf(line, Number(at) || Date.parse(`${at}Z`));
  });
  const oldest = calls.at(-1)?.at ?? until;
  if (!text.endsWith(`limit ${calls.length}`) || oldest >= until) return calls;
  // A query returns at most its limit. The next query asks for older calls, and again for the oldest call's
  // millisecond.
  const older = await callsOnAws({ access, stage }, { ...search, until: oldest }, pause);
  return calls.filter(({ at }) => at > oldest).concat(older.filter(({ at }) => at <= oldest));
}

/** Returns the calls newest first. Throws CallsForbidden if the duty may not read the logs. */
export function callsHere({ caller, logs = '' }: Pick<ReachedStage, 'caller' | 'logs'>, search: Search): KeyCall[] {
  if (!['local', 'security'].includes(caller)) throw new CallsForbidden(`${caller} may not read calls: security may`);
  const lines = readdirSync(logs)
    .flatMap((file) => readFileSync(join(logs, file), 'utf8').split('\n'))
    .map(parsed)
    .filter(isLine);
  const addresses = new Map(lines.flatMap(({ request_id, address }) => (address ? [[request_id, address]] : [])));
  return lines
    .filter(({ code, partner }) => code === 'request_completed' && partner === search.partnerId)
    .filter(({ key, timestamp }) => key === search.keyId && Date.parse(`${timestamp}`) >= search.since)
    .map(({ timestamp, request_id, ...line }) =>
      callOf({ ...line, address: addresses.get(request_id) }, Date.parse(`${timestamp}`)),
    )
    .sort((one, other) => other.at - one.at);
}
