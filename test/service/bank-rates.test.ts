import { beforeAll, beforeEach, expect, it } from 'vitest';
import { addDays, dayInSaoPaulo } from '#shared/domain/values/clock.ts';
import { days, minutes, seconds } from '#shared/domain/values/time.ts';
import { tableClient } from '#shared/table/rows/client.ts';
import * as wiring from '#shared/wiring.ts';
import { administration, because, CALLER } from '../makers/administration.ts';
import { api } from '../makers/api.ts';
import { countUnits } from '../makers/counting.ts';
import { type Person, useScene } from '../makers/scene.ts';
import { passTime } from '../makers/test-clock.ts';

const PAGE = 'https://www.itau.com.br/emprestimos-financiamentos';
const OTHER = CALLER.replace('ana.lima', 'bia.reis');
// The sandbox takes a rate of any age, so the tables of the code price whenever this test runs.
const scene = useScene({ environment: 'sandbox' });
let person: Person;
let ordinary: number;
beforeAll(async () => {
  process.env['RATE_DAYS'] = '365';
  process.env['APPROVALS'] = 'required';
  person = await scene.person();
  ordinary = (await simulate()).taxa_anual;
});
beforeEach(async () => {
  const rates = wiring.bankRates();
  await rates.write(await rates.read(), []);
  passTime(minutes(2));
});

const today = () => dayInSaoPaulo(Date.now());
/** Returns a rate that is so many points below the ordinary rate of Itaú in the code. */
const below = (points: number) => (ordinary - points).toFixed(2);
const rate = (points: number) => ({
  segment: 'padrao',
  value: below(points),
  source: 'Itaú, página do banco',
  page: PAGE,
  seen: today(),
  from: addDays(today(), 1),
  ...because,
});
const ITAU = { params: { bank: 'itau' } };

/** Makes a call that another person approves. Returns its answer. */
async function together(operation: 'publish-bank-rate' | 'confirm-bank-rate', body: object) {
  const call = () => administration(operation, { ...ITAU, body });
  expect((await call()).body.code).toBe('approval_needed');
  const [asked] = (await administration('list-approvals')).body.approvals;
  const params = { operation, approval_id: asked.approval_id };
  expect((await administration('approve-approval', { params, caller: OTHER, body: because })).status).toBe(200);
  return call();
}

async function simulate() {
  const loan = { valor_imovel: 500_000, valor_financiado: 250_000, prazo: 240, sistemas: ['SAC'], bancos: ['itau'] };
  const { status, body } = await api('createSimulation', { key: scene.key, body: { lead_id: person.lead, ...loan } });
  expect(status).toBe(200);
  return body.resultado.resultados[0];
}
const textOf = async (
  operation: 'getSimulationPdf' | 'getSimulationComparison' | 'getSimulationInstalments',
  id: number,
) => (await api(operation, { key: scene.key, id })).text;

it('a rate that two people publish prices from its first day on, and older documents keep their bytes', async () => {
  const before = await simulate();
  const documents = async () => [
    await textOf('getSimulationPdf', before.simulacao_id),
    await textOf('getSimulationComparison', before.simulacao_id),
    await textOf('getSimulationInstalments', before.simulacao_id),
  ];
  const old = await documents();
  const { status, body } = await together('publish-bank-rate', rate(0.2));
  expect(status).toBe(200);
  expect(body.rates.at(-1)).toMatchObject({ value: below(0.2), used_from: addDays(today(), 1), systems: ['SAC'] });
  passTime(minutes(2));
  expect((await simulate()).taxa_anual).toBe(ordinary);
  passTime(days(1));
  const after = await simulate();
  expect(after.taxa_anual).toBe(Number(below(0.2)));
  expect(await documents()).toEqual(old);

  const newPdf = await textOf('getSimulationPdf', after.simulacao_id);
  expect((await together('publish-bank-rate', rate(0.4))).status).toBe(200);
  passTime(days(1) + minutes(2));
  expect((await simulate()).taxa_anual).toBe(Number(below(0.4)));
  expect(await documents()).toEqual(old);
  expect(await textOf('getSimulationPdf', after.simulacao_id)).toBe(newPdf);
});

it('a confirmed rate keeps its price, and production refuses the bank later', async () => {
  expect((await together('publish-bank-rate', rate(0.2))).status).toBe(200);
  passTime(days(100));
  const [listed] = (await administration('list-bank-rates')).body.rates.filter(
    (one: { bank: string; segment: string }) => one.bank === 'itau' && one.segment === 'padrao',
  );
  const evidence = { segment: 'padrao', seen: today(), answered_by: 'gerência', kept_at: 'pasta 7', ...because };
  const { status, body } = await together('confirm-bank-rate', evidence);
  expect(status).toBe(200);
  expect(body.rates).toMatchObject([
    { ...listed, still_shown: today(), refused_from: addDays(listed.refused_from, 100) },
  ]);
  passTime(minutes(2));
  expect((await simulate()).taxa_anual).toBe(Number(below(0.2)));
});

it('the value in use takes back a rate that has not begun', async () => {
  expect((await together('publish-bank-rate', rate(0.2))).status).toBe(200);
  expect((await together('publish-bank-rate', rate(0))).status).toBe(200);
  passTime(days(1) + minutes(2));
  expect((await simulate()).taxa_anual).toBe(ordinary);
});

it('publish-bank-rate names each fault, and its preview shows them and changes nothing', async () => {
  const wrong = { ...rate(0.2), page: 'https://larya.com.br/blog', seen: addDays(today(), 1) };
  const { status, body } = await administration('publish-bank-rate', { ...ITAU, body: wrong });
  expect(status).toBe(422);
  expect(body.error).toContain(`page: '${wrong.page}' is not an https address of Itaú. value: was published in`);
  const dry = await administration('publish-bank-rate', { ...ITAU, body: { ...wrong, dry_run: true } });
  expect(dry.body.faults).toHaveLength(3);
  expect(dry.body.after).toEqual([]);
});

it('publish-bank-rate and confirm-bank-rate ask for a page or a written answer', async () => {
  const { page: _, ...without } = rate(0.2);
  const both = { ...rate(0.2), answered_by: 'gerência', kept_at: 'pasta 7' };
  for (const body of [without, both, { ...without, answered_by: 'gerência' }]) {
    const { body: answer } = await administration('publish-bank-rate', { ...ITAU, body });
    expect(answer.fields).toMatchObject([{ field: 'page' }]);
  }
});

it('a simulation makes as many round trips one after the other as without published rates', async () => {
  const counted = countUnits(tableClient());
  await simulate();
  counted.reset();
  await simulate();
  const kept = { ...counted.units };
  expect(kept.calls).toEqual(['Update', 'BatchGet', 'TransactWrite']);
  passTime(seconds(60));
  counted.reset();
  await simulate();
  expect(counted.units.calls.toSorted()).toEqual([...kept.calls, 'Get'].toSorted());
  expect(counted.units.read).toBe(kept.read + 1);
  expect(counted.units.write).toBe(kept.write);
});
