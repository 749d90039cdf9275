import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const TABLE = join(import.meta.dirname, '../../../shared/table');

/**
 * Puts that may meet an older row, by file. A put replaces the whole row, so each needs a reason why no other writer
 * owns an attribute of that row.
 */
const OVER_OLDER_ROWS: Readonly<Record<string, readonly string[]>> = {
  'analyses/analyses.ts': ['the cursor of a poller’s job: only the runs of the job write it'],
  'analyses/analysis-list.ts': ['the list of a new submission, in the transaction that makes its analyses'],
  'analyses/spouses.ts': ['the row from a spouse to a new submission, in the transaction that makes its form'],
  'audit/approvals.ts': ['a new request in the place of one that was used or refused, or has ended'],
  'leads/leads.ts': ['the entry of a new lead in the list of its sandbox, in the transaction that makes the lead'],
  'rows/consent-cutoff.ts': ['a later cutoff of a CPF, which is all that the row has'],
  'rows/index-keys.ts': ['the names of the index keys, which is all that the row has'],
  'rows/indexed-rows.ts': ['a row found by a hash: its callers give the condition, and write all of the row'],
  'rows/table-scan.ts': ['the place of a scan: only the runs of the scan write it'],
  'sealing/reindexing.ts': ['the row of a CPF under the newest index key: a row of the same lead has the same content'],
  'simulations/bank-rates.ts': ['the row of all published rates, on the version that was read'],
  'simulations/simulations.ts': ['the entry of a new simulation, in the transaction that makes the simulation'],
};

const CONDITIONED = /ConditionExpression(?:: 'attribute_not_exists\(pk\)'| [,}])/;

/** Returns the text from the bracket at `start` to the bracket that closes it. */
function bracketed(source: string, start: number): string {
  let depth = 0;
  for (let at = start; at < source.length; at++) {
    if ('({['.includes(source.charAt(at))) depth += 1;
    if (')}]'.includes(source.charAt(at))) depth -= 1;
    if (depth === 0) return source.slice(start, at + 1);
  }
  return source.slice(start);
}

/** Returns the puts of a file that do not ask for a row that is not there yet. */
function putsOverOlderRows(file: string): readonly string[] {
  const source = readFileSync(join(TABLE, file), 'utf8');
  const puts = Array.from(source.matchAll(/\bPut: (?=\{)|\bputRow(?=\()/g), ({ index, 0: name }) =>
    bracketed(source, index + name.length),
  );
  return puts.filter((put) => !CONDITIONED.test(put));
}

it('every put of the table makes a new row, or no other writer owns an attribute of the row', () => {
  const files = readdirSync(TABLE, { recursive: true, encoding: 'utf8' });
  // client.ts defines what a put is.
  const adapters = files.filter((file) => file.endsWith('.ts') && file !== 'rows/client.ts');
  const found = adapters.map((file) => [file, putsOverOlderRows(file).length] as const);
  const wanted = Object.entries(OVER_OLDER_ROWS).map(([file, reasons]) => [file, reasons.length]);
  expect(Object.fromEntries(found.filter(([, puts]) => puts > 0))).toEqual(Object.fromEntries(wanted));
});
