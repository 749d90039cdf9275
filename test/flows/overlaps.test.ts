import { beforeAll, describe, expect } from 'vitest';
import { eventOf } from '#shared/contract/event.ts';
import { type Analysis, isWithdrawn, SUBMIT_LEASE } from '#shared/domain/analyses/analysis.ts';
import { bookAnswer, type pollNow } from '#shared/domain/analyses/book-answer.ts';
import { pollAnalysis } from '#shared/domain/analyses/poll-analysis.ts';
import type { OperatorApi, RecordedWithdrawal } from '#shared/domain/analyses/ports.ts';
import { recordOutcomes } from '#shared/domain/analyses/record-outcomes.ts';
import { submissionOf } from '#shared/domain/analyses/submission.ts';
import { UnsentWatch } from '#shared/domain/analyses/unsent-watch.ts';
import { erasePerson, sweepErasures } from '#shared/domain/leads/erase-person.ts';
import { SECOND_PASS_AFTER } from '#shared/domain/leads/erasure.ts';
import type { Lead } from '#shared/domain/leads/lead.ts';
import type { Erasures } from '#shared/domain/leads/ports.ts';
import { Failure } from '#shared/domain/values/failure.ts';
import { type Answer, IDEMPOTENCY_TTL } from '#shared/domain/values/idempotency.ts';
import type { PartnerId } from '#shared/domain/values/ids.ts';
import { earlierAnswer } from '#shared/http/partner/once.ts';
import { TableAnalyses } from '#shared/table/analyses/analyses.ts';
import { TableConsentWithdrawals } from '#shared/table/analyses/consent-withdrawals.ts';
import { TableErasures } from '#shared/table/leads/lead-erasure.ts';
import { TableLeads } from '#shared/table/leads/leads.ts';
import { deliveriesOfAnalysis } from '#shared/table/webhooks/replays.ts';
import { consentsOf, withdrawalsOf } from '#test/makers/evidence.ts';
import { NO_NOTIFIER } from '../makers/delivery-queue.ts';
import { intercepted, interceptTable } from '../makers/intercepted.ts';
import { interleave, type Schedule, type Stepped, testSchedules } from '../makers/interleaved.ts';
import { createLead } from '../makers/lead.ts';
import { usePeers } from '../makers/peers.ts';
import { SKEWS } from '../makers/skews.ts';
import { stopwatchBy } from '../makers/stopwatch.ts';
import { makeSubmissionDraft, newClaim } from '../makers/submission.ts';
import { newTenancy } from '../makers/tenancy.ts';

usePeers();
beforeAll(interceptTable);

const START = 1_780_000_000_000;
const DAY = 86_400_000;
/** Time limit for one call to the operator, in milliseconds. */
const ONE_CALL = 10_000;
/** Milliseconds for which a run is paused while another run continues. */
const HELD_UP = [0, SUBMIT_LEASE + 1];
/** A withdrawal of the consent on which the submission of each story rests. */
const WITHDRAWAL = { withdrawnAt: '2026-01-03T09:30:00-03:00', channel: 'app' };

/** Makes the state that the containers of a story share, for one person's submission to one bank. */
async function begin() {
  const tenancy = newTenancy();
  const leads = new TableLeads(() => START);
  return {
    tenancy,
    claim: { ...newClaim(tenancy, START), expiresAt: START + IDEMPOTENCY_TTL.analyses },
    lead: await createLead(leads, tenancy),
    /** The time of the story, in milliseconds since 1970. */
    now: START,
    /** The analyses that the operator has received, with one entry for each bank submission. */
    received: [] as Analysis[],
    /** Analyses that were claimed although the erasure had been requested or the consent withdrawn. */
    claimedLate: [] as Analysis[],
    /** What each report of a withdrawal was answered. */
    withdrawals: [] as RecordedWithdrawal[],
  };
}
type Story = Awaited<ReturnType<typeof begin>>;
type Container = ReturnType<typeof container>;

/**
 * Returns the runs that may handle the submission at the same time, in a container whose clock is `ahead` milliseconds
 * fast.
 */
function container(story: Story, ahead: number) {
  const { tenancy, lead, claim, received } = story;
  const clock = () => story.now + ahead;
  const [analyses, erasures] = [new TableAnalyses(clock, eventOf), new TableErasures(clock)];
  const [leads, withdrawals] = [new TableLeads(clock), new TableConsentWithdrawals(clock)];
  const ledger = { add: async () => {}, page: async () => ({ items: [], unreadable: 0, next: undefined }) };

  /**
   * Returns an operator that answers `text` about each analysis that it has received. A call that is paused for longer
   * than its time limit fails and never reaches the operator.
   */
  function operatorThatSays(text: string, stepped: Stepped): OperatorApi {
    const timely = <T>(asked: number, otherwise: T, answer: () => T) =>
      story.now - asked >= ONE_CALL ? otherwise : answer();
    const inner = stepped({
      submit: async (analysis: Analysis, asked: number) =>
        timely<Awaited<ReturnType<OperatorApi['submit']>>>(asked, { kind: 'unknown' }, () => {
          received.push(analysis);
          return { kind: 'accepted', queryNumber: `IT-${analysis.id}`, rawStatus: 'Em análise' };
        }),
      query: async ({ id }: Analysis, asked: number) =>
        timely<Awaited<ReturnType<OperatorApi['query']>>>(asked, { kind: 'failed' }, () =>
          received.some((one) => one.id === id)
            ? { kind: 'known', queryNumber: `IT-${id}`, rawStatus: text }
            : { kind: 'absent' },
        ),
    });
    return {
      openFor: () => undefined,
      submit: (analysis) => inner.submit(analysis, story.now),
      query: (analysis) => inner.query(analysis, story.now),
    };
  }

  /**
   * Claims a submission, and records its analyses as claimed late if the erasure had been requested or the consent
   * withdrawn before.
   */
  const watchedClaim: TableAnalyses['claim'] = async (draft, wanted) => {
    const asked = await erasures.get(tenancy, lead.id);
    const withdrawnAt = (await leads.get(tenancy, lead.id))?.consentWithdrawnAt;
    const claimed = await analyses.claim(draft, wanted);
    if ((asked || withdrawnAt !== undefined) && typeof claimed === 'object' && 'done' in claimed)
      story.claimedLate.push(...claimed.done);
    return claimed;
  };
  const watched = Object.assign(new TableAnalyses(clock, eventOf), { claim: watchedClaim });

  return {
    ...{ story, analyses, erasures },

    /** Does what POST /v1/analises does, for the first call and for a retry with the same key. */
    submit: async (stepped: Stepped): Promise<Answer> => {
      const store = stepped(watched);
      const operator = operatorThatSays('Em análise', stepped);
      const withoutConsent = () => new Failure('consentimento_ausente');
      const draftFor = (found: Lead) => {
        const draft = makeSubmissionDraft(tenancy, found, { banks: ['itau'] });
        const isMissing = isWithdrawn(Date.parse(draft.consent.givenAt), found.consentWithdrawnAt);
        if (isMissing) throw withoutConsent();
        return draft;
      };
      const told = (all: readonly Analysis[]) =>
        all.map(({ id, situation, queryNumber }) => [id, situation, queryNumber]);
      const { begin, resume } = submissionOf(lead.id, draftFor, {
        ...{ operator, analyses: store, clock, notifier: NO_NOTIFIER, observer: { submitted() {} } },
        answerFor: (all) => ({ status: 202, body: JSON.stringify(told(all.map(({ after }) => after))) }),
        leadGone: () => new Failure('lead_nao_encontrado'),
        consentWithdrawn: withoutConsent,
      });
      const begun = await begin(claim);
      if ('done' in begun) return begun.done;
      return earlierAnswer(begun.earlier, story.now) ?? resume(begun.earlier);
    },

    /**
     * Does what a container of the poller does with the analysis, while the bank answers `text`. If the analysis has
     * not been sent, the poller visits it again a minute later.
     */
    poll:
      (text: string, unsent = new UnsentWatch(stopwatchBy(clock))) =>
      async (stepped: Stepped): Promise<Awaited<ReturnType<typeof pollNow>> | 'final'> => {
        const store = stepped(analyses);
        const visit = async (again: boolean): Promise<Awaited<ReturnType<typeof pollNow>> | 'final'> => {
          const [listed] = (await store.ofLead(tenancy, lead.id)) ?? [];
          const analysis = listed && (await store.get(tenancy, listed.id));
          if (analysis?.situation !== 'em_analise') return 'final';
          if (analysis.queryNumber === '') unsent.see(analysis);
          const form = () => store.form(analysis, analysis.submissionId);
          const found = await pollAnalysis(analysis, {
            ...{ operator: operatorThatSays(text, stepped), resubmit: { analyses: store, unsent, form } },
            ...{ clock, signal: new AbortController().signal },
          });
          if (again && analysis.queryNumber === '' && found.kind === 'no_news') {
            story.now += SUBMIT_LEASE;
            return visit(false);
          }
          const booking = { analyses: store, notifier: NO_NOTIFIER, observer: { concluded() {} } };
          return (await bookAnswer(analysis, found, booking)) ? found.kind : 'overtaken';
        };
        return visit(true);
      },

    /** Does what the service does if the operator pushes `text` for the analysis. */
    push: (text: string) => async (stepped: Stepped) => {
      const store = stepped(analyses);
      const [listed] = (await store.ofLead(tenancy, lead.id)) ?? [];
      if (!listed) return [];
      const { id, bank } = listed;
      const told = { ...tenancy, id, bank, queryNumber: `IT-${id}`, rawStatus: text };
      return recordOutcomes([told], {
        ...{ analyses: store, notifier: NO_NOTIFIER },
        names: { withoutNames: async (_, said) => said, numberWithoutNames: async (_, number) => number },
        observer: { asked() {}, concluded() {} },
        failed: (error) => {
          throw error;
        },
      });
    },

    /** Does what a report of the withdrawal does. Each call of the table waits for its turn. */
    withdraw: async (stepped: Stepped): Promise<RecordedWithdrawal | undefined> => {
      const wire = stepped({ pass: <T>(call: () => Promise<T>): Promise<T> => call() });
      const recorded = await intercepted({ around: (_, call) => wire.pass(call) }, () =>
        withdrawals.record(tenancy, lead.id, WITHDRAWAL),
      );
      if (!recorded || !('done' in recorded)) return undefined;
      story.withdrawals.push(recorded.done);
      return recorded.done;
    },

    /** Does what the administration does to erase the person. */
    erase: (stepped: Stepped) => {
      const subject = { ...tenancy, partnerId: 3 as PartnerId, leadId: lead.id };
      return erasePerson(subject, { erasures: stepped(erasures), ledger, clock });
    },

    /** Does what the sweeper does with this person's erasure. */
    sweep: async (stepped: Stepped): Promise<void> => {
      const due: Erasures['due'] = async (before) => {
        const erasure = await erasures.get(tenancy, lead.id);
        // The real index also holds the erasures of earlier stories.
        return { items: (erasure?.nextCheckAt ?? before) < before ? [erasure!] : [], next: undefined };
      };
      const deps = {
        erasures: stepped(Object.assign(new TableErasures(clock), { due })),
        ledger,
        clock,
        inTime: () => true,
      };
      const { failed } = await sweepErasures(deps);
      if (failed[0]) throw failed[0].error;
    },
  };
}

type Run = (stepped: Stepped) => Promise<unknown>;

interface Overlap {
  /** Does what happens before the runs begin. */
  readonly before: (world: Container) => Promise<unknown>;
  /** Returns the runs, of `world` and of another container. */
  readonly runs: (world: Container, other: Container) => readonly Run[];
  /** Whether the overlap is also played with clocks that disagree. */
  readonly skews?: true;
}

const unstepped: Stepped = (port) => port;
/** Makes a submission whose process dies before it reaches the operator, and lets its lock run out. */
async function cutOff(world: Container): Promise<void> {
  const dies: Stepped = (port) =>
    new Proxy(port, {
      get: (target, property) => {
        if (property === 'submit') return () => Promise.reject(new Error('cut off'));
        const method: unknown = Reflect.get(target, property, target);
        return typeof method === 'function' ? method.bind(target) : method;
      },
    });
  await expect(world.submit(dies)).rejects.toThrow('cut off');
  world.story.now += SUBMIT_LEASE + 1;
}
async function submitted(world: Container): Promise<void> {
  await world.submit(unstepped);
  world.story.now += SUBMIT_LEASE + 1;
}
/** Makes a submission that never reached the operator, and withdraws the consent of its person. */
async function cutOffAndWithdrawn(world: Container): Promise<void> {
  await cutOff(world);
  await world.withdraw(unstepped);
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
  'two polls of an analysis that was never sent': {
    before: cutOff,
    runs: ({ poll }, other) => [poll('Em análise'), other.poll('Em análise')],
    skews: true,
  },
  'two polls that get different outcomes': { before: submitted, runs: ({ poll }) => [poll('Aprovado'), poll('ERRO')] },
  'a poll that gets an outcome and a poll that gets another text': {
    before: submitted,
    runs: ({ poll }) => [poll('Aprovado'), poll('Em mesa de crédito')],
  },
  'a push and a poll of the same outcome': {
    before: submitted,
    runs: ({ push, poll }) => [push('Aprovado'), poll('Aprovado')],
  },
  'a push and a poll of different outcomes': {
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
  'an erasure and a poll of an analysis that was never sent': {
    before: cutOff,
    runs: ({ poll }, { erase }) => [erase, poll('Em análise')],
    skews: true,
  },
  'an erasure and a poll that gets an outcome': {
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
  'an erasure and the sweeper that continues it': {
    before: async (world) => {
      await submitted(world);
      await world.poll('Aprovado')(unstepped);
    },
    runs: ({ erase }, { sweep: goOn }) => [erase, goOn],
    skews: true,
  },
  'an erasure and a retry': { before: cutOff, runs: ({ erase, submit }) => [erase, submit] },
  'a withdrawal and a submission': {
    before: nothing,
    runs: ({ withdraw }, { submit }) => [withdraw, submit],
    skews: true,
  },
  'a withdrawal and a retry': { before: cutOff, runs: ({ withdraw, submit }) => [withdraw, submit] },
  'a withdrawal and a poll of an analysis that was never sent': {
    before: cutOff,
    runs: ({ withdraw }, { poll }) => [withdraw, poll('Em análise')],
    skews: true,
  },
  'a withdrawal and a poll that gets an outcome': {
    before: submitted,
    runs: ({ withdraw, poll }) => [withdraw, poll('Aprovado')],
  },
  'a withdrawal and a push': { before: submitted, runs: ({ withdraw, push }) => [withdraw, push('Aprovado')] },
  'a withdrawal and an erasure': { before: submitted, runs: ({ withdraw, erase }) => [withdraw, erase] },
  'a withdrawal, a retry and the poller': {
    before: cutOff,
    runs: ({ withdraw, submit }, { poll }) => [withdraw, submit, poll('Em análise')],
  },
  'two withdrawals': { before: cutOff, runs: ({ withdraw }, other) => [withdraw, other.withdraw], skews: true },
  'two polls after a withdrawal, of an analysis that was never sent': {
    before: cutOffAndWithdrawn,
    runs: ({ poll }, other) => [poll('Em análise'), other.poll('Em análise')],
  },
  'a retry and the poller after a withdrawal': {
    before: cutOffAndWithdrawn,
    runs: ({ submit }, { poll }) => [submit, poll('Em análise')],
  },
};

/** Checks what must hold after later retries, polls and sweeps have completed the work. `where` names the schedule. */
async function expectOnce(world: Container, answers: readonly unknown[], where: string): Promise<void> {
  const { story, analyses, erasures } = world;
  const { tenancy, lead, received } = story;
  const references = received.map(({ id }) => id);
  expect(new Set(references).size, where).toBe(references.length);
  expect(references.length, where).toBeLessThanOrEqual(1);
  expect((await consentsOf(tenancy, lead.id, story.now)).length, where).toBeLessThanOrEqual(1);
  expect(story.claimedLate, where).toEqual([]);
  const withdrawals = await withdrawalsOf(tenancy, lead.id, story.now);

  // Later the key is sent once more, and the bank decides.
  world.story.now += SUBMIT_LEASE + 1;
  const last = await world.submit(unstepped).catch((error: unknown) => error);
  const told = answers.filter((answer) => (answer as { status?: number } | undefined)?.status === 202);
  if (!(last instanceof Error)) for (const answer of told) expect(answer, where).toEqual(last);
  const [listed] = (await analyses.ofLead(tenancy, lead.id)) ?? [];
  const found = listed && (await analyses.get(tenancy, listed.id));
  const container = new UnsentWatch(stopwatchBy(() => story.now));
  for (let minute = 0; minute < 5; minute++, story.now += SUBMIT_LEASE + 1)
    await world.poll('Reprovado', container)(unstepped);
  expect(received.length, where).toBeLessThanOrEqual(1);

  // One withdrawal is stored. Its answer names each analysis that was claimed before it, and from then on none is sent.
  expect(withdrawals.length, where).toBe(story.withdrawals.length > 0 ? 1 : 0);
  for (const { withdrawal, affected } of story.withdrawals) {
    expect(withdrawal, where).toEqual(withdrawals[0]);
    for (const { id, isSent } of affected) if (isSent) expect(references, where).toContain(id);
    if (found?.situation === 'em_analise') expect(affected, where).toMatchObject([{ id: found.id }]);
    expect(received, where).toHaveLength(references.length);
  }

  for (const analysis of found ? [found] : received) {
    const ended = (await analyses.get(tenancy, analysis.id))!;
    const events = await deliveriesOfAnalysis(tenancy, analysis.id);
    // A final situation never changes, whatever the bank says later.
    if (found && found.situation !== 'em_analise') expect(ended, where).toEqual(found);
    expect(ended.situation, where).not.toBe('em_analise');
    expect(events, where).toHaveLength(1);
    if (ended.rawStatus.startsWith('Cancelado antes do envio')) expect(received, where).toEqual([]);
  }

  // An erasure ends, whichever run and clock began it, and counts nothing twice.
  for (let pass = 0; pass < 3; pass++, story.now += DAY + SECOND_PASS_AFTER) await world.sweep(unstepped);
  const erasure = await erasures.get(tenancy, lead.id);
  if (!erasure) return;
  const { state, nextCheckAt, passes, forms } = erasure;
  expect(state, where).toBe('apagado');
  expect(nextCheckAt, where).toBeUndefined();
  expect(passes, where).toHaveLength(2);
  expect(forms, where).toBe(passes[0]!.analyses);
  expect((await analyses.prepare(lead.id, story.claim)).earlier, where).toBeUndefined();
  expect(await withdrawalsOf(tenancy, lead.id, story.now), where).toEqual(withdrawals);
}

function describeStory({ before, runs }: Overlap, skew = 0): void {
  async function play({ choose, heldUp, where }: Schedule): Promise<readonly number[]> {
    const story = await begin();
    const world = container(story, 0);
    await before(world);
    const { results, calls } = await interleave(runs(world, container(story, skew)), choose, () => {
      story.now += heldUp;
    });
    const failed = results.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []));
    // A run may fail because the key is in use, the lead is gone or the consent withdrawn, and for no other reason.
    const known = ['idempotencia_em_andamento', 'lead_nao_encontrado', 'consentimento_ausente'];
    expect(
      failed.filter((code) => !known.includes(code)),
      where,
    ).toEqual([]);
    await expectOnce(
      world,
      results.map((result) => result.status === 'fulfilled' && result.value),
      where,
    );
    return calls;
  }

  testSchedules(
    'overlapping runs ask the bank once, write one event and end erasures',
    play,
    HELD_UP,
    skew === 0 ? 1 : 3,
  );
}

// SOAK=1 plays more of the schedules.
describe.each(Object.entries(OVERLAPS))('%s', (_, story) => describeStory(story));
// What two containers agree on must not depend on their clocks. So stories are also played with another clock in the
// second container: with all of SKEWS if SOAK=1 is set, otherwise with one that is far behind and one that is ahead.
const skews = process.env['SOAK'] ? SKEWS : SKEWS.filter((_, index) => index % 2 === 0);
describe.each(skews)('containers whose clocks are %i ms apart', (skew) => {
  const skewed = Object.entries(OVERLAPS).filter(([, { skews }]) => skews);
  describe.each(skewed)('%s', (_, story) => describeStory(story, skew));
});
