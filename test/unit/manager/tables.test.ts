import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { useAnsweredManager } from '#test/makers/answered-manager.ts';

const folder = mkdtempSync(join(tmpdir(), 'partner-credit-tables-'));
afterAll(() => rmSync(folder, { recursive: true }));
const run = useAnsweredManager();

const rate = (changes: object) => ({
  ...{ bank: 'itau', segment: 'padrao', indexer: 'TR', annual_percent: '13.69', used_from: '2026-11-21' },
  ...changes,
});
const RATES = [
  rate({}),
  rate({ segment: 'alta_renda', annual_percent: '1.00' }),
  rate({ annual_percent: '2.00', used_from: '2030-01-01' }),
  rate({ bank: 'cashme', indexer: 'IPCA', annual_percent: '13.89' }),
];
const FIGURES = [{ kind: 'conditions', of: 'brb', day: '2027-01-01' }];

/** Runs `tables check` with the Banco Central's answer about three months of Itaú. */
async function check(content: object) {
  const file = join(folder, 'averages.json');
  writeFileSync(file, JSON.stringify(content));
  return run(
    `$ tables check --averages ${file}\n= list-bank-rates ${JSON.stringify({ rates: RATES, figures: FIGURES, unknown: 0 })}`,
  );
}
const average = (TaxaJurosAoAno: number) => ({
  value: ['2026-08', '2026-09', '2026-10'].map((anoMes) => ({
    ...{ Mes: 'x', Posicao: 1, InstituicaoFinanceira: 'x', TaxaJurosAoMes: 1, cnpj8: '60701190' },
    ...{
      Modalidade: 'Financiamento imobiliário com taxas de mercado - Pós-fixado referenciado em TR',
      TaxaJurosAoAno,
      anoMes,
    },
  })),
});

it('tables check prints each ordinary rate in use next to its average, and fails if one is too far off', async () => {
  const close = await check(average(13.2));
  expect(close).toMatch(/itau +TR +13\.69 % +13\.20 % +2026-08 2026-09 2026-10 +close/);
  expect(close).toMatch(/cashme +IPCA +13\.89 % +- +unknown/);
  expect(close).not.toMatch(/ [12]\.00 %/);
  expect(close).not.toContain('exit');
  const off = await check(average(12.6));
  expect(off).toContain("! manager: more than 1.0 point off the bank's own average: itau\nexit 1");
  expect(await check({ values: [] })).toContain('no answer of TaxasJurosMensalPorMes');
});

it('tables check says when figures other than rates are old', async () => {
  expect(await check(average(13.2))).toContain('! other figures are old from: 2027-01-01 brb conditions');
});
