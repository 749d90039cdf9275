import { expect, it } from 'vitest';
import { addMonths, dayInSaoPaulo } from '../../shared/domain/values/clock.ts';
import { api } from '../makers/api.ts';
import { useScene } from '../makers/scene.ts';

const scene = useScene();

it('made at midnight in São Paulo has one day, whichever reading of the clock comes after it', async () => {
  const { lead } = await scene.person();
  const { key } = scene;
  const midnight = Date.parse(`${dayInSaoPaulo(Date.now() + 86_400_000)}T03:00:00Z`);
  // Each reading is a millisecond later. The handler keeps the clock of its first call.
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
    expect([before, first.vencimento]).toEqual([before, addMonths(day, 1)]);
  }
  expect(days.size).toBe(2);
});
