import type { Clock } from '../values/clock.ts';
import { ERASURE_RETRY, type Erasure, type ErasureSubject, SECOND_PASS_AFTER } from './erasure.ts';
import type { ErasureLedger, Erasures } from './ports.ts';

export interface ErasureDeps {
  readonly erasures: Erasures;
  readonly clock: Clock;
}

/**
 * Erases a person, or goes on with an erasure that was begun; a finished one is given as it is. Undefined where there
 * is no such lead. The ledger hears of it first, so that no restored table brings back who was erased.
 */
export async function erasePerson(
  subject: ErasureSubject,
  { ledger, ...deps }: ErasureDeps & { readonly ledger: ErasureLedger },
): Promise<Erasure | undefined> {
  const { erasures, clock } = deps;
  if (!(await erasures.exists(subject))) return undefined;
  const now = clock();
  await ledger.add(subject, now);
  const begun = await erasures.begin({
    ...subject,
    state: 'aguardando',
    revision: 1,
    requestedAt: now,
    pending: 0,
    passes: [],
    nextCheckAt: now + ERASURE_RETRY,
  });
  return advanceErasure(begun, deps);
}

/** Takes an erasure as far as it goes now, and gives how far that is. */
async function advanceErasure(erasure: Erasure, deps: ErasureDeps): Promise<Erasure> {
  const { erasures, clock } = deps;
  switch (erasure.state) {
    case 'aguardando': {
      const marked = await erasures.mark(erasure, clock() + ERASURE_RETRY);
      return marked.state === 'aguardando' ? marked : advanceErasure(marked, deps);
    }
    case 'apagando': {
      const pass = { ...(await erasures.erase(erasure)), at: clock() };
      return erasures.close(erasure, pass, pass.at + SECOND_PASS_AFTER);
    }
    case 'apagado': {
      if (erasure.nextCheckAt === undefined || clock() < erasure.nextCheckAt) return erasure;
      return erasures.finish(erasure, { ...(await erasures.erase(erasure)), at: clock() });
    }
  }
}

/** What the ledger's erasures came to in a restored table. */
export interface LedgerReport {
  readonly entries: number;
  /** Leads that the table holds: erased again, or already so. */
  readonly erasures: readonly Erasure[];
}

/** Erases again, in a table that was restored from a backup, everyone whom the ledger names. May be repeated. */
export async function applyLedger(deps: ErasureDeps & { readonly ledger: ErasureLedger }): Promise<LedgerReport> {
  let entries = 0;
  const erasures: Erasure[] = [];
  for await (const subject of deps.ledger.all()) {
    entries += 1;
    const erasure = await erasePerson(subject, deps);
    if (erasure) erasures.push(erasure);
  }
  return { entries, erasures };
}

/** A page of the same. Cut off, it is asked for again: an erasure that was begun goes on. */
export async function applyLedgerPage(
  deps: ErasureDeps & { readonly ledger: ErasureLedger },
  after?: string,
): Promise<LedgerReport & { readonly next: string | undefined }> {
  const { items, next } = await deps.ledger.page(after);
  const erasures: Erasure[] = [];
  for (const subject of items) {
    const erasure = await erasePerson(subject, deps);
    if (erasure) erasures.push(erasure);
  }
  return { entries: items.length, erasures, next };
}

/** What a run of the sweeper came to: erasures that it took a step further, that still wait, and that broke off. */
export interface ErasureSweep {
  readonly advanced: readonly Erasure[];
  readonly failed: readonly { readonly erasure: Erasure; readonly error: unknown }[];
}

/** Goes on with every erasure that is due, oldest first; one that breaks off keeps none of the others from it. */
export async function sweepErasures(deps: ErasureDeps & { readonly inTime: () => boolean }): Promise<ErasureSweep> {
  const { erasures, clock, inTime } = deps;
  const advanced: Erasure[] = [];
  const failed: { erasure: Erasure; error: unknown }[] = [];
  let after: string | undefined;
  do {
    const page = await erasures.due(clock(), after);
    for (const { leadId, ...tenancy } of page.items) {
      if (!inTime()) break;
      const erasure = await erasures.get(tenancy, leadId);
      if (!erasure) continue;
      try {
        advanced.push(await advanceErasure(erasure, deps));
      } catch (error) {
        failed.push({ erasure, error });
      }
    }
    after = page.next;
  } while (after !== undefined && inTime());
  return { advanced, failed };
}
