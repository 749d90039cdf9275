import { describe, expect } from 'vitest';
import { SUBMIT_LEASE } from '../../shared/domain/analyses/analysis.ts';
import { UnsentWatch } from '../../shared/domain/analyses/unsent-watch.ts';
import { SECOND_PASS_AFTER } from '../../shared/domain/leads/erasure.ts';
import { deliveriesOfAnalysis } from '../../shared/table/replays.ts';
import { interleave, type Schedule, type Stepped, sweep } from '../makers/interleaved.ts';
import { OverlappingSubmission } from '../makers/overlapping-submission.ts';
import { usePeers } from '../makers/peers.ts';
import { SKEWS } from '../makers/skews.ts';

usePeers();

const DAY = 86_400_000;
/** Milliseconds by which a run is held up while the other goes on. */
const HELD_UP = [0, SUBMIT_LEASE + 1];

type Run = (stepped: Stepped) => Promise<unknown>;

interface Overlap {
  /** What has happened before the runs begin. */
  readonly before: (world: OverlappingSubmission) => Promise<unknown>;
  /** The runs, the second ones in a container of their own. */
  readonly runs: (world: OverlappingSubmission, other: OverlappingSubmission) => readonly Run[];
  /** Whether it is played by clocks that disagree, too. */
  readonly skews?: true;
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
  world.story.now += SUBMIT_LEASE + 1;
}
async function submitted(world: OverlappingSubmission): Promise<void> {
  await world.submit(unstepped);
  world.story.now += SUBMIT_LEASE + 1;
}
const nothing = async () => {};

const OVERLAPS: Readonly<Record<string, Overlap>> = {
  'a submission and its retry': { before: nothing, runs: ({ submit }, other) => [submit, other.submit], skews: true },
  'two retries of a submission that was cut off': { before: cutOff, runs: ({ submit }) => [submit, submit] },
  'a retry and the poller': {
    before: cutOff,
    runs: ({ submit }, { poll }) => [submit, poll('Em análise')],
    skews: true,
  },
  'a submission and the poller': {
    before: nothing,
    runs: ({ submit }, { poll }) => [submit, poll('Aprovado')],
    skews: true,
  },
  'two polls over what was never sent': {
    before: cutOff,
    runs: ({ poll }, other) => [poll('Em análise'), other.poll('Em análise')],
    skews: true,
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
  'two pushes of different outcomes': { before: submitted, runs: ({ push }) => [push('Aprovado'), push('Reprovado')] },
  'a push and the submission that it is about': {
    before: nothing,
    runs: ({ push, submit }) => [push('Aprovado'), submit],
  },
  'a push and a retry': { before: cutOff, runs: ({ push, submit }) => [push('Aprovado'), submit] },
  'an erasure and a push': { before: submitted, runs: ({ erase, push }) => [erase, push('Aprovado')] },
  'an erasure and a poll over what was never sent': {
    before: cutOff,
    runs: ({ poll }, { erase }) => [erase, poll('Em análise')],
    skews: true,
  },
  'an erasure and a poll that hears an outcome': {
    before: submitted,
    runs: ({ erase, poll }) => [erase, poll('Aprovado')],
  },
  'a submission, its retry and the poller': {
    before: cutOff,
    runs: ({ submit }, other) => [submit, other.submit, other.poll('Aprovado')],
    skews: true,
  },
  'a retry, a push and an erasure': {
    before: cutOff,
    runs: ({ submit, push, erase }) => [submit, push('Aprovado'), erase],
  },
  'two polls, a push and an erasure': {
    before: submitted,
    runs: ({ poll, push, erase }) => [poll('Aprovado'), poll('ERRO'), push('Reprovado'), erase],
  },
  'an erasure and a submission': { before: nothing, runs: ({ erase }, { submit }) => [erase, submit], skews: true },
  'an erasure and the sweeper that goes on with it': {
    before: async (world) => {
      await submitted(world);
      await world.poll('Aprovado')(unstepped);
    },
    runs: ({ erase }, { sweep: goOn }) => [erase, goOn],
    skews: true,
  },
  'an erasure and a retry': { before: cutOff, runs: ({ erase, submit }) => [erase, submit] },
};

/** What must hold once everyone who goes on later has gone on; `where` names the schedule. */
async function expectOnce(world: OverlappingSubmission, answers: readonly unknown[], where: string): Promise<void> {
  const { story, analyses, consents, erasures } = world;
  const { tenancy, lead, received } = story;
  const references = received.map(({ id }) => id);
  expect([where, new Set(references).size, references.length <= 1]).toEqual([where, references.length, true]);
  expect([where, ((await consents.ofLead(tenancy, lead.id)) ?? []).length <= 1]).toEqual([where, true]);
  expect([where, story.claimedLate]).toEqual([where, []]);

  // Later the key is asked once more, and the bank decides.
  world.story.now += SUBMIT_LEASE + 1;
  const last = await world.submit(unstepped).catch((error: unknown) => error);
  const told = answers.filter((answer) => (answer as { status?: number } | undefined)?.status === 202);
  if (!(last instanceof Error)) expect([where, ...told]).toEqual([where, ...told.map(() => last)]);
  const [listed] = (await analyses.ofLead(tenancy, lead.id)) ?? [];
  const found = listed && (await analyses.get(tenancy, listed.id));
  const container = new UnsentWatch();
  for (let minute = 0; minute < 5; minute++, story.now += SUBMIT_LEASE + 1)
    await world.poll('Reprovado', container)(unstepped);
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

  // Whoever has begun an erasure, and by whatever clock, it comes to its end, and nothing is counted twice.
  for (let pass = 0; pass < 3; pass++, story.now += DAY + SECOND_PASS_AFTER) await world.sweep(unstepped);
  const erasure = await erasures.get(tenancy, lead.id);
  if (!erasure) return;
  const { state, nextCheckAt, passes, forms } = erasure;
  expect([where, state, nextCheckAt, passes.length]).toEqual([where, 'apagado', undefined, 2]);
  expect([where, forms]).toEqual([where, passes[0]!.analyses]);
  expect([where, (await analyses.prepare(tenancy, lead.id, story.claim)).earlier]).toEqual([where, undefined]);
}

function describeStory({ before, runs }: Overlap, skew = 0): void {
  async function play({ choose, heldUp, where }: Schedule): Promise<readonly number[]> {
    const world = await OverlappingSubmission.begin();
    await before(world);
    const { results, calls } = await interleave(runs(world, world.skewed(skew)), choose, () => {
      world.story.now += heldUp;
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
    return calls;
  }

  sweep('do no harm to each other', play, HELD_UP, skew === 0 ? 1 : 3);
}

// More of the schedules with SOAK=1.
describe.each(Object.entries(OVERLAPS))('%s', (_, story) => describeStory(story));
// What two containers agree on may rest on no clock: each story once more, the second run by another one.
describe.each(SKEWS)('containers whose clocks are %i ms apart', (skew) => {
  const skewed = Object.entries(OVERLAPS).filter(([, { skews }]) => skews);
  describe.each(skewed)('%s', (_, story) => describeStory(story, skew));
});
