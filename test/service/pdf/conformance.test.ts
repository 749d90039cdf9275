import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { centavos } from '#shared/domain/values/money.ts';
import { comparisonPdf } from '#shared/pdf/comparison-pdf.ts';
import { simulationPdf } from '#shared/pdf/simulation-pdf.ts';
import { makeOffer, makeOpportunity } from '#test/makers/simulation.ts';

// veraPDF (org.verapdf.apps:greenfield-apps of Maven Central, needs Java) judges the files. VERAPDF names the folder
// with its jars. No other test needs veraPDF, so this test is skipped without it.
const JARS = process.env['VERAPDF'];
const folder = mkdtempSync(join(tmpdir(), 'verapdf-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Returns veraPDF's verdict on each file, the first word of a line `PASS <file> <standard>`. */
function verdicts(standard: 'ua1' | '2a', files: readonly string[]): string[] {
  const main = 'org.verapdf.apps.GreenfieldCliWrapper';
  const options = ['-cp', join(JARS!, '*'), main, '-f', standard, '--format', 'text', ...files];
  return execFileSync('java', options, { encoding: 'utf8', timeout: 240_000 })
    .trim()
    .split('\n')
    .map((line) => line.split(' ')[0]!);
}

describe.skipIf(JARS === undefined)(
  `veraPDF${JARS === undefined ? ' (skipped: VERAPDF names no folder with its jars)' : ''}`,
  () => {
    const offers = [
      makeOffer('itau', { term: 60 }),
      makeOffer('cashme', { term: 36, system: 'PRICE', financedValue: centavos(25_000_000) }),
      makeOffer('bradesco', { term: 120 }),
    ] as const;

    it.each(['ua1', '2a'] as const)(
      'the PDFs of a simulation and of a comparison conform to the standard %s',
      async (standard) => {
        const files = await Promise.all(
          offers.map(async ({ offer, schedule }) => {
            const file = join(folder, `${offer.bank}.pdf`);
            writeFileSync(file, await simulationPdf({ opportunity: makeOpportunity(offer), offer, schedule }));
            return file;
          }),
        );
        const comparison = join(folder, 'comparison.pdf');
        const [{ offer }] = offers;
        const opportunity = { ...makeOpportunity(offer), offers: offers.map((made) => made.offer) };
        writeFileSync(comparison, await comparisonPdf({ opportunity }));
        files.push(comparison);
        expect(verdicts(standard, files)).toEqual(files.map(() => 'PASS'));
      },
      300_000,
    );
  },
);
