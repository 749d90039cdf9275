import { AMORTIZATION_SYSTEMS, type AmortizationSystem, type Segment } from '../../simulation.ts';
import type { BankTable, PublishedRate } from './table.ts';

const single = /* @__PURE__ */ new WeakMap<BankTable, readonly PublishedRate[]>();

/** The rates of a table of either shape. A single rate is the lowest that the bank advertises, for whoever asks. */
export function ratesOf(table: BankTable): readonly PublishedRate[] {
  if ('rates' in table) return table.rates;
  const known = single.get(table);
  if (known !== undefined) return known;
  const made = AMORTIZATION_SYSTEMS.flatMap((system): readonly PublishedRate[] => {
    const offered = table.systems[system];
    if (offered === undefined) return [];
    const { annualRate: rate, rateBasis: basis } = table;
    return [{ segment: 'padrao', system, ...offered, kind: 'a_partir_de', rate, basis }];
  });
  single.set(table, made);
  return made;
}

/**
 * The rate that a segment's customer gets under a system; undefined where the bank does not offer the system. A
 * segment without a rate of its own gets the row that holds for everybody, `padrao`: never one that nobody published
 * for it (pricing.md, rule 13).
 */
export function rateFor(table: BankTable, segment: Segment, system: AmortizationSystem): PublishedRate | undefined {
  const offered = ratesOf(table).filter((rate) => rate.system === system);
  return offered.find((rate) => rate.segment === segment) ?? offered.find((rate) => rate.segment === 'padrao');
}
