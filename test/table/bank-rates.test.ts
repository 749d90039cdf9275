import { beforeEach, expect, test, vi } from 'vitest';
import type { PublishedRates } from '#shared/domain/simulations/ports.ts';
import { TABLES } from '#shared/domain/simulations/pricing/tables/in-force.ts';
import type { RatePublication } from '#shared/domain/simulations/pricing/tables/publications.ts';
import { dayOf } from '#shared/domain/values/clock.ts';
import { minutes, seconds } from '#shared/domain/values/time.ts';
import { getRow, putRow } from '#shared/table/rows/client.ts';
import { BANK_RATES } from '#shared/table/rows/keys.ts';
import { TableBankRates } from '#shared/table/simulations/bank-rates.ts';
import { type Interception, intercepted, interceptTable, recorded } from '../makers/intercepted.ts';
import { usePeers } from '../makers/peers.ts';
import { clearTable } from '../makers/rows.ts';
import { passTime } from '../makers/test-clock.ts';

const RATE: RatePublication = {
  bank: 'itau',
  segment: 'padrao',
  from: dayOf('2026-12-05'),
  rate: {
    value: '13.49',
    date: '2026-12-01',
    source: 'Itaú, página do banco',
    stillShown: { date: '2026-12-20', address: 'https://www.itau.com.br/' },
  },
};
const ANSWERED: RatePublication = {
  ...RATE,
  segment: 'alta_renda',
  rate: { ...RATE.rate, stillShown: { date: '2026-12-20', from: 'gerência', keptAt: 'pasta 7' } },
};
const NOTHING: PublishedRates = { version: 0, publications: [], unknown: [] };
const AWAY: Interception = {
  around: () => Promise.reject(Object.assign(new Error('away'), { name: 'TimeoutError' })),
};

usePeers();
beforeEach(clearTable);
const rates = new TableBankRates();
const valueIn = (tables: typeof TABLES) => tables.banks.itau.at(-1)?.rates[0]?.rate.value;

test('tables returns the tables of the code themselves while nothing is published', async () => {
  expect(await new TableBankRates().tables()).toBe(TABLES);
  expect(await rates.read()).toEqual(NOTHING);
});

test('read returns what write has stored, with the evidence of a page and of a written answer', async () => {
  expect(await rates.write(NOTHING, [RATE, ANSWERED])).toBe(true);
  expect(await rates.read()).toEqual({ version: 1, publications: [RATE, ANSWERED], unknown: [] });
});

test('write refuses a version that is not the newest, also of two runs that publish first', async () => {
  const both = await Promise.all([rates.write(NOTHING, [RATE]), rates.write(NOTHING, [ANSWERED])]);
  expect(both.toSorted()).toEqual([false, true]);
  const first = await rates.read();
  expect(await rates.write(first, [RATE, ANSWERED])).toBe(true);
  expect(await rates.write(first, [])).toBe(false);
  expect((await rates.read()).publications).toHaveLength(2);
});

test('tables reads the row once a minute, and makes new tables only of a new version', async () => {
  interceptTable();
  await rates.write(NOTHING, [RATE]);
  const container = new TableBankRates();
  const calls = recorded();
  await intercepted(calls, async () => {
    const first = await container.tables();
    expect(valueIn(first)).toBe('13.49');
    passTime(seconds(59));
    await container.tables();
    expect(calls.calls).toHaveLength(1);
    passTime(seconds(1));
    await container.tables();
    expect(calls.calls).toHaveLength(2);
    passTime(minutes(3));
    expect(await container.tables()).toBe(first);
  });
});

test('a publication is used after two minutes at the latest', async () => {
  const container = new TableBankRates();
  expect(valueIn(await container.tables())).not.toBe('13.49');
  await rates.write(NOTHING, [RATE]);
  passTime(minutes(2));
  expect(valueIn(await container.tables())).toBe('13.49');
});

test('tables uses the kept rates for two minutes while the table is away, and then no rates of the code', async () => {
  interceptTable();
  await rates.write(NOTHING, [RATE]);
  const container = new TableBankRates();
  const kept = await container.tables();
  const lines = vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
  await intercepted(AWAY, async () => {
    passTime(seconds(119));
    expect(await container.tables()).toBe(kept);
    passTime(seconds(1));
    await expect(container.tables()).rejects.toMatchObject({ code: 'servico_indisponivel' });
  });
  const logged = lines.mock.calls.map(([text]) => String(text)).join('');
  lines.mockRestore();
  expect(logged).toContain('bank_rates_not_refreshed');
  expect(await container.tables()).toBe(kept);
});

test('a row that this release cannot read is servico_indisponivel after two minutes, too', async () => {
  await putRow({ Item: { ...BANK_RATES, version: 'one' } });
  await expect(new TableBankRates().tables()).rejects.toMatchObject({ code: 'servico_indisponivel' });
});

test('a publication that this release does not know is left out, logged, and kept by the next write', async () => {
  const strange = [
    { ...RATE, bank: 'caixa' },
    { ...RATE, segment: 'estudante' },
    { ...RATE, from: '2026-13-01' },
    { ...RATE, rate: { ...RATE.rate, value: 'thirteen' } },
  ];
  await putRow({ Item: { ...BANK_RATES, version: 9, publications: [...strange, RATE] } });
  const lines = vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
  const read = await rates.read();
  const logged = lines.mock.calls.map(([text]) => String(text)).filter((text) => text.includes('bank_rate_unknown'));
  lines.mockRestore();
  expect(read).toEqual({ version: 9, publications: [RATE], unknown: strange });
  expect(logged).toHaveLength(4);
  await rates.write(read, [RATE, ANSWERED]);
  expect((await getRow(BANK_RATES))?.['publications']).toEqual([RATE, ANSWERED, ...strange]);
});
