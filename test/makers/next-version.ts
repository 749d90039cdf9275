import { expect } from 'vitest';
import type { Tables } from '#shared/domain/simulations/pricing/tables/in-force.ts';
import { fingerprint } from '#shared/domain/simulations/pricing/tables/lock.ts';
import type * as Table from '#shared/domain/simulations/pricing/tables/table.ts';
import { tableFaults } from '#shared/domain/simulations/pricing/tables/validate.ts';
import { BANKS, type Bank } from '#shared/domain/values/bank.ts';
import type { Day } from '#shared/domain/values/clock.ts';
import { FROZEN_TABLES } from './frozen-tables.ts';

/** The day of the build that checks the frozen tables and their next versions. */
export const TODAY = '2026-11-22' as Day;
const KINDS = ['marketMip', 'housingRules', 'creditTax', 'scenarios'] as const;
/** A bank, or another kind of table. */
export type Subject = Bank | (typeof KINDS)[number];
type AnyTable = Table.BankTable | Table.MarketMip | Table.HousingRules | Table.CreditTax | Table.Scenario;
export const SUBJECTS: readonly Subject[] = [...BANKS, ...KINDS];
/** The lines of lock.ts for the frozen tables. */
export const FROZEN_LOCK: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ...Object.values(FROZEN_TABLES.banks).flat(),
    ...KINDS.flatMap((kind): readonly Table.Versioned[] => FROZEN_TABLES[kind]),
  ].map((table) => [table.version, fingerprint(table)]),
);
/** Returns the frozen versions of a table, oldest first. */
export const versionsOf = (of: Subject): readonly AnyTable[] =>
  of in FROZEN_TABLES.banks ? FROZEN_TABLES.banks[of as Bank] : FROZEN_TABLES[of as (typeof KINDS)[number]];

/** Returns a figure of a made-up sheet. */
export const figure = (value: string, date = '2026', source = 'a sheet'): Table.Figure => ({ value, date, source });
export const isFigure = (value: unknown): value is Table.Figure =>
  typeof value === 'object' && value !== null && 'source' in value;

/**
 * Returns a copy with another value at a path such as `mip.anchors.0.rate`. A figure that is changed by a text keeps
 * its date and source.
 */
export function changed<T>(of: T, path: string, to: unknown): T {
  const [key, ...rest] = path.split('.');
  if (key === undefined || key === '') return (isFigure(of) && typeof to === 'string' ? { ...of, value: to } : to) as T;
  const copy = Array.isArray(of) ? [...of] : { ...of };
  const holder = copy as Record<string, unknown>;
  const part = changed(holder[key], rest.join('.'), to);
  if (part !== undefined) holder[key] = part;
  else if (Array.isArray(copy)) copy.splice(Number(key), 1);
  else delete holder[key];
  return copy as T;
}

/** Values by path, such as `mip.anchors.0.rate`. Undefined removes what is at the path. */
export type Changes = Readonly<Record<string, unknown>>;
export type Reasons = Readonly<Record<string, string>>;

/**
 * Returns the faults of a next version, published today, with changes by path. Each fault must begin with the file's
 * name, which is removed.
 */
export function faultsOf(of: Subject, changes: Changes, confirmed?: Reasons): readonly string[] {
  const versions = versionsOf(of);
  const { confirmed: _, ...last } = versions.at(-1)!;
  const version = last.version.replace(/-\d{4}(-\d{2})?$/, '-2026-12');
  const named = { ...last, version, validFrom: '2026-12-15', ...(confirmed && { confirmed }) };
  const next = Object.entries(changes).reduce((table, [path, to]) => changed(table, path, to), named);
  const all = { [of]: [...versions, next] };
  const tables = (
    of in FROZEN_TABLES.banks
      ? { ...FROZEN_TABLES, banks: { ...FROZEN_TABLES.banks, ...all } }
      : { ...FROZEN_TABLES, ...all }
  ) as Tables;
  const file = `${next.version}.ts: `;
  return tableFaults(TODAY, tables, { ...FROZEN_LOCK, [next.version]: fingerprint(next) }).map((fault) => {
    expect(fault.startsWith(file), fault).toBe(true);
    return fault.slice(file.length);
  });
}
