// Compares a table with the version before it, and similar rates of a table with each other. Between two versions,
// rates move by about a point and other figures seldom move. A larger move is more often a typing error than news.
// Therefore it is refused until the table's `confirmed` has a reason for the row that the fault names. Rates are
// compared as effective annual rates.
import { compareRatios, ratioOf } from '../ratio.ts';
import { rateTermsOf } from '../terms.ts';
import { firstDayOf, lastDayOf } from './in-force.ts';
import type { BankTable, Figure, PublishedRate, Scenario } from './table.ts';

export type Rows = ReadonlyMap<string, Figure | string>;
type Row = Figure | string | undefined;
export interface Doubt {
  readonly row: string;
  readonly fault: string;
}

/**
 * Percentage points by which a rate may differ from the version before, or a new rate from the most similar one,
 * without a reason.
 */
const POINTS = 1.5;
/** Rise in percentage points from which a rate is doubted: the CET of the old rate is often that much higher. */
const CET_POINTS = 0.3;
/** Percentage points within which a new rate is taken for the old rate, stated in another way. */
const SAME_RATE = 0.03;

/** Fields that are not compared: names of a table and of its parts, and days on which a person read a page. */
const NAMES = ['version', 'validFrom', 'confirmed', 'segment', 'system', 'age', 'from', 'to', 'date', 'source', 'seen'];

const isFigure = (value: unknown): value is Figure =>
  typeof value === 'object' && value !== null && 'value' in value && 'source' in value;
const isRate = (row: string) => /^(rates\.\w+|indexers)\.\w+$/.test(row);
const isOfRate = (row: string) => /^(rates|indexers)\./.test(row);
/** Returns the rate to which a part belongs: `rates.padrao.SAC` for `rates.padrao.SAC.share`. Undefined for other rows. */
const rateWithPart = (row: string) => /^(rates\.\w+\.\w+)\.\w+$/.exec(row)?.[1];

/**
 * Returns the figures and texts of a record by their paths: `rates.padrao.SAC.share`, `mip.anchors.24`, `bands.18-30`.
 * The path of a rate itself is that of its row, without `.rate`: `rates.padrao.SAC`.
 */
export function rowsOf(record: object, prefix = ''): Rows {
  const nameOf = (part: Record<string, unknown>) =>
    [
      part['segment'],
      part['system'],
      part['age'],
      part['from'] === undefined ? undefined : `${part['from']}-${part['to']}`,
    ]
      .filter((name) => name !== undefined)
      .join('.');
  return new Map(
    Object.entries(record)
      .flatMap(([key, value]): Iterable<[string, Figure | string]>[] => {
        if (NAMES.includes(key) || value === undefined) return [];
        const row = prefix + key;
        if (isFigure(value)) return [[[key === 'rate' ? prefix.slice(0, -1) : row, value]]];
        if (!Array.isArray(value))
          return [typeof value === 'object' ? rowsOf(value, `${row}.`) : [[row, String(value)]]];
        if (typeof value[0] !== 'object') return [[[row, value.join(' ')]]];
        return value.map((part) => rowsOf(part, `${row}.${nameOf(part)}.`));
      })
      .flatMap((rows) => [...rows]),
  );
}

/** The rates are effective annual rates. */
export function bankRows(table: BankTable): Rows {
  const effective = (rate: BankTable['rates'][number]) => ({
    ...rate,
    rate: { ...rate.rate, value: String(rateTermsOf(rate).annualPercent) },
  });
  return rowsOf({ ...table, rates: table.rates.map(effective) });
}

/**
 * Returns the same row of the version before. A new rate is compared with the segment's rate under the other system,
 * otherwise with the rate of `padrao`.
 */
function predecessor(row: string, before: Rows, after: Rows): Row {
  const [, segment, system, part = ''] = /^rates\.(\w+)\.(\w+)(\.\w+)?$/.exec(row) ?? [];
  // The rate of a segment may be of another kind than the rate of `padrao`.
  if (before.has(row) || segment === undefined || part === '.kind') return before.get(row);
  const other = `${segment}.${system === 'SAC' ? 'PRICE' : 'SAC'}`;
  const others = segment === 'padrao' ? [other] : [other, `padrao.${system}`];
  return others.map((name) => before.get(`rates.${name}${part}`) ?? after.get(`rates.${name}${part}`)).find(Boolean);
}

/** Undefined if the change needs no reason. */
function moveFault(row: string, old: Row, current: Row): string | undefined {
  if (current === undefined) return 'is gone';
  if (old === undefined) return 'is new';
  if (typeof old === 'string' || typeof current === 'string')
    return old === current ? undefined : `differs from ${typeof old === 'string' ? old : old.value}`;
  // A bank that published in 2026 may have published in any of its months, so 2026-11 is not before 2026.
  if (lastDayOf(current.date) < firstDayOf(old.date))
    return `is dated ${current.date}, before the ${old.date} of the version before`;
  if (compareRatios(ratioOf(old.value), ratioOf(current.value)) === 0) return undefined;
  if (!isRate(row)) return `differs from ${old.value}`;
  if (Math.abs(Number(current.value) - Number(old.value)) > POINTS)
    return `differs from ${old.value} by more than ${POINTS} points`;
  return current.date === old.date && current.source === old.source
    ? `differs from ${old.value}, which has the same date and source`
    : undefined;
}

/** An equal figure has a newer date only if the bank published it again. */
function dateFaultOf(old: Row, current: Row): string | undefined {
  if (typeof old !== 'object' || typeof current !== 'object') return undefined;
  const isCopy = compareRatios(ratioOf(old.value), ratioOf(current.value)) === 0;
  return isCopy && lastDayOf(current.date) > lastDayOf(old.date)
    ? `is the ${old.value} of ${old.date} under the newer date ${current.date}`
    : undefined;
}

export function changes(before: Rows, after: Rows): readonly Doubt[] {
  return Array.from(new Map([...before, ...after]).keys()).flatMap((row) => {
    const rate = rateWithPart(row);
    // A rate that is gone or new is reported once, and not again for each of its parts.
    const isGoneWithRate = rate !== undefined && before.has(rate) && !after.has(rate);
    if (isGoneWithRate || (row.endsWith('.kind') && !before.has(row))) return [];
    const current = after.get(row);
    const fault = moveFault(row, predecessor(row, before, after), current) ?? dateFaultOf(before.get(row), current);
    return fault === undefined ? [] : [{ row, fault }];
  });
}

/** Words that the source of a rate must not have, or only with this kind or basis. */
const SOURCE_WORDS: readonly (readonly [words: RegExp, isRight: (rate: PublishedRate) => boolean, fault: string])[] = [
  [/\bCET\b|custo efetivo/i, () => false, 'a CET is no rate'],
  [/(inclu\w*|já com) (a )?TR\b/i, () => false, 'a rate does not include TR'],
  [/nominal/i, ({ basis }) => basis === 'nominal', 'its basis is not nominal'],
  [/a partir d/i, ({ kind }) => kind === 'a_partir_de', 'its kind is not a_partir_de'],
  [/\bmédia/i, ({ kind }) => kind === 'media', 'its kind is not media'],
  [/promoç|promocional/i, ({ kind }) => kind === 'promocional', 'its kind is not promocional'],
];

const misnamedRates = (table: BankTable): readonly Doubt[] =>
  table.rates.flatMap((rate) =>
    SOURCE_WORDS.filter(([words, isRight]) => words.test(rate.rate.source) && !isRight(rate)).map(([, , fault]) => ({
      row: `rates.${rate.segment}.${rate.system}`,
      fault: `has the source '${rate.rate.source}': ${fault}`,
    })),
  );

/**
 * Returns the rates that may be the rate of the version before, stated in another way: as a nominal rate, with TR, or
 * as a CET.
 */
function restatedRates(
  table: BankTable,
  before: BankTable | undefined,
  scenario: Scenario | undefined,
): readonly Doubt[] {
  const doubts: Doubt[] = [];
  for (const published of table.rates) {
    const { segment, system } = published;
    const old = before?.rates.find((rate) => rate.segment === segment && rate.system === system);
    if (old === undefined) continue;
    const row = `rates.${segment}.${system}`;
    const [annual, was] = [rateTermsOf(published).annualPercent, rateTermsOf(old).annualPercent];
    const tr = published.indexer === 'TR' ? Number(scenario?.indexers.TR.value ?? 0) : 0;
    const nominal = 1200 * ((1 + was / 100) ** (1 / 12) - 1);
    const withTr = was + tr + (was * tr) / 100;
    if (Math.abs(annual - nominal) <= SAME_RATE) doubts.push({ row, fault: `is ${was} as a nominal rate` });
    else if (tr > 0 && annual >= was + tr - SAME_RATE && annual <= withTr + SAME_RATE)
      doubts.push({ row, fault: `is ${was} with a TR of ${tr}` });
    else if (annual - was >= CET_POINTS && annual - was <= POINTS)
      doubts.push({ row, fault: `is ${(annual - was).toFixed(2)} above ${was}, as its CET may be` });
  }
  return doubts;
}

function unlikeRates(
  table: BankTable,
  before: BankTable | undefined,
  scenario: Scenario | undefined,
): readonly Doubt[] {
  const rateOf = ({ rates }: BankTable, segment: string, system: string) => {
    const found = rates.find((rate) => rate.segment === segment && rate.system === system);
    return found && { indexer: found.indexer, annual: rateTermsOf(found).annualPercent };
  };
  const priceAboveSac = (version: BankTable | undefined, segment: string) => {
    const [sac, price] = ['SAC', 'PRICE'].map((system) => version && rateOf(version, segment, system));
    return sac && price && sac.indexer === price.indexer ? (price.annual - sac.annual).toFixed(2) : undefined;
  };
  const doubts: Doubt[] = [];
  for (const published of table.rates) {
    const { segment, system, indexer } = published;
    const row = `rates.${segment}.${system}`;
    const annual = rateTermsOf(published).annualPercent;
    const [ordinary, highest] = [rateOf(table, 'padrao', system), rateOf(table, 'alta_renda', system)];
    if (segment !== 'padrao' && ordinary && annual >= ordinary.annual)
      doubts.push({ row, fault: `is not below padrao's ${ordinary.annual}` });
    if (segment === 'intermediario' && highest && annual < highest.annual)
      doubts.push({ row, fault: `is below alta_renda's ${highest.annual}` });
    const difference = priceAboveSac(table, segment);
    if (system === 'PRICE' && difference !== undefined && difference !== (priceAboveSac(before, segment) ?? '0.00'))
      doubts.push({
        row,
        fault: `is ${difference} above SAC's, and was ${priceAboveSac(before, segment) ?? '0.00'} above it before`,
      });
    const highestTr = Math.max(
      ...table.rates.filter((rate) => rate.indexer === 'TR').map((rate) => rateTermsOf(rate).annualPercent),
    );
    const indexed = Number(scenario?.indexers.TR.value ?? 0);
    if (indexer === 'PREFIXADO' && annual <= highestTr + indexed)
      doubts.push({ row, fault: `is fixed, but not above ${highestTr} plus a TR of ${indexed}` });
  }
  return doubts;
}

export const rateDoubts = (
  table: BankTable,
  before: BankTable | undefined,
  scenario: Scenario | undefined,
): readonly Doubt[] =>
  unlikeRates(table, before, scenario).concat(misnamedRates(table), restatedRates(table, before, scenario));

/**
 * Returns the rows that need a reason and have none, and the reasons that no row needs. The reasons are in the table's
 * field `confirmed`. Its key is the name of a row, or the part of a name before a dot: `mip` covers every row that
 * begins with `mip.`. Each rate and each part of a rate needs a reason of its own, because a reason for all rates would
 * also cover a typing error in one of them.
 */
export function jumps(
  before: Rows | undefined,
  after: Rows,
  confirmed: Readonly<Record<string, string>>,
  unlike: readonly Doubt[] = [],
): readonly Doubt[] {
  const doubts = before ? changes(before, after).concat(unlike) : unlike;
  const covers = (name: string, row: string) => row === name || (row.startsWith(`${name}.`) && !isOfRate(row));
  const reasons = Object.entries(confirmed).filter(([, why]) => why.trim() !== '');
  const unconfirmed = doubts
    .filter(({ row }) => !reasons.some(([name]) => covers(name, row)))
    .map(({ row, fault }) => ({ row, fault: `${fault}: confirmed['${row}'] must say why` }));
  const useless = Object.keys(confirmed)
    .filter((name) => !doubts.some(({ row }) => covers(name, row)))
    .map((name) => {
      const isBlock = doubts.some(({ row }) => row.startsWith(`${name}.`));
      const fault = isBlock ? 'confirms several rows of rates: each needs a reason of its own' : 'confirms no change';
      return { row: `confirmed['${name}']`, fault };
    });
  return unconfirmed.concat(useless);
}
