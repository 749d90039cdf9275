import { describe, expect, it } from 'vitest';
import { scheduleOf } from '#shared/domain/simulations/pricing/quote.ts';
import { lastDayOfUse, type Tables, tableFor } from '#shared/domain/simulations/pricing/tables/in-force.ts';
import {
  confirmationFaults,
  confirmationOf,
  publicationFaults,
  rateOfSegment,
} from '#shared/domain/simulations/pricing/tables/publication-faults.ts';
import {
  type RatePublication,
  withPublication,
  withPublications,
} from '#shared/domain/simulations/pricing/tables/publications.ts';
import type { BankTable, RateEvidence } from '#shared/domain/simulations/pricing/tables/table.ts';
import { SEGMENTS, type Segment } from '#shared/domain/simulations/simulation.ts';
import { BANKS, type Bank } from '#shared/domain/values/bank.ts';
import { addDays, type Day, dayOf } from '#shared/domain/values/clock.ts';
import { FROZEN_TABLES } from '#test/makers/frozen-tables.ts';
import { offerOfBank } from '#test/makers/quote-request.ts';

const TODAY = dayOf('2026-12-01');
const PAGE = { date: '2026-12-01', address: 'https://www.itau.com.br/emprestimos-financiamentos' };
const ANSWER = { date: '2026-12-01', from: 'crédito imobiliário, gerência', keptAt: 'contracts folder, 2026/17' };

/** Returns a publication of Itaú's ordinary rate. */
const newRate = (changes: Partial<RatePublication> = {}, rate: Partial<RatePublication['rate']> = {}) => ({
  bank: 'itau' as const,
  segment: 'padrao' as const,
  from: dayOf('2026-12-05'),
  ...changes,
  rate: { value: '13.49', date: '2026-12-01', source: 'Itaú, página do banco', ...rate },
});
const withVersions = (bank: Bank, ...next: readonly BankTable[]): Tables => ({
  ...FROZEN_TABLES,
  banks: { ...FROZEN_TABLES.banks, [bank]: FROZEN_TABLES.banks[bank].concat(next) },
});
const [ITAU] = FROZEN_TABLES.banks.itau;
if (ITAU === undefined) throw new Error('itau has no frozen table');
const valueOn = (day: string, tables: Tables, bank: Bank = 'itau', segment: Segment = 'padrao') =>
  rateOfSegment(tableFor(bank, dayOf(day), tables), segment)?.rate.value;
const firstDay = (day: string) => ({ version: `itau-${day.slice(0, 7)}`, validFrom: day });

describe('withPublications', () => {
  it('withPublications returns the tables of the code themselves if nothing is published', () => {
    expect(withPublications([], FROZEN_TABLES)).toBe(FROZEN_TABLES);
    const merged = withPublications([newRate()], FROZEN_TABLES);
    expect(merged.banks.brb).toBe(FROZEN_TABLES.banks.brb);
    expect(merged.scenarios).toBe(FROZEN_TABLES.scenarios);
  });

  it('a published rate prices from its first day on, for its segment only', () => {
    const merged = withPublications([newRate()], FROZEN_TABLES);
    expect(valueOn('2026-12-04', merged)).toBe('13.69');
    expect(valueOn('2026-12-05', merged)).toBe('13.49');
    expect(valueOn('2026-12-05', merged, 'itau', 'alta_renda')).toBe('11.70');
    const on = (day: string) => offerOfBank('itau', { contractDay: dayOf(day) }, merged);
    expect(on('2026-12-04').annualRate).toBe(13.69);
    expect(on('2026-12-05').annualRate).toBe(13.49);
    expect(on('2026-12-05').rateDate).toBe('2026-12-01');
    expect(on('2026-12-05').tableVersion).toBe('itau-2026-11');
    const offer = on('2026-12-05');
    expect(scheduleOf(offer)[0], 'by the tables of the code').toEqual(offer.first);
  });

  it('on each day, each segment has the newest rate that has begun, in whatever order the rates were stored', () => {
    const rates = ['2026-12-03', '2026-12-09', '2027-01-20'].flatMap((from, index) =>
      SEGMENTS.map((segment, at) =>
        newRate({ segment, from: addDays(dayOf(from), at) }, { value: `${13 - at}.${index}1`, source: `Itaú ${from}` }),
      ),
    );
    const merged = withPublications(rates.toReversed(), FROZEN_TABLES);
    for (let day = dayOf('2026-11-21'); day < '2027-02-01'; day = addDays(day, 1))
      for (const segment of SEGMENTS) {
        const begun = rates.filter((one) => one.segment === segment && one.from <= day);
        const expected = begun.at(-1)?.rate ?? rateOfSegment(ITAU, segment)?.rate;
        expect(rateOfSegment(tableFor('itau', day, merged), segment)?.rate, `${segment} ${day}`).toEqual(expected);
      }
  });

  it('a later table of the code that copies the old rate does not undo a publication', () => {
    const copy = { ...ITAU, ...firstDay('2027-01-10'), appraisalFee: { ...ITAU.appraisalFee, value: '4000.00' } };
    const merged = withPublications([newRate()], withVersions('itau', copy));
    const table = tableFor('itau', dayOf('2027-01-10'), merged);
    expect(rateOfSegment(table, 'padrao')?.rate.value).toBe('13.49');
    expect(table.appraisalFee.value).toBe('4000.00');
    expect(table.version).toBe('itau-2027-01');
  });

  it('a later table of the code with another rate undoes a publication', () => {
    const rates = ITAU.rates.map((row) => ({ ...row, rate: { ...row.rate, value: '13.99', date: '2027-01-05' } }));
    const merged = withPublications([newRate()], withVersions('itau', { ...ITAU, ...firstDay('2027-01-10'), rates }));
    expect(valueOn('2027-01-09', merged)).toBe('13.49');
    expect(valueOn('2027-01-10', merged)).toBe('13.99');
  });

  it('a table of the code that takes over a published rate keeps its first day of use', () => {
    const rates = ITAU.rates.map((row) => (row.segment === 'padrao' ? { ...row, rate: newRate().rate } : row));
    const merged = withPublications([newRate()], withVersions('itau', { ...ITAU, ...firstDay('2027-01-10'), rates }));
    const [, published, adopted] = merged.banks.itau;
    if (published === undefined || adopted === undefined) throw new Error('a version is missing');
    const lastDay = (table: BankTable) => lastDayOfUse(table, rateOfSegment(table, 'padrao')!, 365, merged);
    expect(lastDay(adopted)).toBe(lastDay(published));
  });
});

describe('withPublication', () => {
  it('withPublication drops rates that would begin later, and those whose use has ended', () => {
    const [ended, inUse, pending] = ['2026-11-25', '2026-11-30', '2026-12-10'].map((from) =>
      newRate({ from: dayOf(from) }, { source: `Itaú ${from}` }),
    );
    if (!ended || !inUse || !pending) throw new Error('a rate is missing');
    const other = newRate({ segment: 'alta_renda' }, { value: '11.50' });
    expect(withPublication([other, ended, inUse, pending], newRate(), TODAY)).toEqual([inUse, other, newRate()]);
  });

  it('withPublication keeps the first day of a rate that was published again to take back a later one', () => {
    const begun = newRate({ from: dayOf('2026-11-25') });
    const again = newRate({ from: dayOf('2026-11-28') });
    const other = newRate({ segment: 'alta_renda' }, { value: '11.50' });
    expect(withPublication([begun, again], other, TODAY)).toEqual([begun, again, other]);
  });
});

describe('publicationFaults', () => {
  const faultsOf = (
    publication: RatePublication,
    { evidence = PAGE, confirmed }: { evidence?: RateEvidence; confirmed?: string } = {},
    publications: readonly RatePublication[] = [],
    tables = FROZEN_TABLES,
  ) => publicationFaults(publications, { publication, evidence, confirmed }, TODAY, tables);

  it('publicationFaults finds none in a rate of a page of the bank, or of its written answer', () => {
    expect(faultsOf(newRate())).toEqual([]);
    expect(faultsOf(newRate(), { evidence: ANSWER })).toEqual([]);
  });

  it.each<[string, RatePublication, RateEvidence, string]>([
    ['begins today', newRate({ from: TODAY }), PAGE, 'from: 2026-12-01 is not after today, 2026-12-01'],
    ['begins in two years', newRate({ from: dayOf('2028-12-01') }), PAGE, 'from: 2028-12-01 is more than a year ahead'],
    [
      'is of a segment without a rate',
      newRate({ bank: 'brb', segment: 'alta_renda' }),
      PAGE,
      'segment: brb has no rate of its own for alta_renda',
    ],
    ['is in use', newRate({}, { value: '13.690' }), PAGE, 'value: 13.690 is the rate in use: confirm it'],
    ['is far too high', newRate({}, { value: '49.13' }), PAGE, 'value: 49.13 is above 30'],
    ['names another bank', newRate({}, { source: 'página do banco' }), PAGE, 'value: has a source that is not Itaú'],
    [
      'was published tomorrow',
      newRate({}, { date: '2026-12-02' }),
      PAGE,
      'value: was published in 2026-12-02, after 2026-12-01',
    ],
    [
      'is on a lookalike domain',
      newRate(),
      { ...PAGE, address: 'https://itau.com.br.taxas.example/' },
      "page: 'https://itau.com.br.taxas.example/' is not an https address of Itaú",
    ],
    ['was seen tomorrow', newRate(), { ...PAGE, date: '2026-12-02' }, 'seen: was read on 2026-12-02, after 2026-12-01'],
    [
      'was answered tomorrow',
      newRate(),
      { ...ANSWER, date: '2026-12-02' },
      'seen: was read on 2026-12-02, after 2026-12-01',
    ],
  ])('publicationFaults refuses a rate that %s', (_, publication, evidence, fault) => {
    expect(faultsOf(publication, { evidence })).toEqual([fault]);
    expect(faultsOf(publication, { evidence, confirmed: 'the page says so' })).toEqual([fault]);
  });

  it.each<[string, RatePublication, string]>([
    [
      'falls by more than 1.5 points',
      newRate({}, { value: '12.00' }),
      'value: differs from 13.69 by more than 1.5 points',
    ],
    ['rises as a CET does', newRate({}, { value: '14.09' }), 'value: is 0.40 above 13.69, as its CET may be'],
    [
      'was published before the rate in use',
      newRate({}, { date: '2026-05' }),
      'value: is dated 2026-05, before the 2026-07 of the version before',
    ],
    [
      'is above the rate of the ordinary customer',
      newRate({ segment: 'intermediario' }, { value: '13.79' }),
      "value: is not below padrao's 13.69",
    ],
  ])('publicationFaults asks why a rate is right that %s', (_, publication, doubt) => {
    expect(faultsOf(publication)).toContain(`${doubt}: say in confirmed why it is right`);
    expect(faultsOf(publication, { confirmed: 'the page says so' })).toEqual([]);
  });

  it('publicationFaults refuses a reason for a rate that needs none', () => {
    expect(faultsOf(newRate(), { confirmed: 'the page says so' })).toEqual([
      'confirmed: nothing needs a reason: leave it out',
    ]);
  });

  it('publicationFaults refuses the first day of a table of the code with another rate', () => {
    const rates = ITAU.rates.map((row) => ({ ...row, rate: { ...row.rate, value: '13.99', date: '2026-11' } }));
    const tables = withVersions('itau', { ...ITAU, ...firstDay('2026-12-05'), rates });
    expect(faultsOf(newRate(), {}, [], tables)).toEqual([
      'from: a table of the code begins on 2026-12-05 with another rate: choose another day',
    ]);
  });

  it('publicationFaults compares a rate with the rate in use, not with the one that it replaces', () => {
    const pending = newRate({ from: dayOf('2026-12-08') }, { value: '12.49' });
    expect(faultsOf(newRate({}, { value: '12.10' }), {}, [pending])).toEqual([
      'value: differs from 13.69 by more than 1.5 points: say in confirmed why it is right',
    ]);
  });
});

describe('confirmationOf and confirmationFaults', () => {
  const confirm = (
    bank: Bank,
    evidence: RateEvidence,
    today: Day,
    publications: readonly RatePublication[] = [],
    tables = FROZEN_TABLES,
  ) => {
    const publication = confirmationOf(publications, { bank, segment: 'padrao' }, evidence, today, tables);
    if (publication === undefined) throw new Error(`${bank} has no rate`);
    const faults = confirmationFaults(publications, { publication, evidence }, today, 365, tables);
    return { faults, all: withPublication(publications, publication, today) };
  };
  const lastDay = (bank: Bank, day: Day, merged: Tables) => {
    const table = tableFor(bank, day, merged);
    return lastDayOfUse(table, rateOfSegment(table, 'padrao')!, 365, merged);
  };
  const brbPage = (date: string) => ({ date, address: 'https://novo.brb.com.br/taxas' });

  it('a confirmation on the last day extends the use of a rate by 12 months at most', () => {
    const day = dayOf('2026-12-31');
    const { faults, all } = confirm('brb', brbPage('2026-12-31'), day);
    expect(faults).toEqual([]);
    expect(lastDay('brb', day, FROZEN_TABLES)).toBe('2026-12-31');
    expect(lastDay('brb', day, withPublications(all, FROZEN_TABLES))).toBe('2027-12-31');
  });

  it('a confirmation changes nothing of an offer but its last day and the notice on its age', () => {
    const day = dayOf('2026-12-10');
    const merged = withPublications(confirm('brb', brbPage('2026-12-10'), day).all, FROZEN_TABLES);
    const [before, after] = [FROZEN_TABLES, merged].map((tables) => offerOfBank('brb', { contractDay: day }, tables));
    expect({ ...after, notices: [] }).toEqual({ ...before, notices: [] });
    expect(before?.notices).toContainEqual({ kind: 'tableOld', days: 344 });
    expect(after?.notices).toContainEqual({ kind: 'tableOld', days: 344, seen: '2026-12-10' });
  });

  it('a written answer of the bank confirms a rate, too', () => {
    const day = dayOf('2026-12-31');
    const { faults, all } = confirm('brb', { ...ANSWER, date: '2026-12-20' }, day);
    expect(faults).toEqual([]);
    expect(lastDay('brb', day, withPublications(all, FROZEN_TABLES))).toBe('2027-12-20');
  });

  it('a published rate is confirmed with its own date, and a rate that waits stays', () => {
    const waiting = newRate({ from: dayOf('2027-06-10') }, { value: '13.29', date: '2027-06-01' });
    const page = { ...PAGE, date: '2027-06-01' };
    const { faults, all } = confirm('itau', page, dayOf('2027-06-01'), [newRate(), waiting]);
    expect(faults).toEqual([]);
    expect(all).toEqual([{ ...newRate(), rate: { ...newRate().rate, stillShown: page } }, waiting]);
  });

  it.each<[string, RateEvidence, string]>([
    [
      'of a broker',
      { date: '2026-12-31', address: 'https://larya.com.br/blog' },
      "page: 'https://larya.com.br/blog' is not an https address of BRB",
    ],
    ['of tomorrow', brbPage('2027-01-01'), 'seen: was read on 2027-01-01, after 2026-12-31'],
    [
      'from before the end of the rate’s date',
      brbPage('2025-12-31'),
      "seen: was read on 2025-12-31, which is not after the rate's date 2025",
    ],
  ])('confirmationFaults refuses a page %s', (_, evidence, fault) => {
    expect(confirm('brb', evidence, dayOf('2026-12-31')).faults).toEqual([fault]);
  });

  it('confirmationFaults refuses a confirmation that extends nothing', () => {
    const { all } = confirm('brb', brbPage('2026-12-31'), dayOf('2026-12-31'));
    expect(confirm('brb', brbPage('2027-03-01'), dayOf('2027-03-01'), all).faults).toEqual([
      'seen: the rate is used until 2027-12-31 already, and evidence of this day extends it no further',
    ]);
  });

  it('a segment without a rate of its own is not confirmed', () => {
    const found = confirmationOf([], { bank: 'brb', segment: 'alta_renda' }, PAGE, TODAY, FROZEN_TABLES);
    expect(found).toBeUndefined();
  });
});

it('a published rate prices at every bank and for every segment that has a rate', () => {
  for (const bank of BANKS)
    for (const { segment, rate } of tableFor(bank, TODAY, FROZEN_TABLES).rates) {
      const value = (Number(rate.value) - 0.01).toFixed(2);
      const publication = newRate({ bank, segment }, { value, source: rate.source });
      const merged = withPublications([publication], FROZEN_TABLES);
      expect(valueOn('2026-12-05', merged, bank, segment), `${bank} ${segment}`).toBe(value);
    }
});
