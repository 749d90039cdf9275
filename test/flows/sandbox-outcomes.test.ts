import { describe, expect, it, vi } from 'vitest';
import { BANKS } from '../../shared/domain/values/bank.ts';
import { useScene } from '../makers/scene.ts';
import { passTime } from '../makers/test-clock.ts';

const idsOf = ({ body }: { body: { analises: { analise_id: number }[] } }) =>
  body.analises.map(({ analise_id }) => analise_id);

describe('in the sandbox', () => {
  const scene = useScene({ environment: 'sandbox' });

  it.each([
    ['900.000.001-75', 'aprovado', 'analise.resultado'],
    ['900.000.005-07', 'erro', 'analise.erro'],
    ['900.000.009-22', 'aprovado', 'analise.resultado'],
  ])('%s is %s at the first poll from 10 s after the submission', async (cpf, situacao, event) => {
    const person = await scene.person(cpf);
    const before = Date.now();
    const answer = await scene.submit(person, ['itau'], `key-${cpf}`);
    expect(answer.body.analises).toMatchObject([{ sucesso: true, num_consulta: expect.stringMatching(/^SB-/) }]);
    const ids = idsOf(answer);
    passTime(9_000);
    // The clock stands meanwhile: a busy machine takes longer over a poll than the second that is left.
    const clock = vi.spyOn(Date, 'now').mockReturnValue(before + 9_000);
    try {
      await scene.poll(person);
      expect((await scene.status(ids[0]!)).body.analise.situacao).toBe('em_analise');
    } finally {
      clock.mockRestore();
    }
    passTime(1_000);
    await scene.poll(person);
    const { analise } = (await scene.status(ids[0]!)).body;
    expect([analise.situacao, analise.pendente]).toEqual([situacao, false]);
    const events = await scene.events(ids);
    expect(events.map(({ type }) => type)).toEqual([event]);
    expect(events.map(({ failFirst }) => failFirst ?? false)).toEqual(events.map(() => cpf === '900.000.009-22'));
  });

  it('900.000.007-60 is aprovado after 5 minutes, 900.000.006-80 never', async () => {
    const [late, never] = [await scene.person('900.000.007-60'), await scene.person('900.000.006-80')];
    const lateIds = idsOf(await scene.submit(late!, ['inter'], 'late'));
    const neverIds = idsOf(await scene.submit(never!, ['inter'], 'never'));
    for (let minute = 0; minute < 4; minute++) await scene.tick(late!);
    expect((await scene.status(lateIds[0]!)).body.analise.situacao).toBe('em_analise');
    await scene.tick(late!, never!);
    expect((await scene.status(lateIds[0]!)).body.analise.situacao).toBe('aprovado');
    passTime(20 * 86_400_000);
    await scene.tick(never!);
    expect((await scene.status(neverIds[0]!)).body.analise.situacao).toBe('em_analise');
  });

  it('900.000.008-41 is refused at the bank submission, for every bank, with its event', async () => {
    const person = await scene.person('900.000.008-41');
    const answer = await scene.submit(person, BANKS, 'refused');
    expect(answer.status).toBe(202);
    expect(answer.body.analises.map(({ sucesso }: { sucesso: boolean }) => sucesso)).toEqual(BANKS.map(() => false));
    const events = await scene.events(idsOf(answer));
    expect(events.map(({ type }) => type)).toEqual(BANKS.map(() => 'analise.erro'));
    expect((await scene.analyses(person.lead)).body.pendentes).toBe(0);
  });

  it('asks no operator', () => {
    expect(scene.operator.control.state().calls).toEqual({ submit: 0, query: 0, batch: 0 });
  });
});
