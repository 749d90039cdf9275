import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { checkRates } from '#shared/domain/simulations/pricing/tables/averages.ts';
import { dayInSaoPaulo } from '#shared/domain/values/clock.ts';
import { managerOn } from '#test/makers/manager.ts';

const folder = mkdtempSync(join(tmpdir(), 'partner-credit-tables-'));
afterAll(() => rmSync(folder, { recursive: true }));

const now = () => Date.parse('2026-12-01T15:00:00Z');
/** The banks' ordinary rates on that day. */
const checks = checkRates([], dayInSaoPaulo(now()));
const itau = checks.find(({ bank }) => bank === 'itau')!;
const cashme = checks.find(({ bank }) => bank === 'cashme')!;
const shown = (percent: number) => `${percent.toFixed(2)} %`;
const manager = managerOn();
const run = (...args: string[]) => manager(['tables', ...args], { now });

const written = (name: string, content: string) => {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
};
/** Returns the Banco Central's answer about three months of Itaú. */
const answer = (TaxaJurosAoAno: number) => {
  const Modalidade = itau.modality;
  const rest = { Mes: 'x', Posicao: 1, InstituicaoFinanceira: 'x', TaxaJurosAoMes: 1, cnpj8: '60701190' };
  const months = ['2026-08', '2026-09', '2026-10'];
  return JSON.stringify({ value: months.map((anoMes) => ({ ...rest, Modalidade, TaxaJurosAoAno, anoMes })) });
};

it('tables check prints each rate next to its average, and fails if a rate is too far off', async () => {
  const { rate, indexer } = itau;
  const close = await run('check', '--averages', written('close.json', answer(rate - 0.49)));
  expect(close.code).toBe(0);
  expect(close.err).toBe('');
  const words = close.out.split('\n').map((line) => line.trim().split(/ {2,}/));
  expect(words).toContainEqual(['itau', indexer, shown(rate), shown(rate - 0.49), '2026-08 2026-09 2026-10', 'close']);
  expect(words).toContainEqual(['cashme', cashme.indexer, shown(cashme.rate), '-', 'unknown']);
  const off = await run('check', '--averages', written('off.json', answer(rate - 1.09)));
  expect(off.code).toBe(1);
  expect(off.err).toBe("manager: more than 1.0 point off the bank's own average: itau\n");
  const other = await run('check', '--averages', written('other.json', '{"values":[]}'));
  expect(other.code).toBe(2);
  expect(other.err).toContain('no answer of TaxasJurosMensalPorMes');
});
