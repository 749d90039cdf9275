import { describe, expect } from 'vitest';
import { SUBMIT_LEASE } from '../../shared/domain/analyses/analysis.ts';
import { SECOND_PASS_AFTER } from '../../shared/domain/leads/erasure.ts';
import { deliveriesOfAnalysis } from '../../shared/table/replays.ts';
import { interleave, type Schedule, type Stepped, sweep } from '../makers/interleaved.ts';
import { OverlappingSubmission } from '../makers/overlapping-submission.ts';
import { usePeers } from '../makers/peers.ts';

usePeers();

/** Milliseconds by which a run is held up while the other goes on. */
const HELD_UP = [0, SUBMIT_LEASE + 1];

type Run = (stepped: Stepped) => Promise<unknown>;

interface Overlap {
  /** What has happened before the runs begin. */
  readonly before: (world: OverlappingSubmission) => Promise<unknown>;
  readonly runs: (world: OverlappingSubmission) => readonly Run[];
}

const unstepped: Stepped = (port) => port;
/** A submission whose process died before it reached the operator; its lock has run out. */
async function cutOff(world: OverlappingSubmission): Promise<void> {
  const dies: Stepped = (port) =>
    new Proxy(port, {
      get: (target, property) =>
        property === 'submit' ? () => Promise.reject(new Error('cut off')) : Reflect.get(target, property, target),
    });
  await expect(world.submit(dies)).rejects.toThrow('cut off');
  world.now += SUBMIT_LEASE + 1;
}
async function submitted(world: OverlappingSubmission): Promise<void> {
  await world.submit(unstepped);
  world.now += SUBMIT_LEASE + 1;
}
const nothing = async () => {};

const OVERLAPS: Readonly<Record<string, Overlap>> = {
  'a submission and its retry': { before: nothing, runs: ({ submit }) => [submit, submit] },
  'two retries of a submission that was cut off': { before: cutOff, runs: ({ submit }) => [submit, submit] },
  'a retry and the poller': { before: cutOff, runs: ({ submit, poll }) => [submit, poll('Em análise')] },
  'a submission and the poller': { before: nothing, runs: ({ submit, poll }) => [submit, poll('Aprovado')] },
  'two polls over what was never sent': {
    before: cutOff,
    runs: ({ poll }) => [poll('Em análise'), poll('Em análise')],
  },
  'two polls that hear different outcomes': { before: submitted, runs: ({ poll }) => [poll('Aprovado'), poll('ERRO')] },
  'a poll that hears an outcome and one that heard a text': {
    before: submitted,
    runs: ({ poll }) => [poll('Aprovado'), poll('Em mesa de crédito')],
  },
  'a push and a poll that hear the same outcome': {
    before: submitted,
    runs: ({ push, poll }) => [push('Aprovado'), poll('Aprovado')],
  },
  'a push and a poll that hear different outcomes': {
    before: submitted,
    runs: ({ push, poll }) => [push('Aprovado'), poll('ERRO')],
  },
  'two pushes of different outcomes': {
    before: submitted,
    runs: ({ push }) => [push('Aprovado'), push('Reprovado')],
  },
  'a push and the submission that it is about': {
    before: nothing,
    runs: ({ push, submit }) => [push('Aprovado'), submit],
  },
  'a push and a retry': { before: cutOff, runs: ({ push, submit }) => [push('Aprovado'), submit] },
  'an erasure and a push': { before: submitted, runs: ({ erase, push }) => [erase, push('Aprovado')] },
  'an erasure and a poll over what was never sent': {
    before: cutOff,
    runs: ({ erase, poll }) => [erase, poll('Em análise')],
  },
  'an erasure and a poll that hears an outcome': {
    before: submitted,
    runs: ({ erase, poll }) => [erase, poll('Aprovado')],
  },
  'a submission, its retry and the poller': {
    before: cutOff,
    runs: ({ submit, poll }) => [submit, submit, poll('Aprovado')],
  },
  'a retry, a push and an erasure': {
    before: cutOff,
    runs: ({ submit, push, erase }) => [submit, push('Aprovado'), erase],
  },
  'two polls, a push and an erasure': {
    before: submitted,
    runs: ({ poll, push, erase }) => [poll('Aprovado'), poll('ERRO'), push('Reprovado'), erase],
  },
  'an erasure and a submission': { before: nothing, runs: ({ erase, submit }) => [erase, submit] },
  'an erasure and a retry': { before: cutOff, runs: ({ erase, submit }) => [erase, submit] },
};

/** What must hold once everyone who goes on later has gone on; `where` names the schedule. */
async function expectOnce(world: OverlappingSubmission, answers: readonly unknown[], where: string): Promise<void> {
  const { tenancy, lead, analyses, consents, received } = world;
  const references = received.map(({ id }) => id);
  expect([where, new Set(references).size, references.length <= 1]).toEqual([where, references.length, true]);
  expect([where, ((await consents.ofLead(tenancy, lead.id)) ?? []).length <= 1]).toEqual([where, true]);
  expect([where, world.claimedLate]).toEqual([where, []]);

  // Later the key is asked once more, and the bank decides.
  world.now += SUBMIT_LEASE + 1;
  const last = await world.submit(unstepped).catch((error: unknown) => error);
  const told = answers.filter((answer) => (answer as { status?: number } | undefined)?.status === 202);
  if (!(last instanceof Error)) expect([where, ...told]).toEqual([where, ...told.map(() => last)]);
  const [listed] = (await analyses.ofLead(tenancy, lead.id)) ?? [];
  const found = listed && (await analyses.get(tenancy, listed.id));
  for (let minute = 0; minute < 3; minute++, world.now += SUBMIT_LEASE + 1) await world.poll('Reprovado')(unstepped);
  expect([where, received.length <= 1]).toEqual([where, true]);

  for (const analysis of found ? [found] : received) {
    const ended = (await analyses.get(tenancy, analysis.id))!;
    const events = await deliveriesOfAnalysis(tenancy, analysis.id);
    // A final situation is final: what the bank says later changes nothing.
    if (found && found.situation !== 'em_analise') expect([where, ended]).toEqual([where, found]);
    expect([where, ended.situation, events.length]).toEqual([
      where,
      ended.situation === 'em_analise' ? '' : ended.situation,
      1,
    ]);
    if (ended.rawStatus.startsWith('Cancelado antes do envio')) expect([where, received]).toEqual([where, []]);
  }
}

// More of the schedules with SOAK=1.
describe.each(Object.entries(OVERLAPS))('%s', (_, { before, runs }) => {
  async function play({ choose, heldUp, where }: Schedule): Promise<readonly number[]> {
    const world = await OverlappingSubmission.begin();
    await before(world);
    const { results, calls } = await interleave(runs(world), choose, () => {
      world.now += heldUp;
    });
    const failed = results.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []));
    // Whoever comes second may be told so; nothing else may fail.
    const known = ['idempotencia_em_andamento', 'lead_nao_encontrado'];
    expect([where, failed.filter((code) => !known.includes(code))]).toEqual([where, []]);
    await expectOnce(
      world,
      results.map((result) => result.status === 'fulfilled' && result.value),
      where,
    );
    world.now += SECOND_PASS_AFTER;
    return calls;
  }

  sweep('do no harm to each other', play, HELD_UP);
});
