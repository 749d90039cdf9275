import { beforeAll, expect, it } from 'vitest';
import { addMonths, dayInSaoPaulo } from '#shared/domain/values/clock.ts';
import { api } from '../makers/api.ts';
import { leadBody } from '../makers/people.ts';
import { useScene } from '../makers/scene.ts';

const scene = useScene();
beforeAll(() => {
  process.env['RATE_DAYS'] = '-1';
});

it('a simulation at midnight in São Paulo has one day, whichever of its readings of the clock passes midnight', async () => {
  const key = scene.partner.keys.sandbox;
  const lead = (await api('createLead', { key, body: leadBody() })).body.lead_id;
  const midnight = Date.parse(`${dayInSaoPaulo(Date.now() + 86_400_000)}T03:00:00Z`);
  // Each reading is a millisecond after the one before. The handler keeps the clock of its first call.
  let now = midnight - 60_000;
  Date.now = () => now++;
  const days = new Set<string>();
  for (let before = 0; before < 60; before++) {
    now = midnight - before;
    const body = { lead_id: lead, valor_imovel: 500_000, bancos: ['itau'] };
    const made = await api('createSimulation', { key, body });
    const id = made.body.resultado.resultados[0].simulacao_id;
    const { data } = (await api('getSimulation', { key, id })).body.simulacao;
    const [first] = (await api('getSimulationInstalments', { key, id })).body.parcelas;
    const day = dayInSaoPaulo(Date.parse(data));
    days.add(day);
    expect(first.vencimento, `${before} ms before midnight`).toBe(addMonths(day, 1));
  }
  expect(days.size).toBe(2);
});

it('a rate older than RATE_DAYS makes no offer in a production simulation, but does in a sandbox simulation', async () => {
  const { sandbox, producao } = scene.partner.keys;
  const motiveOf = async (key: string) => {
    const { lead_id } = (await api('createLead', { key, body: leadBody() })).body;
    const { body } = await api('createSimulation', { key, body: { lead_id, valor_imovel: 500_000, bancos: ['itau'] } });
    return body.resultado.resultados[0].motivo;
  };
  expect(await motiveOf(sandbox)).toBeUndefined();
  const tooOld = /^A taxa que temos deste banco para este pedido é de [\d/]+, há mais de -1 dias; /;
  expect(await motiveOf(producao)).toMatch(tooOld);
});
