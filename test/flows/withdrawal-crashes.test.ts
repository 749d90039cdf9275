/**
 * A withdrawal of consent that is cut off, or that comes between any two calls of a submission or of the poller. What
 * was not sent by then is never sent.
 */
import { expect, it, vi } from 'vitest';
import type { RecordedWithdrawal } from '#shared/domain/analyses/ports.ts';
import type { Answer, Claim } from '#shared/domain/values/idempotency.ts';
import { idOf, type LeadId } from '#shared/domain/values/ids.ts';
import type { Tenancy } from '#shared/domain/values/tenancy.ts';
import * as wiring from '#shared/wiring.ts';
import { withdrawalsOf } from '#test/makers/evidence.ts';
import { atEachCall, intercepted, meanwhile, stoppedAt } from '../makers/intercepted.ts';
import { CONSENTED_AT } from '../makers/people.ts';
import { type Person, useScene } from '../makers/scene.ts';
import { newClaim } from '../makers/submission.ts';
import { passTime } from '../makers/test-clock.ts';

vi.mock('#shared/wiring.ts', async (real) => (await import('../makers/intercepted.ts')).openWiring(await real()));
vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 });

const scene = useScene();
const BANK = 'itau';

let keys = 0;
const newKey = () => `key-${++keys}`;

const tenancy = (): Tenancy => ({ unitId: scene.partner.unitId, environment: scene.environment });
const leadOf = ({ lead }: Person): LeadId => idOf<LeadId>(lead);
const claimOfWithdrawal = (): Claim => newClaim(tenancy(), Date.now(), 'withdraw-consent');
const answerFor = ({ withdrawal }: RecordedWithdrawal): Answer => ({ status: 201, body: String(withdrawal.id) });

/** Reports that a person has withdrawn the consent on which their submissions rest. Returns what the port returns. */
const report = (person: Person, claim: Claim) =>
  wiring
    .consentWithdrawals()
    .record(tenancy(), leadOf(person), { withdrawnAt: CONSENTED_AT, channel: 'app' }, { claim, answerFor });

/** Withdraws the consent on which the submissions of a person rest. */
async function withdraw(person: Person): Promise<RecordedWithdrawal> {
  const outcome = await report(person, claimOfWithdrawal());
  if (!outcome || !('done' in outcome)) throw new Error('nothing was withdrawn');
  return outcome.done;
}

/** Returns a person with a submission that was claimed and never reached its bank, and lets its lock run out. */
async function unsent(): Promise<Person> {
  const person = await scene.person();
  await stoppedAt({ at: 1, when: 'before', of: 'operator submit' }, () => scene.submit(person, [BANK], newKey()));
  scene.lockRunsOut();
  return person;
}

/** Lets the poller complete what it can. */
async function completed(person: Person): Promise<void> {
  for (let minute = 0; minute < 5; minute++) await scene.tick(person);
}

/**
 * Checks that each analysis of a person has ended with one event, that the bank was asked `queries` times, and that an
 * analysis which was never sent says why it has ended.
 */
async function expectEnded(person: Person, queries: number, where: string): Promise<void> {
  const { pendentes, analises } = (await scene.analyses(person.lead)).body;
  expect(pendentes, where).toBe(0);
  expect(scene.queriesOn(person, [BANK]), where).toEqual([queries]);
  for (const { analise_id } of analises) {
    expect(await scene.events([analise_id]), where).toHaveLength(1);
    const { situacao, status_original } = (await scene.status(analise_id)).body.analise;
    if (queries > 0) continue;
    expect(situacao, where).toBe('cancelado');
    expect(status_original, where).toBe('Cancelado antes do envio: consentimento revogado pelo titular');
  }
}

it('a withdrawal that is stopped at any call is stored once by a retry with its key, and nothing is sent', async () => {
  const points = await atEachCall(async (point) => {
    const person = await unsent();
    const claim = claimOfWithdrawal();
    const { where, finished } = await stoppedAt(point, () => report(person, { ...claim }));
    await report(person, { ...claim });
    const [withdrawal, ...others] = await withdrawalsOf(tenancy(), leadOf(person), Date.now());
    expect(others, where).toEqual([]);
    const answer = { status: 201, body: String(withdrawal?.id) };
    expect(await report(person, { ...claim }), where).toMatchObject({ earlier: { sameContent: true, answer } });
    await completed(person);
    await expectEnded(person, 0, where);
    return finished;
  });
  // The calls are: lead and key, the lead's list, the pending analysis, and the transaction.
  expect(points).toBeGreaterThanOrEqual(4);
});

it('a submission that is stopped at any call is not sent after a withdrawal of its consent', async () => {
  await atEachCall(async (point) => {
    const person = await scene.person();
    const key = newKey();
    const { where, finished } = await stoppedAt(point, () => scene.submit(person, [BANK], key));
    const [sent = 0] = scene.queriesOn(person, [BANK]);
    const { affected } = await withdraw(person);
    scene.lockRunsOut();
    const retry = await scene.submit(person, [BANK], key);
    expect(retry.status, where).toBe(affected.length > 0 ? 202 : 422);
    await completed(person);
    await expectEnded(person, sent, where);
    return finished;
  });
});

it('a poller run that is stopped at any call sends nothing after a withdrawal, and later runs end the analysis', async () => {
  await atEachCall(async (point) => {
    const person = await unsent();
    await scene.tick(person);
    await withdraw(person);
    passTime(60_000);
    const { where, finished } = await stoppedAt(point, () => scene.poll(person));
    await completed(person);
    await expectEnded(person, 0, where);
    return finished;
  });
});

it('a withdrawal at any call of a submission comes before the claim, or its answer names the analysis', async () => {
  const calls = await atEachCall(
    async (point) => {
      const person = await scene.person();
      const withdrawals: RecordedWithdrawal[] = [];
      const step = meanwhile(undefined, async () => withdrawals.push(await withdraw(person)), point);
      const submitted = await intercepted(step, () => scene.submit(person, [BANK], newKey()));
      const [withdrawal] = withdrawals;
      if (!withdrawal) return true;
      const where = `before call ${point.at}`;
      const named = withdrawal.affected.map(({ id }) => id);
      if (submitted.status === 422) {
        expect(submitted.body.codigo, where).toBe('consentimento_ausente');
        expect(named, where).toEqual([]);
        expect(scene.queriesOn(person, [BANK]), where).toEqual([0]);
        return false;
      }
      expect(submitted.status, where).toBe(202);
      const [{ analise_id }] = submitted.body.analises;
      expect(named, where).toEqual([analise_id]);
      await completed(person);
      await expectEnded(person, 1, where);
      return false;
    },
    ['before'],
  );
  // The calls are: API key and rate, lead and key, claim, the bank, and the answer.
  expect(calls).toBeGreaterThanOrEqual(5);
});

it('a withdrawal at any call of the poller leaves the analysis sent once, or ended and never sent', async () => {
  const outcomes = new Set<number>();
  await atEachCall(
    async (point) => {
      const person = await unsent();
      await scene.tick(person);
      const withdrawals: RecordedWithdrawal[] = [];
      const step = meanwhile(undefined, async () => withdrawals.push(await withdraw(person)), point);
      await intercepted(step, () => scene.tick(person));
      const [withdrawal] = withdrawals;
      if (!withdrawal) return true;
      const [sent = 0] = scene.queriesOn(person, [BANK]);
      outcomes.add(sent);
      await completed(person);
      await expectEnded(person, sent, `before call ${point.at}`);
      return false;
    },
    ['before'],
  );
  expect(outcomes).toEqual(new Set([0, 1]));
});
