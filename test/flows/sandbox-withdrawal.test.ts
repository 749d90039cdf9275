import { expect, it } from 'vitest';
import { SUBMIT_LIMIT } from '#shared/domain/analyses/analysis.ts';
import { api } from '../makers/api.ts';
import { CONSENTED_AT } from '../makers/people.ts';
import { type Person, useScene } from '../makers/scene.ts';
import { passTime } from '../makers/test-clock.ts';

const scene = useScene({ environment: 'sandbox' });
const NOT_SENT = { observacao: 'sandbox:nao_enviada' };

/** Submits an analysis that the sandbox's operator never receives. Returns its id. */
async function submitUnsent(person: Person): Promise<number> {
  const { body } = await scene.submit(person, ['itau'], `key-${person.lead}`);
  const [{ analise_id, sucesso, num_consulta }] = body.analises;
  expect(sucesso).toBe(true);
  expect(num_consulta).toBe('');
  return analise_id;
}

it.each([
  ['the note sandbox:nao_enviada', () => scene.person(undefined, NOT_SENT)],
  ['the test CPF 900.000.010-66', () => scene.person('900.000.010-66')],
])('with %s an analysis stays unsent, and a withdrawal cancels it with its event', async (_, makePerson) => {
  const person = await makePerson();
  const analysis = await submitUnsent(person);
  for (let minute = 0; minute < 6; minute++) await scene.tick(person);
  expect((await scene.status(analysis)).body.analise).toMatchObject({ situacao: 'em_analise', num_consulta: '' });

  const body = { revogado_em: CONSENTED_AT, canal: 'app' };
  const withdrawn = await api('withdrawConsent', { key: scene.key, id: person.lead, body });
  expect(withdrawn.body.analises).toMatchObject([{ analise_id: analysis, enviada: false }]);

  for (let minute = 0; minute < 10; minute++) await scene.tick(person);
  const { situacao, status_original } = (await scene.status(analysis)).body.analise;
  expect(situacao).toBe('cancelado');
  expect(status_original).toBe('Cancelado antes do envio: consentimento revogado pelo titular');
  expect((await scene.events([analysis])).map(({ type }) => type)).toEqual(['analise.resultado']);
});

it('without a withdrawal an analysis that the sandbox leaves unsent ends as erro after 48 hours', async () => {
  const person = await scene.person(undefined, NOT_SENT);
  const analysis = await submitUnsent(person);
  await scene.tick(person);
  passTime(SUBMIT_LIMIT);
  for (let minute = 0; minute < 3; minute++) await scene.tick(person);
  expect((await scene.status(analysis)).body.analise).toMatchObject({
    situacao: 'erro',
    status_original: 'Falha no envio: prazo de 48 horas encerrado',
  });
});
