import { describe, expect, test } from 'vitest';
import { TABLES, type Tables } from '../../../../../../shared/domain/simulations/pricing/tables/in-force.ts';
import { fingerprint, LOCK } from '../../../../../../shared/domain/simulations/pricing/tables/lock.ts';
import type {
  BankTable,
  CreditTax,
  Figure,
  HousingRules,
  MarketMip,
  PublishedRate,
  Scenario,
} from '../../../../../../shared/domain/simulations/pricing/tables/table.ts';
import { tableFaults, validateTables } from '../../../../../../shared/domain/simulations/pricing/tables/validate.ts';
import { BANKS, type Bank } from '../../../../../../shared/domain/values/bank.ts';
import type { Day } from '../../../../../../shared/domain/values/clock.ts';

const TODAY = '2026-11-21' as Day;

const isFigure = (value: unknown): value is Figure => typeof value === 'object' && value !== null && 'source' in value;

/** The value at a path such as `mip.anchors.0.rate`, changed; a figure given as text keeps its date and source. */
function changed<T>(of: T, path: string, to: unknown): T {
  const [key, ...rest] = path.split('.');
  if (key === undefined || key === '') return (isFigure(of) && typeof to === 'string' ? { ...of, value: to } : to) as T;
  const copy = Array.isArray(of) ? [...of] : { ...of };
  const holder = copy as Record<string, unknown>;
  const made = changed(holder[key], rest.join('.'), to);
  if (made === undefined) delete holder[key];
  else holder[key] = made;
  return copy as T;
}

type Kind = 'marketMip' | 'housingRules' | 'creditTax' | 'scenarios';
interface Slip {
  readonly tables: Tables;
  readonly lock: Readonly<Record<string, string>>;
}

/** The tables with a next version of one of them, published today, that slips at a path. */
function slipped(of: Bank | Kind, path: string, to: unknown, confirmed?: Readonly<Record<string, string>>): Slip {
  const isKind = of === 'marketMip' || of === 'housingRules' || of === 'creditTax' || of === 'scenarios';
  const versions = (isKind ? TABLES[of] : TABLES.banks[of]) as readonly (
    | BankTable
    | MarketMip
    | HousingRules
    | CreditTax
    | Scenario
  )[];
  const { confirmed: _, ...last } = versions.at(-1)!;
  const name = last.version.replace(/-\d{4}(-\d{2})?$/, '-2026-12');
  const next = changed({ ...last, version: name, validFrom: '2026-12-15', ...(confirmed && { confirmed }) }, path, to);
  const lock = { ...LOCK, [next.version]: fingerprint(next) };
  const all = [...versions, next];
  const tables = isKind ? { ...TABLES, [of]: all } : { ...TABLES, banks: { ...TABLES.banks, [of]: all } };
  return { tables: tables as Tables, lock };
}

const rate = (bank: Bank, segment: string, system: string): string => {
  const { rates } = TABLES.banks[bank].at(-1)!;
  return `rates.${rates.findIndex((row) => row.segment === segment && row.system === system)}`;
};
const bradesco = rate('bradesco', 'padrao', 'SAC');

/** Whose table, where, the slip, the row that is named. */
type Row = readonly [of: Bank | Kind, path: string, to: unknown, row: string];

/** What is no table at all: refused whatever is confirmed. The bounds of each figure are tested in figures.test.ts. */
const REFUSED: readonly Row[] = [
  ['itau', 'rates.0.rate', '13,69', 'rates.padrao.SAC'],
  ['itau', 'rates.0.segment', 'prime', 'rates.prime.SAC'],
  ['itau', 'rates.1.segment', 'padrao', 'rates.padrao.SAC'],
  ['itau', 'rates', [], 'rates'],
  ['cashme', 'rates.0.basis', 'effective', 'rates.padrao.SAC'],
  ['bradesco', 'mip.anchors.3.rate', '17.82', 'mip.anchors[3] (age 64)'],
  ['bradesco', 'mip.anchors.0.age', 42, 'mip.anchors[1] (age 34)'],
  ['bradesco', 'mip.market', 'market-mip-2052', 'mip.market'],
  ['bradesco', 'bank', 'itau', 'bank'],
  ['bradesco', 'version', 'brb-2026-12', 'version'],
  ['bradesco', 'validFrom', '2027-12-15', 'validFrom'],
  ['bradesco', 'validFrom', '2026-12-51', 'validFrom'],
  ['bradesco', 'validFrom', '2026-01-15', 'validFrom'],
  ['bradesco', 'dfi', { value: '0.0066', date: '2062-01', source: 'a sheet' }, 'dfi'],
  ['bradesco', 'dfi', { value: '0.0066', date: '2026-07', source: '' }, 'dfi'],
  ['bradesco', 'states', { values: ['Goiás'], date: '2026', source: 'a sheet' }, 'states'],
  ['marketMip', 'bands.0.rate', '9.29', 'bands[0] (18 to 30)'],
  ['marketMip', 'bands.3.from', 42, 'bands[3] (42 to 45)'],
];

/** Possible, but far off the version before: refused until the table says why. */
const CONFIRMABLE: readonly Row[] = [
  ['itau', 'rates.0.rate', '4.69', 'rates.padrao.SAC'],
  ['itau', 'rates.0.rate', '19.69', 'rates.padrao.SAC'],
  ['santander', 'rates.0.rate', '17.79', 'rates.padrao.SAC'],
  ['cashme', 'rates.0.rate', '1.90', 'rates.padrao.SAC'],
  ['inter', 'rates.0.share', '45', 'rates.padrao.SAC.share'],
  ['bradesco', `${bradesco}.indexer`, 'IPCA', 'rates.padrao.SAC.indexer'],
  ['bradesco', `${bradesco}.basis`, 'nominal', 'rates.padrao.SAC.basis'],
  ['bradesco', 'dfi', '0.0166', 'dfi'],
  ['itau', 'dfi', '0.0025', 'dfi'],
  ['bradesco', 'monthlyFee', '2.50', 'monthlyFee'],
  ['itau', 'monthlyFee', '25.00', 'monthlyFee'],
  ['bradesco', 'appraisalFee', '350.00', 'appraisalFee'],
  ['bradesco', 'incomeShare', '1/5', 'incomeShare'],
  ['bradesco', 'longestTerm', '240', 'longestTerm'],
  ['bradesco', 'shortestTerm', '12', 'shortestTerm'],
  ['bradesco', 'leastFinanced', '10000.00', 'leastFinanced'],
  ['inter', 'leastProperty', undefined, 'leastProperty'],
  ['inter', 'homeEquity', true, 'homeEquity'],
  ['bradesco', 'financesExpenses', false, 'financesExpenses'],
  ['bradesco', 'mip.anchors.3.rate', '0.2782', 'mip (age 65)'],
  ['housingRules', 'sfhProperty', '1500000.00', 'sfhProperty'],
  ['scenarios', 'indexers.IPCA', '8.30', 'indexers.IPCA'],
];

const EVERY: readonly (Bank | Kind)[] = [...BANKS, 'marketMip', 'housingRules', 'creditTax', 'scenarios'];
const fileOf = ({ tables }: Slip, of: Bank | Kind) => {
  const versions = of in tables.banks ? tables.banks[of as Bank] : tables[of as Kind];
  return `${versions.at(-1)!.version}.ts`;
};

describe('a next version of a table', () => {
  test.each(EVERY)('of %s without a slip is taken', (of) => {
    const { tables, lock } = slipped(of, 'validFrom', '2026-12-15');
    expect(tableFaults(TODAY, tables, lock)).toEqual([]);
  });

  const figures = (of: unknown, path = ''): readonly string[] =>
    isFigure(of)
      ? [path]
      : typeof of === 'object' && of !== null
        ? Object.entries(of).flatMap(([key, value]) => figures(value, path === '' ? key : `${path}.${key}`))
        : [];
  const anyOf = (of: Bank | Kind) => (of in TABLES.banks ? TABLES.banks[of as Bank] : TABLES[of as Kind]).at(-1)!;

  test.each(EVERY)('of %s is refused for each figure of it that is out of its bounds', (of) => {
    const paths = figures(anyOf(of)).filter((path) => path !== 'states');
    expect(paths.length).toBeGreaterThan(2);
    for (const path of paths) {
      const slip = slipped(of, path, '999999999');
      const faults = tableFaults(TODAY, slip.tables, slip.lock).filter((fault) => /: 999999999 is above /.test(fault));
      expect(faults, path).toHaveLength(1);
      expect(faults[0]).toMatch(new RegExp(`^${fileOf(slip, of)}: \\w`));
    }
  });

  test.each(REFUSED)('%s, %s = %j is refused, whatever is confirmed', (of, path, to, row) => {
    const slip = slipped(of, path, to);
    const faults = tableFaults(TODAY, slip.tables, slip.lock);
    expect(faults.filter((fault) => fault.startsWith(`${fileOf(slip, of)}: ${row}: `))).not.toEqual([]);
    const confirmed = slipped(of, path, to, { [row]: 'because it is so' });
    expect(tableFaults(TODAY, confirmed.tables, confirmed.lock)).not.toEqual([]);
  });

  test.each(CONFIRMABLE)('%s, %s = %j asks for a reason, and is taken with one', (of, path, to, row) => {
    const slip = slipped(of, path, to);
    const faults = tableFaults(TODAY, slip.tables, slip.lock);
    const named = faults.map((fault) => fault.split(': ')[1]!);
    expect(named).toContain(row);
    for (const fault of faults) expect(fault).toContain(`${fileOf(slip, of)}: `);
    for (const fault of faults) expect(fault).toMatch(/confirmed\['.*'\] must say why$/);
    const mute = slipped(of, path, to, Object.fromEntries(named.map((each) => [each, ' '])));
    expect(tableFaults(TODAY, mute.tables, mute.lock)).toHaveLength(faults.length);
    const taken = slipped(of, path, to, Object.fromEntries(named.map((each) => [each, 'the bank says so'])));
    expect(tableFaults(TODAY, taken.tables, taken.lock)).toEqual([]);
  });

  test('a word that confirms nothing is refused', () => {
    const { tables, lock } = slipped('brb', 'validFrom', '2026-12-15', { dfi: 'no change at all' });
    expect(tableFaults(TODAY, tables, lock)).toEqual(["brb-2026-12.ts: confirmed['dfi']: confirms nothing"]);
  });

  test('a new segment far off everybody’s rate asks for a reason', () => {
    const { rates } = TABLES.banks.santander.at(-1)!;
    const added: PublishedRate = { ...rates[0]!, segment: 'intermediario', rate: { ...rates[0]!.rate, value: '8.79' } };
    const { tables, lock } = slipped('santander', 'rates', [...rates, added]);
    expect(tableFaults(TODAY, tables, lock)).toEqual([
      "santander-2026-12.ts: rates.intermediario.SAC: is more than 25 % off the version before: confirmed['rates.intermediario.SAC'] must say why",
    ]);
  });
});

describe('a published table', () => {
  const [itau] = TABLES.banks.itau;
  const edited = (change: Partial<BankTable>): Tables => ({
    ...TABLES,
    banks: { ...TABLES.banks, itau: [{ ...itau!, ...change }] },
  });
  const was = 'itau-2026-11.ts: version: was changed after it was published: new figures are a new file';

  test('is refused once a figure, a date or a source of it is edited', () => {
    const { dfi } = itau!;
    for (const change of [
      { dfi: { ...dfi, value: '0.00555' } },
      { dfi: { ...dfi, date: '2025-11' } },
      { dfi: { ...dfi, source: 'somebody' } },
      { financesExpenses: false },
    ])
      expect(tableFaults(TODAY, edited(change))).toEqual([was]);
    expect(() => validateTables(TODAY, edited({ financesExpenses: false }))).toThrow(was);
  });

  test('may not be taken away', () => {
    const lock = { ...LOCK, 'itau-2025-01': 'a fingerprint' };
    expect(tableFaults(TODAY, TABLES, lock)).toEqual(['lock.ts: itau-2025-01: its table is gone']);
  });

  test('needs its line in the lock file, which the fault gives', () => {
    const { 'itau-2026-11': line, ...lock } = LOCK;
    expect(tableFaults(TODAY, TABLES, lock)).toEqual([
      `itau-2026-11.ts: version: is not published: lock.ts needs 'itau-2026-11': '${line}'`,
    ]);
  });
});
