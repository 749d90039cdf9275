import { describe, expect, it, vi } from 'vitest';
import { BANKS, type Bank } from '#shared/domain/values/bank.ts';
import { atEachCall, stoppedAt } from '../makers/intercepted.ts';
import { type Person, useScene } from '../makers/scene.ts';

vi.mock('#shared/wiring.ts', async (real) => (await import('../makers/intercepted.ts')).openWiring(await real()));

const SOAK = Boolean(process.env['SOAK']);
vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 });

const scene = useScene();

let keys = 0;
const newKey = () => `key-${++keys}`;

/**
 * Checks that a completed submission has one consent and one analysis for each bank, and that each bank was asked once.
 */
async function expectOneSubmission(person: Person, banks: readonly Bank[], point: string): Promise<void> {
  const analyses = (await scene.analyses(person.lead)).body.analises as { banco: Bank }[];
  const consents = (await scene.consents(person.lead)).body.consentimentos as { analise_ids: number[] }[];
  expect(analyses.map(({ banco }) => banco).sort(), point).toEqual([...banks].sort());
  expect(consents, point).toHaveLength(1);
  expect(consents[0]?.analise_ids, point).toHaveLength(banks.length);
  await scene.settled(person, banks);
  expect(scene.queriesOn(person, banks), point).toEqual(banks.map(() => 1));
}

describe.each([1, 2, 6])('a submission to %i banks', (count) => {
  const banks = BANKS.slice(0, count);
  const short = !SOAK && count === 6;

  it('a submission stopped at any call is completed by a retry with its key, and asks no bank twice', async () => {
    const points = await atEachCall(async (point) => {
      const person = await scene.person();
      const key = newKey();
      const { where, finished } = await stoppedAt(point, () => scene.submit(person, banks, key));
      const early = await scene.submit(person, banks, key);
      expect(early.status, where).toBeOneOf([202, 409]);
      scene.lockRunsOut();
      const retry = await scene.submit(person, banks, key);
      expect(retry.status, where).toBe(202);
      expect(retry.body.analises, where).toHaveLength(count);
      expect((await scene.submit(person, banks, key)).text, where).toBe(retry.text);
      await expectOneSubmission(person, banks, where);
      return finished;
    });
    // The calls are: API key and rate (twice in a minute's first call), lead and key, claim, each bank, completion.
    expect(points).toBeGreaterThanOrEqual(4 + count);
  });

  it.skipIf(short)('a submission stopped at any call is completed by the poller if nobody retries', async () => {
    await atEachCall(async (point) => {
      const person = await scene.person();
      const { where, finished } = await stoppedAt(point, () => scene.submit(person, banks, newKey()));
      await scene.tick(person);
      await scene.tick(person);
      const claimed = (await scene.analyses(person.lead)).body.analises.length > 0;
      if (claimed) {
        await scene.tick(person);
        await expectOneSubmission(person, banks, where);
        const { pendentes, analises } = (await scene.analyses(person.lead)).body;
        expect(pendentes, where).toBe(0);
        const events = await scene.events(analises.map(({ analise_id }: { analise_id: number }) => analise_id));
        expect(events, where).toHaveLength(count);
      } else expect(scene.queriesOn(person, banks), where).toEqual(banks.map(() => 0));
      return finished;
    });
  });

  it.skipIf(short)('a stopped submission asks no bank twice while a retry and two polls run at once', async () => {
    await atEachCall(async (point) => {
      const person = await scene.person();
      const key = newKey();
      const { where, finished } = await stoppedAt(point, () => scene.submit(person, banks, key));
      scene.lockRunsOut();
      const [retry] = await Promise.all([scene.submit(person, banks, key), scene.poll(person), scene.poll(person)]);
      expect(retry!.status, where).toBe(202);
      await scene.tick(person);
      await scene.tick(person);
      await expectOneSubmission(person, banks, where);
      return finished;
    });
  });
});

describe.each(SOAK ? [1, 2, 6] : [1])('a submission to %i banks whose retry is stopped too', (count) => {
  const banks = BANKS.slice(0, count);
  const sides = SOAK ? (['before', 'after'] as const) : (['after'] as const);

  it('a submission whose retry is stopped too ends in 202 with the next retry, and asks no bank twice', async () => {
    await atEachCall(async (point) => {
      let got = false;
      await atEachCall(async (second) => {
        const person = await scene.person();
        const key = newKey();
        const first = await stoppedAt(point, () => scene.submit(person, banks, key));
        scene.lockRunsOut();
        const again = await stoppedAt(second, () => scene.submit(person, banks, key));
        const where = `${first.where}; ${again.where}`;
        scene.lockRunsOut();
        const retry = await scene.submit(person, banks, key);
        expect(retry.status, where).toBe(202);
        await expectOneSubmission(person, banks, where);
        got ||= first.finished;
        return again.finished;
      });
      return got;
    }, sides);
  });
});
