import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { managerOn } from '../../makers/manager.ts';

const folder = mkdtempSync(join(tmpdir(), 'partner-credit-tables-'));
afterAll(() => rmSync(folder, { recursive: true }));

const TABLES = join(import.meta.dirname, '../../../shared/domain/simulations/pricing/tables');
const now = () => Date.parse('2026-12-01T15:00:00Z');
const manager = managerOn();
const run = (...args: string[]) => manager(['tables', ...args], { now });

const written = (name: string, content: string) => {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
};
/** Itaú's newest table with the version of December and another rate, as a file of its own. */
function nextTable(name: string, rate: string): string {
  const source = readFileSync(join(TABLES, 'itau-2026-11.ts'), 'utf8')
    .replace("'./table.ts'", `'${join(TABLES, 'table.ts')}'`)
    .replace("version: 'itau-2026-11'", "version: 'itau-2026-12'")
    .replace("validFrom: '2026-11-21'", "validFrom: '2026-12-15'")
    .replace("BRANCH = { date: '2026-07'", "BRANCH = { date: '2026-11'");
  return written(name, source.replace("value: '13.69'", `value: '${rate}'`));
}

it('a new table is shown before and after, side by side, with the line that it needs', async () => {
  const file = nextTable('cheaper.ts', '12.69');
  const { code, out, err } = await run('preview', file);
  expect([code, err]).toEqual([0, expect.stringMatching(/^lock\.ts needs 'itau-2026-12': '[0-9a-f]{64}'/)]);
  expect(out).toMatch(/table +itau-2026-11 +itau-2026-12/);
  expect(out).toMatch(/rate +13\.69 % +12\.69 %/);
  expect(out).toMatch(/first instalment +R\$ 4\.\d{3},\d\d +R\$ 3\.\d{3},\d\d/);
  expect(out).toMatch(/table +refused: systemNotOffered +refused: systemNotOffered/);
  const { version, faults, cases } = (await run('preview', file, '--json')).json();
  expect([version, faults, cases.length]).toEqual(['itau-2026-12', [], 3]);
});

it('a slip is shown with what it would do, and fails', async () => {
  const { code, out, err } = await run('preview', nextTable('slip.ts', '19.69'));
  expect(code).toBe(1);
  expect(err).toContain('itau-2026-12.ts: rates.padrao.SAC: is more than 1.5 points off 13.69');
  expect(err).toContain('a build would refuse itau-2026-12: 1 fault(s)');
  expect(out).toMatch(/rate +13\.69 % +19\.69 %/);
  const unread = await run('preview', nextTable('comma.ts', '13,69'));
  expect({ code: unread.code, out: unread.out }).toEqual({ code: 1, out: '' });
  expect(unread.err).toContain("'13,69' is not a number");
});

it.each([
  ['no file', () => 'no-such-file.ts', 'cannot be read'],
  ['no table', () => written('none.ts', 'export const table = { bank: "caixa" };'), 'exports no table of a bank'],
])('%s is a wrong call', async (_, file, why) => {
  const { code, err } = await run('preview', file());
  expect([code, err]).toEqual([2, expect.stringContaining(why)]);
});

/** What the Banco Central answers of three months of Itaú. */
const answer = (TaxaJurosAoAno: number) => {
  const Modalidade = 'Financiamento imobiliário com taxas de mercado - Pós-fixado referenciado em TR';
  const rest = { Mes: 'x', Posicao: 1, InstituicaoFinanceira: 'x', TaxaJurosAoMes: 1, cnpj8: '60701190' };
  const months = ['2026-08', '2026-09', '2026-10'];
  return JSON.stringify({ value: months.map((anoMes) => ({ ...rest, Modalidade, TaxaJurosAoAno, anoMes })) });
};

it('rates stand beside the averages; one that is off fails', async () => {
  const close = await run('check', '--averages', written('close.json', answer(13.2)));
  expect([close.code, close.err]).toEqual([0, '']);
  expect(close.out).toMatch(/itau +TR +13\.69 % +13\.20 % +2026-08 2026-09 2026-10 +close/);
  expect(close.out).toMatch(/cashme +IPCA +13\.89 % +- +unknown/);
  const off = await run('check', '--averages', written('off.json', answer(12.6)));
  expect([off.code, off.err]).toEqual([1, "manager: more than 1.0 point off the bank's own average: itau\n"]);
  const other = await run('check', '--averages', written('other.json', '{"values":[]}'));
  expect([other.code, other.err]).toEqual([2, expect.stringContaining('no answer of TaxasJurosMensalPorMes')]);
});
