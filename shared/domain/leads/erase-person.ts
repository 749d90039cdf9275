import type { PersonalRecords } from '../personal-data/ports.ts';
import type { Clock } from '../values/clock.ts';
import type { Cpf } from '../values/cpf.ts';
import type { LeadId } from '../values/ids.ts';
import type { Tenancy } from '../values/tenancy.ts';
import {
  beginErasure,
  deletedSince,
  ERASURE_RETRY,
  type ErasedSubject,
  type Erasure,
  type ErasurePass,
  type ErasureSubject,
  SECOND_PASS_AFTER,
  type SpouseSubject,
  totalsOf,
} from './erasure.ts';
import type { ErasureLedger, Erasures, RetainedLeads, SeenLead } from './ports.ts';
import { nextLook, noticedEnd, type RetentionTerms } from './retention.ts';

export interface ErasureDeps {
  readonly erasures: Erasures;
  readonly ledger: ErasureLedger;
  readonly clock: Clock;
}

const isSpouse = (subject: ErasedSubject): subject is SpouseSubject => subject.submissionId !== undefined;

/**
 * Erases a person, or goes on with an erasure that was begun; a finished one is given as it is. Undefined where there
 * is no such lead. The ledger hears of it first, so that no restored table brings back who was erased.
 */
export async function erasePerson(subject: ErasureSubject, deps: ErasureDeps): Promise<Erasure | undefined> {
  const { erasures, ledger, clock } = deps;
  const now = clock();
  await ledger.add(subject, now);
  const begun = await erasures.begin(beginErasure(subject, now, now + ERASURE_RETRY));
  return begun && advanceErasure(begun, deps);
}

/**
 * Erases the spouse whom submissions of one lead name: what waits for a bank goes on by itself. Gives all as one; undefined
 * where no form of them is kept. The ledger hears of it first, as above. Throws what one has thrown once all were tried.
 */
export async function eraseSpouse(
  subjects: readonly SpouseSubject[],
  { erasures, ledger, clock }: ErasureDeps,
): Promise<Erasure | undefined> {
  const erased: Erasure[] = [];
  const failed: unknown[] = [];
  for (const subject of subjects) {
    const now = clock();
    try {
      await ledger.add(subject, now);
      const one = await erasures.eraseSpouse(subject, now, now + ERASURE_RETRY);
      if (one) erased.push(one);
    } catch (error) {
      failed.push(error);
    }
  }
  if (failed.length > 0) throw failed[0];
  const waiting = erased.find(({ state }) => state === 'aguardando');
  const first = waiting ?? erased[0];
  if (!first) return undefined;
  const passes = erased.flatMap((one) => one.passes);
  const analyses = passes.reduce((sum, pass) => sum + pass.analyses, 0);
  const pending = erased.reduce((sum, one) => sum + one.pending, 0);
  return { ...first, pending, passes: passes.slice(-1).map((pass) => ({ ...pass, ...totalsOf(passes), analyses })) };
}

/**
 * Whether a CPF is that of the lead whose person is to be erased. From the first pass on nothing leads from the CPF to the
 * lead: a repetition goes on without it.
 */
export async function isCpfOf(
  subject: ErasureSubject,
  cpf: Cpf,
  { erasures, records }: Pick<ErasureDeps, 'erasures'> & { readonly records: Pick<PersonalRecords, 'leadByCpf'> },
): Promise<boolean> {
  const [led, erasure] = await Promise.all([records.leadByCpf(subject, cpf), erasures.get(subject, subject.leadId)]);
  return led === subject.leadId || (erasure !== undefined && erasure.state !== 'aguardando');
}

/** Takes an erasure as far as it goes now, and gives how far that is. */
async function advanceErasure(erasure: Erasure, deps: ErasureDeps): Promise<Erasure> {
  const { erasures, ledger, clock } = deps;
  switch (erasure.state) {
    case 'aguardando': {
      // A request is in the ledger before it is noted; retention only notes what nothing can come between any more.
      if (erasure.cause === 'retention') await ledger.add(erasure, erasure.requestedAt);
      const marked = await erasures.mark(erasure, clock() + ERASURE_RETRY);
      return marked.state === 'aguardando' ? marked : advanceErasure(marked, deps);
    }
    case 'apagando':
      return makePass(erasure, deps);
    case 'apagado':
      if (erasure.nextCheckAt === undefined || clock() < erasure.nextCheckAt) return erasure;
      return makePass(erasure, deps);
  }
}

/** A pass, and its note; made again where another run has deleted something between, which belongs to the evidence. */
async function makePass(before: Erasure, deps: ErasureDeps): Promise<Erasure> {
  const { erasures, clock } = deps;
  const { erasure, analyses, consents } = await erasures.erase(before);
  const noted = before.passes.length;
  if (erasure.passes.length > noted) return erasure;
  const { opportunities, forms } = deletedSince(erasure);
  const pass: ErasurePass = { opportunities, forms, analyses, consents, at: clock() };
  const after =
    erasure.state === 'apagado'
      ? await erasures.finish(erasure, pass)
      : await erasures.close(erasure, pass, pass.at + SECOND_PASS_AFTER);
  return after.passes.length > noted ? after : makePass(after, deps);
}

/** What the ledger's erasures came to in a restored table. */
export interface LedgerReport {
  readonly entries: number;
  /** Leads that the table holds: erased again, or already so. */
  readonly erasures: readonly Erasure[];
  /** Those that broke off. The sweeper goes on with what was begun by then; asked again, all are tried anew. */
  readonly failed: readonly { readonly subject: ErasedSubject; readonly error: unknown }[];
  /** Entries that cannot be read: whom they name was not erased. */
  readonly unreadable: number;
}

/** Erases again, in a table that was restored from a backup, everyone whom the ledger names. May be repeated. */
export async function applyLedger(deps: ErasureDeps): Promise<LedgerReport> {
  const pages: LedgerReport[] = [];
  let after: string | undefined;
  do {
    const page = await applyLedgerPage(deps, after);
    pages.push(page);
    after = page.next;
  } while (after !== undefined);
  return {
    entries: pages.reduce((sum, { entries }) => sum + entries, 0),
    erasures: pages.flatMap(({ erasures }) => erasures),
    failed: pages.flatMap(({ failed }) => failed),
    unreadable: pages.reduce((sum, { unreadable }) => sum + unreadable, 0),
  };
}

/**
 * A page of the same: one after another, and one that breaks off keeps none of the others from it. Cut off, it is asked
 * for again: an erasure that was begun goes on.
 */
export async function applyLedgerPage(
  deps: ErasureDeps,
  after?: string,
): Promise<LedgerReport & { readonly next: string | undefined }> {
  const { items, unreadable, next } = await deps.ledger.page(after);
  const erasures: Erasure[] = [];
  const failed: { subject: ErasedSubject; error: unknown }[] = [];
  for (const subject of items) {
    try {
      const erasure = await (isSpouse(subject) ? eraseSpouse([subject], deps) : erasePerson(subject, deps));
      if (erasure) erasures.push(erasure);
    } catch (error) {
      failed.push({ subject, error });
    }
  }
  return { entries: items.length + unreadable, erasures, failed, unreadable, next };
}

/** What a run of the sweeper came to: erasures that it took a step further, that still wait, and that broke off. */
export interface ErasureSweep {
  readonly advanced: readonly Erasure[];
  readonly failed: readonly FailedErasure[];
}

interface FailedErasure extends Tenancy {
  readonly leadId: LeadId;
  /** As it was read; undefined where its row does not read, as one of a later version. */
  readonly erasure: Erasure | undefined;
  readonly error: unknown;
}

/** Goes on with every erasure that is due, oldest first; one that breaks off keeps none of the others from it. */
export async function sweepErasures(deps: ErasureDeps & { readonly inTime: () => boolean }): Promise<ErasureSweep> {
  const { erasures, clock, inTime } = deps;
  const advanced: Erasure[] = [];
  const failed: FailedErasure[] = [];
  let after: string | undefined;
  do {
    const page = await erasures.due(clock(), after);
    for (const subject of page.items) {
      if (!inTime()) break;
      let erasure: Erasure | undefined;
      try {
        erasure = isSpouse(subject)
          ? await erasures.eraseSpouse(subject, clock(), clock() + ERASURE_RETRY)
          : await erasures.get(subject, subject.leadId);
        if (erasure) advanced.push(isSpouse(subject) ? erasure : await advanceErasure(erasure, deps));
      } catch (error) {
        failed.push({ ...subject, erasure, error });
      }
    }
    after = page.next;
  } while (after !== undefined && inTime());
  return { advanced, failed };
}

/**
 * Looks at every lead whose look is due; one that breaks off keeps none of the others from it. Without terms none ends.
 * Gives how many it looked at, whom it gave a notice, whom it ended, and where it broke off.
 */
export async function sweepRetention(
  deps: ErasureDeps & {
    readonly retained: RetainedLeads;
    readonly terms: RetentionTerms | undefined;
    readonly inTime: () => boolean;
  },
) {
  const { retained, clock, terms, inTime } = deps;
  let looked = 0;
  const noticed: SeenLead[] = [];
  const ended: Erasure[] = [];
  const failed: FailedErasure[] = [];
  if (!terms) return { looked, noticed, ended, failed };
  for await (const due of retained.due(clock())) {
    if (!inTime()) break;
    let erasure: Erasure | undefined;
    try {
      const seen = await retained.look(due);
      if (!seen) continue;
      looked += 1;
      const now = clock();
      const next = nextLook(seen, terms, now);
      if (next) {
        const kept = await retained.keep(seen, next);
        if (kept && next.notice && next.notice.endsAt !== noticedEnd(seen.lead, terms)) noticed.push(seen);
        continue;
      }
      erasure = await retained.claim(seen, now, now + ERASURE_RETRY);
      if (!erasure) continue;
      ended.push(erasure);
      await advanceErasure(erasure, deps);
    } catch (error) {
      failed.push({ ...due, erasure, error });
    }
  }
  return { looked, noticed, ended, failed };
}
