/**
 * A rehearsal of an upgrade, with the local run on one folder:
 * - The older release makes data of every kind and is killed in the middle of its work. This release continues.
 * - This release is killed, and the older one continues (rollback).
 * - Each release takes every second run of every function, as during a gradual deployment.
 *
 * After each step, reads return the same, each bank was asked once, each event arrives under one id, and erasures end.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Milliseconds } from '#shared/domain/values/time.ts';
import type { InboxEvent } from '../inbox.ts';
import {
  type Accepted,
  eventsOf,
  type Finding,
  findingOf,
  HistoryMaker,
  type Repeatable,
  repeat,
  until,
} from './history.ts';
import { type KeptRun, startKeptRun } from './kept-run.ts';

interface UpgradeOptions {
  readonly project: string;
  readonly older: string;
  readonly folder: string;
  readonly assembly?: string;
  readonly together: Milliseconds;
  /** Whether to include what takes minutes: leases of submissions in doubt, deliveries whose message was lost. */
  readonly waits: boolean;
  readonly say: (line: string) => void;
}

interface Work {
  readonly accepted: readonly Accepted[];
  /** Reads whose answer does not change by itself, and the answer. */
  readonly reads: readonly { readonly path: string; readonly ask: Asked; readonly body: unknown }[];
  readonly repeatable: readonly Repeatable[];
  /** Leads whose erasure waits for a bank. */
  readonly erasing: readonly number[];
  readonly heard: readonly InboxEvent[];
}

type Asked = (run: KeptRun) => ReturnType<KeptRun['call']>;

const BANKS = ['itau', 'inter'];
const REFUSED = /the rows in \.local have layout .*/;

/**
 * Takes a release out of git into an empty folder. Uses this project's packages if both locks are equal, else `npm ci`.
 * Throws an Error with one sentence if git has no such ref.
 */
export function checkOut(project: string, ref: string, folder: string): void {
  mkdirSync(folder, { recursive: true });
  const archive = join(folder, 'release.tar');
  try {
    const quiet = { cwd: project, stdio: 'pipe' } as const;
    execFileSync('git', ['archive', '--output', archive, '--end-of-options', `${ref}^{commit}`], quiet);
  } catch {
    throw new Error(`git has no commit ${ref} here: name one, or fetch more of the history`);
  }
  execFileSync('tar', ['-xf', archive, '-C', folder]);
  const [here, there] = [project, folder].map((root) => readFileSync(join(root, 'package-lock.json'), 'utf8'));
  if (here === there) {
    for (const packages of globSync(['node_modules', 'shared/partner/client/node_modules'], { cwd: project })) {
      symlinkSync(join(project, packages), join(folder, packages));
    }
  } else execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'pipe' });
}

export async function rehearseUpgrade(options: UpgradeOptions): Promise<readonly Finding[]> {
  const { project, older, folder, together, waits, say } = options;
  const fresh = join(folder, 'assembly');
  /** Moves the stage that a run has just synthesised out of the next run's way. */
  const keepStage = (name: string): string => {
    if (existsSync(fresh)) renameSync(fresh, join(folder, name));
    return join(folder, name);
  };
  const findings: Finding[] = [];
  const note = (leg: string, found: readonly Finding[]) =>
    findings.push(...found.map((one) => ({ ...one, what: `${leg}: ${one.what}` })));
  /** Lets a run finish the work before it, and make work of its own. */
  const turn = async (leg: string, run: KeptRun, before: Work | undefined): Promise<Work> => {
    try {
      if (before) note(leg, await compare(run, before));
      say(`${leg}: ${before ? 'everything left was checked; ' : ''}at work`);
      return await makeWork(run, findings.length * 100, waits);
    } finally {
      await run.kill();
      say(`${leg}: killed`);
    }
  };

  const first = await turn('the older release', await startKeptRun(older, folder, undefined), undefined);
  const olderStage = keepStage('assembly-older');
  const upgraded = await turn('upgraded', await startKeptRun(project, folder, options.assembly), first);
  const stage = options.assembly ?? keepStage('assembly-newer');
  let back: KeptRun;
  try {
    back = await startKeptRun(older, folder, olderStage);
  } catch (error) {
    const [sentence] = REFUSED.exec(String(error)) ?? [];
    if (sentence === undefined) throw error;
    say(`rolled back: the older release refuses, "${sentence}"; so both at once are not tried`);
    return findings;
  }
  const rolledBack = await turn('rolled back', back, upgraded);

  const both = await startKeptRun(project, folder, stage, olderStage);
  try {
    const ends = Date.now() + together;
    const works = [await makeWork(both, 10_000, waits)];
    // Later rounds order no faults: the faults would hit submissions in doubt of the first round.
    while (Date.now() < ends) works.push(await makeWork(both, 10_000 + works.length * 100, false));
    say(`both at once: ${works.length} rounds of work made`);
    const allWork: Work = {
      accepted: works.flatMap(({ accepted }) => accepted),
      reads: works.flatMap(({ reads }) => reads),
      repeatable: works.flatMap(({ repeatable }) => repeatable),
      erasing: works.flatMap(({ erasing }) => erasing),
      // One run has one receiver, which is asked for all its events again.
      heard: [],
    };
    note('both at once, of what was left', await compare(both, rolledBack));
    note('both at once', await compare(both, allWork));
    const answered = (log: string) => existsSync(join(folder, 'logs', log));
    const functions = ['create-lead', 'submit-analyses', 'poll-bank-outcomes', 'deliver-webhook'];
    const missing = functions.filter((name) => !answered(`${name}.log`) || !answered(`${name}.canary.log`));
    note('both at once', [{ what: 'functions of which each release has answered', of: functions.length, missing }]);
  } finally {
    await both.kill();
  }
  return findings;
}

/** Leaves as much work as possible unfinished. `people`: number of people invented before. */
async function makeWork(run: KeptRun, people: number, waits: boolean): Promise<Work> {
  const maker = await HistoryMaker.of(run, people);
  const { sandbox, producao } = run.keys;
  const reads: Work['reads'][number][] = [];
  const noteRead = async (path: string, ask: Asked) => {
    const { status, body } = await ask(run);
    if (status !== 200) throw new Error(`GET ${path} answered ${status} ${JSON.stringify(body)}`);
    reads.push({ path, ask, body });
  };
  const read = (path: string, key: string) => noteRead(path, (of) => of.call('GET', path, key));

  const manage = async (path: string, body: object) => {
    const { status, body: answer } = await run.manage('manager', 'POST', path, { ...body, reason: 'rehearsal' });
    if (status !== 200) throw new Error(`POST ${path} answered ${status} ${JSON.stringify(answer)}`);
    return answer;
  };
  const { partner_id } = (await manage('/v1/partners', { name: 'Imobiliária Ensaio' })).partner;
  const { unit_id } = (await manage('/v1/units', { partner_id, name: 'Unidade Ensaio' })).unit;
  const { text } = await manage('/v1/keys', { partner_id, unit_id, environment: 'sandbox' });
  const address = { url: run.inbox.url, reason: 'rehearsal' };
  await run.manage('manager', 'PUT', `/v1/webhooks/${partner_id}/sandbox`, address);
  await read('/v1/me', text);
  for (const path of ['units?partner_id=', 'keys?partner_id=', 'webhooks/'])
    await noteRead(path, (of) => of.manage('auditor', 'GET', `/v1/${path}${partner_id}`));

  const lead: number = (await run.call('POST', '/v1/leads', sandbox, maker.invent())).body.lead_id;
  const wish = { lead_id: lead, valor_imovel: 500_000, valor_financiado: 250_000, prazo: 240, bancos: BANKS };
  const { resultado } = (await run.call('POST', '/v1/simulacoes', sandbox, wish)).body;
  for (const { simulacao_id } of resultado.resultados) {
    await read(`/v1/simulacoes/${simulacao_id}`, sandbox);
    await read(`/v1/simulacoes/${simulacao_id}/parcelas`, sandbox);
  }
  await read(`/v1/leads/${lead}`, sandbox);

  const concluded = await maker.submit('concluded', BANKS);
  for (const { reference } of concluded) await run.operator.decide(reference, 'Aprovado');
  await maker.waitForEvents(concluded);
  const atOneBank = await maker.submit('pending', ['brb']);
  const pending = atOneBank.concat(await maker.submit('pending', BANKS));
  for (const { reference } of pending) await run.operator.decide(reference, 'Em análise');
  const erased = atOneBank[0]?.leadId;
  if (erased === undefined) throw new Error('a submission to one bank has no analysis');
  if ((await maker.erase(erased)) !== 'aguardando') throw new Error('the erasure does not wait for its bank');

  if (waits) {
    await maker.submitUndelivered();
    await maker.submitInDoubt();
  }
  for (const { leadId } of maker.accepted.filter((one) => one.leadId !== erased)) {
    await read(`/v1/leads/${leadId}`, producao);
    await read(`/v1/leads/${leadId}/consentimentos`, producao);
  }
  for (const { id } of concluded) await read(`/v1/analises/${id}/status`, producao);
  return {
    accepted: maker.accepted,
    reads,
    repeatable: maker.repeatable,
    erasing: [erased],
    heard: await run.events(),
  };
}

async function compare(run: KeptRun, { accepted, reads, repeatable, erasing, heard }: Work): Promise<Finding[]> {
  const key = run.keys.producao;
  const changed: string[] = [];
  for (const { path, ask, body } of reads) if (!contains((await ask(run)).body, body)) changed.push(path);
  const repeated = await repeat(run, repeatable);

  const waiting = accepted.filter(({ story }) => story === 'pending');
  for (const { reference } of waiting) await run.operator.decide(reference, 'Aprovado');
  const maker = await HistoryMaker.of(run);
  const arrivedEvents = async () => [...heard, ...(await run.events())].filter(({ status }) => status === 200);
  await until('the outcomes and events of what was left', async () => {
    const events = await arrivedEvents();
    return accepted.every((one) => eventsOf(events, one).length > 0) ? true : undefined;
  });
  const open = [];
  for (const leadId of erasing) {
    const states: string[] = [];
    await until('the end of an erasure', async () => {
      states.push(await maker.erase(leadId));
      return states.at(-1) === 'apagado' ? true : undefined;
    });
    if ((await run.call('GET', `/v1/leads/${leadId}`, key)).status !== 404) open.push(`lead ${leadId}`);
  }

  const events = await arrivedEvents();
  const { references } = await run.operator.state();
  const living = accepted.filter(({ leadId }) => !erasing.includes(leadId));
  const answers = new Map(
    await Promise.all(
      living.map(async (one) => [one, (await run.call('GET', `/v1/analises/${one.id}/status`, key)).body] as const),
    ),
  );
  return [
    { what: 'what could be read reads the same', of: reads.length, missing: changed },
    repeated,
    findingOf(living, 'analyses that have number and outcome', (one) => {
      const { num_consulta, pendente } = answers.get(one)?.analise ?? {};
      return Boolean(num_consulta) && pendente === false;
    }),
    findingOf(
      accepted,
      'outcomes of which the partner was told, under one event id',
      (one) => new Set(eventsOf(events, one).map(({ id }) => id)).size === 1,
    ),
    findingOf(accepted, 'bank submissions with one credit query', (one) => references[one.reference]?.accepted === 1),
    { what: 'erasures that ended', of: erasing.length, missing: open },
  ];
}

/** A release may add fields. */
function contains(now: unknown, before: unknown): boolean {
  if (typeof before !== 'object' || before === null || typeof now !== 'object' || now === null) return now === before;
  const values = new Map(Object.entries(now));
  return Object.entries(before).every(([name, value]) => contains(values.get(name), value));
}
