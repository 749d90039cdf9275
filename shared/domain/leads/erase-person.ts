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
 * A finished erasure stays unchanged. Undefined if there is no such lead: then the ledger gets no entry. Throws a
 * ChangedMeanwhile, and changes nothing, if `cpf` no longer leads to the lead. The person is added to the ledger before
 * anything is deleted, so that the person is erased again from a restored backup.
 */
export async function erasePerson(subject: ErasedSubject, deps: ErasureDeps, cpf?: Cpf): Promise<Erasure | undefined> {
  const { erasures, ledger, clock } = deps;
  const now = clock();
  const begun = await erasures.begin(beginErasure(subject, subject.requestedAt ?? now, now + ERASURE_RETRY), cpf);
  if (!begun) return undefined;
  // A repeated request adds the person again, in case the ledger has lost the entry.
  if (begun.state !== 'aguardando') await ledger.add(subject, now);
  return advanceErasure(begun, deps);
}

/**
 * Each submission is added to the ledger before its fields are deleted. A submission that waits for a bank is continued
 * by the sweeper. Returns one erasure for all submissions. Undefined if none of their forms has fields of a spouse.
 * Throws the first error after all submissions were tried.
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
      const erasure = await erasures.eraseSpouse(subject, now, now + ERASURE_RETRY);
      if (erasure) erased.push(erasure);
    } catch (error) {
      failed.push(error);
    }
  }
  if (failed.length > 0) throw failed[0];
  const waiting = erased.find(({ state }) => state === 'aguardando');
  const first = waiting ?? erased[0];
  if (!first) return undefined;
  const passes = erased.flatMap((erasure) => erasure.passes);
  const analyses = passes.reduce((sum, pass) => sum + pass.analyses, 0);
  const pending = erased.reduce((sum, erasure) => sum + erasure.pending, 0);
  return { ...first, pending, passes: passes.slice(-1).map((pass) => ({ ...pass, ...totalsOf(passes), analyses })) };
}

/**
 * True for any CPF once the erasure has left `aguardando`: from the first pass on nothing leads from a CPF to the lead.
 * But a repeated request must still continue the erasure.
 */
export async function isCpfOf(
  subject: ErasureSubject,
  cpf: Cpf,
  { erasures, records }: Pick<ErasureDeps, 'erasures'> & { readonly records: Pick<PersonalRecords, 'leadByCpf'> },
): Promise<boolean> {
  const [leadOfCpf, erasure] = await Promise.all([
    records.leadByCpf(subject, cpf),
    erasures.get(subject, subject.leadId),
  ]);
  return leadOfCpf === subject.leadId || (erasure !== undefined && erasure.state !== 'aguardando');
}

async function advanceErasure(erasure: Erasure, deps: ErasureDeps): Promise<Erasure> {
  const { erasures, ledger, clock } = deps;
  switch (erasure.state) {
    case 'aguardando': {
      // Nothing can stop the erasure any more. If it was refused before, the ledger has no entry of it.
      await ledger.add(erasure, erasure.requestedAt);
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

/** If another run deleted rows meanwhile, the pass is made again, so that it counts these rows, too. */
async function makePass(before: Erasure, deps: ErasureDeps): Promise<Erasure> {
  const { erasures, clock } = deps;
  const { erasure, analyses, consents } = await erasures.erase(before);
  const passCount = before.passes.length;
  if (erasure.passes.length > passCount) return erasure;
  const { opportunities, forms } = deletedSince(erasure);
  const pass: ErasurePass = { opportunities, forms, analyses, consents, at: clock() };
  const after =
    erasure.state === 'apagado'
      ? await erasures.finish(erasure, pass)
      : await erasures.close(erasure, pass, pass.at + SECOND_PASS_AFTER);
  return after.passes.length > passCount ? after : makePass(after, deps);
}

export interface LedgerReport {
  readonly entries: number;
  readonly erasures: readonly Erasure[];
  /** The sweeper continues erasures that had begun. If the ledger is applied again, all erasures are tried again. */
  readonly failed: readonly { readonly subject: ErasedSubject; readonly error: unknown }[];
  readonly unreadable: number;
}

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

/** An erasure that fails does not stop the others. The page may be repeated. */
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

export interface ErasureSweep {
  readonly advanced: readonly Erasure[];
  readonly failed: readonly FailedErasure[];
}

interface FailedErasure extends Tenancy {
  readonly leadId: LeadId;
  readonly erasure: Erasure | undefined;
  readonly error: unknown;
}

/** An erasure that fails does not stop the others. */
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

/** A lead that fails does not stop the others. Without retention terms, no lead ends. */
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
