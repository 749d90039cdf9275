// What a bank's new table changes, before it is published: three reference cases, quoted on its first day from the tables
// as they are and from the same with the new one.
import { addMonths, type Day } from '../../../values/clock.ts';
import { centavos } from '../../../values/money.ts';
import type { Quote, QuoteRequest } from '../../simulation.ts';
import { quote } from '../quote.ts';
import { TABLES, type Tables } from './in-force.ts';
import { fingerprint, LOCK } from './lock.ts';
import type { BankTable } from './table.ts';
import { tableFaults } from './validate.ts';

/** A case before and after a table. */
export interface Preview {
  readonly name: string;
  readonly before: Quote;
  readonly after: Quote;
}

type ReferenceCase = Omit<QuoteRequest, 'contractDay' | 'birthDate' | 'financeExpenses'> & { readonly age: number };

/** Cases within every bank's share of the property and its terms. */
const REFERENCE_CASES: Readonly<Record<string, ReferenceCase>> = {
  'branch customer of 35, SAC, longest term': {
    propertyValue: centavos(500_000_00),
    financedValue: centavos(300_000_00),
    system: 'SAC',
    age: 35,
  },
  'branch customer of 45, PRICE, 240 months': {
    propertyValue: centavos(400_000_00),
    financedValue: centavos(200_000_00),
    term: 240,
    system: 'PRICE',
    age: 45,
  },
  'high income of 55, SAC, 180 months': {
    propertyValue: centavos(1_500_000_00),
    financedValue: centavos(750_000_00),
    term: 180,
    system: 'SAC',
    segment: 'alta_renda',
    age: 55,
  },
};

/** The tables with these ones of a bank's for a version of its name, and its others. */
function tablesWith({ bank, version }: BankTable, those: readonly BankTable[], tables: Tables): Tables {
  const others = tables.banks[bank].filter((other) => other.version !== version);
  return { ...tables, banks: { ...tables.banks, [bank]: [...others, ...those] } };
}

/** The reference cases on the table's first day. Throws a RangeError where a figure of the table is no number. */
export function previewTable(table: BankTable, tables: Tables = TABLES): readonly Preview[] {
  const contractDay = table.validFrom as Day;
  const [before, after] = [[], [table]].map((those) => tablesWith(table, those, tables));
  return Object.entries(REFERENCE_CASES).map(([name, { age, ...wishes }]) => {
    const birthDate = addMonths(contractDay, -12 * age);
    const asked: QuoteRequest = { ...wishes, birthDate, contractDay, financeExpenses: false };
    return { name, before: quote(table.bank, asked, before), after: quote(table.bank, asked, after) };
  });
}

/** What a build of `today` would refuse of a new table, as validate.ts words it; that it is not locked yet does not count. */
export function faultsOfNewTable(table: BankTable, today: Day, tables: Tables = TABLES): readonly string[] {
  const lock = { ...LOCK, [table.version]: LOCK[table.version] ?? fingerprint(table) };
  return tableFaults(today, tablesWith(table, [table], tables), lock);
}
