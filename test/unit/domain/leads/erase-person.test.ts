import { expect, it, vi } from 'vitest';
import {
  applyLedger,
  applyLedgerPage,
  erasePerson,
  eraseSpouse,
  isCpfOf,
  sweepErasures,
} from '#shared/domain/leads/erase-person.ts';
import { ERASURE_RETRY, type Erasure, type ErasureSubject, SECOND_PASS_AFTER } from '#shared/domain/leads/erasure.ts';
import type { ErasureLedger, Erasures } from '#shared/domain/leads/ports.ts';
import type { Cpf } from '#shared/domain/values/cpf.ts';
import type { LeadId, PartnerId, SubmissionId, UnitId } from '#shared/domain/values/ids.ts';

const START = 1_780_000_000_000;
const FOUND = { opportunities: 2, forms: 1, analyses: 1, consents: 1 };

const subjectOf = (leadId: number): ErasureSubject => {
  return { partnerId: 1 as PartnerId, unitId: 2 as UnitId, environment: 'producao', leadId: leadId as LeadId };
};
/** A submission with an analysis that is at a bank. */
const WAITING = 52;
/** A submission whose form cannot be decrypted. */
const BROKEN = 54;
const spouseOf = (submission: number) => ({ ...subjectOf(7), submissionId: submission as SubmissionId });

/** Leads of a unit and their erasures in memory. `done` lists the steps that were made, in their order. */
class World {
  now = START;
  pending = 0;
  readonly leads = new Set([7, 8, 9]);
  readonly rows = new Map<number, Erasure>();
  readonly done: string[] = [];
  readonly noted: ErasureSubject[] = [];
  /** How many unreadable entries each page of the ledger has. */
  unreadable = 0;
  /** Leads and submissions whose rows cannot be reached. */
  readonly ill = new Set<number>();

  #write(erasure: Erasure, changes: Partial<Erasure>, step: string): Erasure {
    const next = { ...erasure, ...changes, revision: erasure.revision + 1 };
    this.rows.set(erasure.leadId, next);
    this.done.push(`${step} ${erasure.leadId}`);
    return next;
  }

  readonly erasures: Erasures = {
    confirmIndexKeys: async () => {},
    get: async (_tenancy, leadId) => this.rows.get(leadId),
    exists: async ({ leadId }) => this.leads.has(leadId),
    begin: async (erasure) => {
      const known = this.rows.get(erasure.leadId);
      if (known || !this.leads.has(erasure.leadId)) return known;
      this.rows.set(erasure.leadId, erasure);
      return erasure;
    },
    mark: async (erasure, nextCheckAt) =>
      this.pending > 0
        ? this.#write(erasure, { pending: this.pending, nextCheckAt }, 'wait')
        : this.#write(erasure, { state: 'apagando', nextCheckAt }, 'mark'),
    erase: async (erasure) => {
      const { leadId, opportunities, forms } = erasure;
      if (this.ill.has(leadId)) throw new Error(`lead ${leadId} does not answer`);
      const { analyses, consents } = FOUND;
      const counts = { opportunities: opportunities + FOUND.opportunities, forms: forms + FOUND.forms };
      return { erasure: this.#write(erasure, counts, 'erase'), analyses, consents };
    },
    close: async (erasure, pass, nextCheckAt) =>
      this.#write(erasure, { state: 'apagado', passes: [pass], nextCheckAt }, 'close'),
    finish: async (erasure, pass) =>
      this.#write(erasure, { passes: [...erasure.passes, pass], nextCheckAt: undefined }, 'finish'),
    eraseSpouse: async (subject, now, nextCheckAt) => {
      const { submissionId, ...of } = subject;
      if (submissionId === BROKEN) throw new Error('the form does not open');
      this.done.push(`spouse ${submissionId}`);
      if (this.ill.has(submissionId)) return undefined;
      const erasure = { ...of, revision: 1, requestedAt: now, opportunities: 0 };
      if (submissionId === WAITING)
        return { ...erasure, state: 'aguardando', forms: 0, pending: 2, passes: [], nextCheckAt };
      const pass = { opportunities: 0, forms: 1, analyses: 3, consents: 0, at: now };
      return { ...erasure, state: 'apagado', forms: 1, pending: 0, passes: [pass] };
    },
    // A page has one erasure, and continues after its lead. So a step of one erasure does not move the others.
    due: async (before, after = '0') => {
      const due = [...this.rows.values()].filter(
        ({ leadId, nextCheckAt }) => nextCheckAt !== undefined && nextCheckAt <= before && leadId > Number(after),
      );
      return { items: due.slice(0, 1), next: due[1] && String(due[0]!.leadId) };
    },
  };

  readonly ledger: ErasureLedger = {
    add: async (subject) => {
      if (!this.noted.some(({ leadId }) => leadId === subject.leadId)) this.noted.push(subject);
      this.done.push(`ledger ${subject.leadId}`);
    },
    page: async (after = '0') => {
      const next = Number(after) + 1;
      const more = next < this.noted.length ? String(next) : undefined;
      return { items: this.noted.slice(next - 1, next), unreadable: this.unreadable, next: more };
    },
  };

  readonly deps = { erasures: this.erasures, ledger: this.ledger, clock: () => this.now };
  readonly sweep = (inTime = () => true) => sweepErasures({ ...this.deps, inTime });
}

it('an erasure goes to the ledger first, then marks and deletes, and has its second pass after 15 minutes', async () => {
  const world = new World();
  const erasure = await erasePerson(subjectOf(7), world.deps);
  expect(world.done).toEqual(['ledger 7', 'mark 7', 'erase 7', 'close 7']);
  const passes = [{ ...FOUND, at: START }];
  const nextCheckAt = START + SECOND_PASS_AFTER;
  expect(erasure).toMatchObject({ ...subjectOf(7), state: 'apagado', requestedAt: START, passes, nextCheckAt });

  world.now += SECOND_PASS_AFTER - 1;
  expect(await world.sweep()).toEqual({ advanced: [], failed: [] });
  expect((await erasePerson(subjectOf(7), world.deps))?.passes).toHaveLength(1);
  world.now += 1;
  const [ended] = (await world.sweep()).advanced;
  expect(ended).toMatchObject({ state: 'apagado', nextCheckAt: undefined });
  expect(ended?.passes.map(({ at }) => at)).toEqual([START, START + SECOND_PASS_AFTER]);

  world.now += 10 * SECOND_PASS_AFTER;
  const before = world.done.length;
  expect(await erasePerson(subjectOf(7), world.deps)).toEqual(ended);
  expect(world.done.slice(before)).toEqual(['ledger 7']);
});

it('an erasure of an unknown lead does not begin, and the ledger gets no entry', async () => {
  const world = new World();
  expect(await erasePerson(subjectOf(404), world.deps)).toBeUndefined();
  expect(world.rows.size).toBe(0);
  expect(world.noted).toEqual([]);
});

it('an erasure waits while an analysis is at a bank, and is checked every five minutes', async () => {
  const world = new World();
  world.pending = 2;
  const waiting = () => ({ state: 'aguardando', pending: 2, passes: [], nextCheckAt: world.now + ERASURE_RETRY });
  expect(await erasePerson(subjectOf(7), world.deps)).toMatchObject(waiting());
  world.now += ERASURE_RETRY;
  expect((await world.sweep()).advanced).toMatchObject([waiting()]);
  world.pending = 0;
  world.now += ERASURE_RETRY;
  expect((await world.sweep()).advanced).toMatchObject([{ state: 'apagado', passes: [{ at: world.now }] }]);
});

it('a new erasure is stored with the time at which the sweeper continues it if the call is cut off', async () => {
  const world = new World();
  const begin = vi.fn((_: Erasure) => Promise.reject(new Error('cut off')));
  const deps = { ...world.deps, erasures: { ...world.erasures, begin } };
  await expect(erasePerson(subjectOf(7), deps)).rejects.toThrow('cut off');
  const begun = { state: 'aguardando', revision: 1, pending: 0, passes: [], nextCheckAt: START + ERASURE_RETRY };
  expect(begin.mock.calls[0]?.[0]).toMatchObject(begun);
  expect(begin).toHaveBeenCalledTimes(1);
});

it('a spouse’s erasure is in the ledger for each submission, and waits if one of the submissions waits', async () => {
  const world = new World();
  const erasure = await eraseSpouse([51, WAITING, 53].map(spouseOf), world.deps);
  expect(world.done).toEqual([51, WAITING, 53].flatMap((one) => ['ledger 7', `spouse ${one}`]));
  const pass = { opportunities: 0, forms: 2, analyses: 6, consents: 0, at: START };
  const nextCheckAt = START + ERASURE_RETRY;
  expect(erasure).toMatchObject({ ...subjectOf(7), state: 'aguardando', pending: 2, passes: [pass], nextCheckAt });
  world.ill.add(51);
  expect(await eraseSpouse([spouseOf(51)], world.deps)).toBeUndefined();
  // A submission that fails does not stop the others.
  const before = world.done.length;
  await expect(eraseSpouse([BROKEN, 53].map(spouseOf), world.deps)).rejects.toThrow('does not open');
  expect(world.done.slice(before)).toContain('spouse 53');
});

it('the sweeper continues the erasure of a spouse, and the ledger repeats it in a restored table', async () => {
  const world = new World();
  const due = async () => ({ items: [spouseOf(51), subjectOf(404)], next: undefined });
  const deps = { ...world.deps, erasures: { ...world.erasures, due }, inTime: () => true };
  const { advanced } = await sweepErasures(deps);
  expect(advanced).toMatchObject([{ leadId: 7, state: 'apagado', forms: 1 }]);
  world.noted.push(spouseOf(53));
  expect((await applyLedger(world.deps)).erasures).toMatchObject([{ leadId: 7, state: 'apagado', forms: 1 }]);
  expect(world.done).toEqual(['spouse 51', 'ledger 7', 'spouse 53']);
  expect(world.rows.size).toBe(0);
});

it('the sweeper continues all erasures that are due, page by page, even if one of them fails', async () => {
  const world = new World();
  for (const leadId of world.leads) await erasePerson(subjectOf(leadId), world.deps);
  world.now += SECOND_PASS_AFTER;
  world.ill.add(8);
  const { advanced, failed } = await world.sweep();
  expect(advanced.map(({ leadId }) => leadId)).toEqual([7, 9]);
  expect(failed).toMatchObject([{ leadId: 8, error: new Error('lead 8 does not answer') }]);
});

it('the sweeper skips an erasure that is gone, and continues none once it is out of time', async () => {
  const world = new World();
  for (const leadId of world.leads) await erasePerson(subjectOf(leadId), world.deps);
  world.now += SECOND_PASS_AFTER;
  const items = [{ ...subjectOf(404) }, ...[7, 8, 9].map(subjectOf)];
  const due = vi.fn(async (_before: number, _after?: string) => ({ items, next: 'more' }));
  let left = 3;
  const deps = { ...world.deps, erasures: { ...world.erasures, due }, inTime: () => left-- > 0 };
  const { advanced } = await sweepErasures(deps);
  expect(advanced.map(({ leadId }) => leadId)).toEqual([7, 8]);
  expect(due.mock.calls.map(([, after]) => after)).toEqual([undefined]);
});

it('the ledger erases again everyone whom a restored table has, at once or page by page', async () => {
  const world = new World();
  world.noted.push(subjectOf(7), subjectOf(404), subjectOf(9));
  const report = await applyLedger(world.deps);
  expect(report.entries).toBe(3);
  expect(report.erasures.map(({ leadId }) => leadId)).toEqual([7, 9]);
  expect(Array.from(world.rows.values(), ({ state }) => state)).toEqual(['apagado', 'apagado']);
  expect(await applyLedgerPage(world.deps)).toMatchObject({ entries: 1, erasures: [{ leadId: 7 }], next: '1' });
  expect(await applyLedgerPage(world.deps, '1')).toMatchObject({ entries: 1, erasures: [], next: '2' });
});

it('the ledger continues after a lead whose rows cannot be reached, and reports that lead', async () => {
  const world = new World();
  world.noted.push(subjectOf(7), subjectOf(8), subjectOf(9));
  world.ill.add(8);
  const error = new Error('lead 8 does not answer');
  const report = await applyLedger(world.deps);
  expect(report.entries).toBe(3);
  expect(report.erasures.map(({ leadId }) => leadId)).toEqual([7, 9]);
  expect(report.failed).toEqual([{ subject: subjectOf(8), error }]);
  const page = await applyLedgerPage(world.deps, '1');
  expect(page).toMatchObject({ entries: 1, erasures: [], failed: [{ subject: subjectOf(8), error }], next: '2' });
  world.unreadable = 2;
  expect(await applyLedger(world.deps)).toMatchObject({ entries: 9, unreadable: 6 });

  world.ill.clear();
  world.now += ERASURE_RETRY;
  expect((await world.sweep()).advanced).toMatchObject([{ leadId: 8, state: 'apagado' }]);
});

it.each([
  ['accepts a CPF whose row names the lead', 7, undefined, true],
  ['rejects a CPF whose row names another lead', 8, undefined, false],
  ['rejects a CPF without a row before the first pass', undefined, 'aguardando', false],
  ['accepts a CPF without a row from the first pass on', undefined, 'apagando', true],
])('isCpfOf %s', async (_, led, state, isOf) => {
  const records = { leadByCpf: async () => led as LeadId | undefined };
  const erasures = { ...new World().erasures, get: async () => state && ({ state } as Erasure) };
  expect(await isCpfOf(subjectOf(7), '39053344705' as Cpf, { erasures, records } as never)).toBe(isOf);
});
