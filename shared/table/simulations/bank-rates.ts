import * as z from 'zod/mini';
import type { BankRates, PublishedRates } from '#shared/domain/simulations/ports.ts';
import { TABLES, type Tables } from '#shared/domain/simulations/pricing/tables/in-force.ts';
import { type RatePublication, withPublications } from '#shared/domain/simulations/pricing/tables/publications.ts';
import type { RateFigure, StillShown, WrittenAnswer } from '#shared/domain/simulations/pricing/tables/table.ts';
import { SEGMENTS } from '#shared/domain/simulations/simulation.ts';
import { BANKS } from '#shared/domain/values/bank.ts';
import { isDay } from '#shared/domain/values/clock.ts';
import { Failure } from '#shared/domain/values/failure.ts';
import { type Milliseconds, minutes, seconds } from '#shared/domain/values/time.ts';
import { cached } from '#shared/runtime/cached.ts';
import type { Primable } from '#shared/runtime/deadline.ts';
import { logError } from '#shared/runtime/log.ts';
import { getRow, type Item, putRow } from '../rows/client.ts';
import { BANK_RATES } from '../rows/keys.ts';
import type { FieldsOf } from '../rows/row-format.ts';

const day = z.string().check(z.refine(isDay));
const stillShown = z.union([
  z.object({ date: day, address: z.string() } satisfies FieldsOf<StillShown>),
  z.object({ date: day, from: z.string(), keptAt: z.string() } satisfies FieldsOf<WrittenAnswer>),
]);
const rate = z.object({
  value: z.string().check(z.regex(/^\d+(\.\d+)?$/)),
  date: z.string().check(z.regex(/^\d{4}(-\d{2}){0,2}$/)),
  source: z.string(),
  stillShown: z.optional(stillShown),
} satisfies FieldsOf<RateFigure>);
const publication = z.object({
  bank: z.enum(BANKS),
  segment: z.enum(SEGMENTS),
  from: z.custom<RatePublication['from']>((text) => typeof text === 'string' && isDay(text)),
  rate,
} satisfies FieldsOf<RatePublication>);
const rowFormat = z.object({ version: z.number(), publications: z.array(z.unknown()) });

/** A later release may have published for banks and segments that this release does not know. */
function readRow(row: Item): PublishedRates {
  const { version, publications } = rowFormat.parse(row);
  const known: RatePublication[] = [];
  const unknown: unknown[] = [];
  for (const entry of publications) {
    const { data, error } = publication.safeParse(entry);
    if (data) known.push(data);
    else {
      unknown.push(entry);
      logError('bank_rate_unknown', error);
    }
  }
  return { version, publications: known, unknown };
}

const READ_TIMEOUT: Milliseconds = seconds(2.5);
/** No answer is better than an older row, which may lack a rate that begins today. */
const USABLE_FOR: Milliseconds = minutes(2);

/** The rates that managers publish: one row, which each container keeps for a minute. */
export class TableBankRates implements BankRates, Primable {
  // `termsOf` caches by the table object, so an unchanged row must give the same objects again.
  #merged = { version: 0, tables: TABLES };
  readonly #tables = cached<Tables>({
    fetch: async () => {
      const { version, publications } = await this.read();
      if (version !== this.#merged.version) this.#merged = { version, tables: withPublications(publications) };
      return this.#merged.tables;
    },
    timeoutMs: READ_TIMEOUT,
    refreshAfterMs: minutes(1),
    waitAfterMs: USABLE_FOR,
    usableForMs: USABLE_FOR,
    retryAfterMs: seconds(5),
    onRefreshFailed: (error) => logError('bank_rates_not_refreshed', error),
  });

  prime(): Promise<unknown> {
    return this.#tables.get();
  }

  async tables(): Promise<Tables> {
    try {
      return await this.#tables.get();
    } catch (error) {
      throw error instanceof Failure ? error : new Failure('servico_indisponivel', { cause: error });
    }
  }

  async read(): Promise<PublishedRates> {
    const row = await getRow(BANK_RATES);
    return row ? readRow(row) : { version: 0, publications: [], unknown: [] };
  }

  async write({ version, unknown }: PublishedRates, publications: readonly RatePublication[]): Promise<boolean> {
    const outcome = await putRow({
      Item: { ...BANK_RATES, version: version + 1, publications: [...publications, ...unknown] },
      ConditionExpression: version === 0 ? 'attribute_not_exists(pk)' : 'version = :version',
      ExpressionAttributeValues: version === 0 ? undefined : { ':version': version },
    });
    return outcome === 'written';
  }
}
