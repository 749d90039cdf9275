import * as z from 'zod/mini';
import { described } from '../contract/described.ts';
import type { AuditFacts } from '../domain/audit/ports.ts';
import type { BankRates, PublishedRates } from '../domain/simulations/ports.ts';
import {
  firstUseOf,
  isSameFigure,
  lastDayOfUse,
  rateIn,
  type Tables,
  tableFor,
} from '../domain/simulations/pricing/tables/in-force.ts';
import { type ProposedRate, rateOfSegment } from '../domain/simulations/pricing/tables/publication-faults.ts';
import { withPublication, withPublications } from '../domain/simulations/pricing/tables/publications.ts';
import { FIGURE_KINDS, figureExpiries } from '../domain/simulations/pricing/tables/rate-expiries.ts';
import type { BankTable, PublishedRate, RateEvidence } from '../domain/simulations/pricing/tables/table.ts';
import { rateTermsOf } from '../domain/simulations/pricing/terms.ts';
import { AMORTIZATION_SYSTEMS, INDEXERS, RATE_KINDS, SEGMENTS } from '../domain/simulations/simulation.ts';
import { BANKS, type Bank } from '../domain/values/bank.ts';
import { addDays, type Day, dayOf } from '../domain/values/clock.ts';
import { AdministrationFailure } from './failures.ts';
import { answered, day, name, previewed } from './fields.ts';
import { MANAGER, noun, READERS } from './operation.ts';
import { toWire } from './wire.ts';

const { read, change } = noun('bank-rates');

const bank = described(z.enum(BANKS), 'The bank.');
const segment = described(
  z.enum(SEGMENTS),
  'The customers. padrao: those of a segment without a rate of its own, too.',
);

const bankRate = described(
  z.object({
    bank,
    segment,
    systems: described(z.array(z.enum(AMORTIZATION_SYSTEMS)), 'The amortization systems with this rate.'),
    indexer: described(z.enum(INDEXERS), 'The index of the loan.'),
    kind: described(z.enum(RATE_KINDS), 'What the bank publishes.'),
    value: described(z.string(), 'As the bank states it, in percent.'),
    annual_percent: described(z.string(), 'Effective rate, in percent a year: 13.49.'),
    date: described(z.string(), 'When it was published, as exactly as is known.'),
    source: described(z.string(), 'What customers read.'),
    still_shown: described(z.nullable(day('')), 'Day on which the bank still confirmed it.'),
    used_from: day('First day of use.'),
    refused_from: day('First day on which production refuses the bank because of its age.'),
  }),
  { id: 'BankRate' },
);
const figureExpiry = described(
  z.object({
    kind: described(z.enum(FIGURE_KINDS), 'The figures.'),
    of: described(z.enum([...BANKS, ...INDEXERS]), 'Their bank, or the index of the scenario.'),
    day: day('First day on which they are old.'),
  }),
  { id: 'FigureExpiry' },
);

const evidence = {
  segment,
  seen: day('Day on which you read the page, or day of the written answer.'),
  page: z.optional(name('Address of the page (https), on a domain of the bank.')),
  answered_by: z.optional(name('Without a page: who answered for the bank, in writing.')),
  kept_at: z.optional(name('Without a page: where the answer is kept.')),
};
const shared = {
  duties: MANAGER,
  approval: 'always',
  permission: { table: ['GetItem', 'PutItem'], reads: ['RATES'], writes: ['RATES'], secrets: ['keys'] },
  params: z.strictObject({ bank }),
  preview: previewed({
    faults: described(z.array(z.string()), 'Why the change would be refused. Empty: it would be made.'),
    before: described(z.array(bankRate), 'The rates of the segment that it replaces.'),
    after: described(z.array(bankRate), 'The rates of the segment after it.'),
  }),
  answer: answered({ rates: described(z.array(bankRate), 'The rates of the segment.') }),
} as const;

export const listBankRates = read('list-bank-rates', 'GET /v1/bank-rates', {
  english: 'the rates by which banks make offers, now and later, and the days from which production refuses them',
  portuguese: 'Ver taxas dos bancos',
  duties: READERS,
  permission: { table: ['GetItem'], reads: ['RATES'], writes: [] },
  answer: answered({
    rates: described(z.array(bankRate), 'Those of today, and those that begin later.'),
    figures: described(z.array(figureExpiry), 'When figures other than rates are old, earliest first.'),
    unknown: described(z.int(), 'Stored rates that this release does not know, and does not use.'),
  }),
});

export const publishBankRate = change('publish-bank-rate', 'POST /v1/bank-rates/{bank}/publish', {
  english: 'publish a new rate of a bank, which the bank shows on a page or has answered in writing',
  portuguese: 'Publicar taxa',
  ...shared,
  body: z.strictObject({
    ...evidence,
    from: day('First day of use: tomorrow or later. Rates that would begin on this day or later are dropped.'),
    value: described(
      z.string().check(z.regex(/^\d{1,2}(\.\d{1,4})?$/, 'is a number such as 13.49')),
      'As the bank states it: in percent a year, or in percent a month if the present rate is.',
    ),
    date: described(
      z.optional(z.string().check(z.regex(/^\d{4}(-\d{2}){0,2}$/, 'is a date such as 2026-12 or 2026-12-01'))),
      'When the bank published it, as exactly as the page says. Left out: the day of seen.',
    ),
    source: name('What customers read, in Portuguese, with the name of the bank: Itaú, página do banco'),
    confirmed: z.optional(name('Why the rate is right although it looks like a typing error')),
  }),
});

export const confirmBankRate = change('confirm-bank-rate', 'POST /v1/bank-rates/{bank}/confirm', {
  english: 'say that the bank still shows the rate in use, so that it may be used longer',
  portuguese: 'Confirmar taxa',
  ...shared,
  body: z.strictObject(evidence),
});

export const BANK_RATE_OPERATIONS = [listBankRates, publishBankRate, confirmBankRate] as const;

interface SentEvidence {
  readonly seen: Day;
  readonly page?: string | undefined;
  readonly answered_by?: string | undefined;
  readonly kept_at?: string | undefined;
}

/** Throws `field_invalid` unless the call has a page or an answer. */
export function evidenceOf({ seen, page, answered_by, kept_at }: SentEvidence): RateEvidence {
  if (page !== undefined && answered_by === undefined && kept_at === undefined) return { date: seen, address: page };
  if (page === undefined && answered_by !== undefined && kept_at !== undefined)
    return { date: seen, from: answered_by, keptAt: kept_at };
  const reason = 'send page, or answered_by and kept_at of a written answer';
  throw new AdministrationFailure('field_invalid', { fields: [{ field: 'page', reason }] });
}

export function ratesFrom(today: Day, tables: Tables, rateDays: number, banks: readonly Bank[] = BANKS) {
  return banks.flatMap((of) => {
    const versions = tables.banks[of];
    const inUse = tableFor(of, today, tables);
    return versions.slice(versions.indexOf(inUse)).flatMap((table) => {
      const shown: PublishedRate[] = [];
      return table.rates.flatMap((published) => {
        const usedFrom = firstUseOf(versions, table, published.rate, (one) => rateIn(one, published)?.rate);
        const isShown = shown.some(
          (one) => one.segment === published.segment && isSameFigure(one.rate, published.rate),
        );
        if (isShown || (table !== inUse && usedFrom !== table.validFrom)) return [];
        shown.push(published);
        const refusedFrom = addDays(lastDayOfUse(table, published, rateDays, tables), 1);
        return [rateBody(table, published, usedFrom, refusedFrom)];
      });
    });
  });
}

const rateBody = ({ bank: of, rates }: BankTable, published: PublishedRate, usedFrom: Day, refusedFrom: Day) =>
  toWire(bankRate, {
    bank: of,
    segment: published.segment,
    systems: rates
      .filter(({ segment: other, rate }) => other === published.segment && isSameFigure(rate, published.rate))
      .map(({ system }) => system),
    indexer: published.indexer,
    kind: published.kind,
    value: published.rate.value,
    annualPercent: rateTermsOf(published).annualPercent.toFixed(2),
    date: published.rate.date,
    source: published.rate.source,
    stillShown: published.rate.stillShown && dayOf(published.rate.stillShown.date),
    usedFrom,
    refusedFrom,
  });

export function rateList({ publications, unknown }: PublishedRates, today: Day, rateDays: number) {
  return {
    rates: ratesFrom(today, withPublications(publications), rateDays),
    figures: figureExpiries(rateDays).map((expiry) => ({ ...expiry })),
    unknown: unknown.length,
  };
}

interface RateChange {
  readonly rates: BankRates;
  readonly read: PublishedRates;
  readonly proposed: ProposedRate;
  readonly faults: readonly string[];
  readonly today: Day;
  readonly rateDays: number;
  readonly dry: boolean;
}

/** Each fault begins with its field: `from: 2026-12-01 is not after today`. */
export const rateFaultFields = (faults: readonly string[]) =>
  faults.map((fault) => {
    const [field = ''] = fault.split(':', 1);
    return { field, reason: fault.slice(field.length + 2) };
  });

/** Throws `refused` with every fault of the rate. */
export function rateChange({ rates, read: seen, proposed, faults, today, rateDays, dry }: RateChange) {
  const { publication } = proposed;
  const { bank: of, segment: segmentOf, rate } = publication;
  if (faults.length > 0 && !dry)
    throw new AdministrationFailure('refused', { text: `${faults.join('. ')}.`, fields: rateFaultFields(faults) });
  const publications = withPublication(seen.publications, publication, today);
  const listed = (list: PublishedRates['publications']) =>
    ratesFrom(today, withPublications(list), rateDays, [of]).filter((one) => one.segment === segmentOf);
  const inUse = rateOfSegment(tableFor(of, today, withPublications(seen.publications)), segmentOf)?.rate;
  return {
    about: 'service' as const,
    needsApproval: true,
    // A confirmation sends neither value nor date.
    details: {
      value: { value: rate.value, replaces: inUse?.value === rate.value ? undefined : inUse?.value },
      rate_date: { value: rate.date },
    },
    target: auditFacts(proposed),
    preview: async () => ({
      faults: faults.slice(),
      before: listed(seen.publications),
      after: faults.length === 0 ? listed(publications) : [],
    }),
    change: async () => {
      if (!(await rates.write(seen, publications)))
        throw new AdministrationFailure('changed_meanwhile', {
          text: 'Another rate was published or confirmed meanwhile: look at the rates again.',
        });
      return { rates: listed(publications) };
    },
  };
}

function auditFacts({ publication, evidence: shown, confirmed }: ProposedRate): AuditFacts {
  const { bank: of, segment: segmentOf, from, rate } = publication;
  const facts: Record<string, string> = { bank: of, segment: segmentOf, from, value: rate.value, date: rate.date };
  facts['seen_on'] = shown.date;
  if ('address' in shown) facts['page'] = shown.address;
  else Object.assign(facts, { answered_by: shown.from, kept_at: shown.keptAt });
  if (confirmed !== undefined) facts['confirmed'] = confirmed;
  return facts;
}
