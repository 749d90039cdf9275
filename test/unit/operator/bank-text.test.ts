import { expect, it, vi } from 'vitest';
import type { Analysis, AnalysisChange, AnalysisForm } from '#shared/domain/analyses/ports.ts';
import { type NameRemover, type RecordDeps, recordOutcomes } from '#shared/domain/analyses/record-outcomes.ts';
import { FormNameRemover, NamelessOperator } from '#shared/operator/bank-text.ts';
import { operatorReference, readOutcomes } from '#shared/operator/operator-api.ts';
import * as answers from '#shared/operator/read-answer.ts';
import { makeAnalysis } from '#test/makers/analysis.ts';
import { NO_NOTIFIER } from '#test/makers/delivery-queue.ts';
import { PERSONAL_TEXTS } from '#test/makers/personal-texts.ts';

const FORM: AnalysisForm = {
  nome: 'Marina Łukasz Duarte dos Santos Mesa',
  nome_mae: 'Tereza Cândido Sá',
  conjuge_nome: 'Rafael Nogueira Lima',
  rg: '55.667.788',
  telefone: '(11) 3222-1000',
  cpf: '05299822402',
};
const NAMED: readonly (readonly [text: string, kept: string])[] = [
  ['Reprovado: MARINA D. SANTOS', 'Reprovado: *** D. ***'],
  ['Marína Duarte dos Santos: em análise', '*** *** dos ***: em análise'],
  ['Filiação não confere: TEREZA CANDIDO SÁ', 'Filiação não confere: *** *** ***'],
  ['Aprovado com restrição do cônjuge (Rafael Nogueira)', 'Aprovado com restrição do cônjuge (*** ***)'],
  ['Pendente: doc. 55667788 e fone 1132221000', 'Pendente: doc. *** e fone ***'],
  ['Recusado CPF/CNPJ 00005299822402, 5299822402', 'Recusado CPF/CNPJ ***, ***'],
  // Mesa is a word of banks, so it stays although the person has it as a surname.
  ['Mesa de crédito: aprovado', 'Mesa de crédito: aprovado'],
];

const analysis = makeAnalysis({ environment: 'producao', queryNumber: 'IT-1', situation: 'em_analise' });
const forms = { form: vi.fn(async () => FORM) };
const reference = operatorReference(analysis, analysis.id);
const said = (status: string, queryNumber = 'IT-1') => ({
  reference,
  bank: analysis.bank,
  queryNumber,
  status,
  code: 'other',
});
const answered = (status: number, body: unknown) =>
  ({ status, headers: {}, body: Buffer.from(JSON.stringify(body)) }) as Parameters<typeof answers.readSubmitAnswer>[1];

/** Returns an operator that answers every call with this text, behind the filter. */
function operatorSaying(text: string, refusing = false): NamelessOperator {
  const schemas = answers.answerSchemas();
  const one = { ...analysis, reference };
  return new NamelessOperator(
    {
      openFor: () => undefined,
      submit: async () => answers.readSubmitAnswer(schemas, answered(refusing ? 422 : 200, said(text)), one),
      query: async () => answers.readStatusAnswer(schemas, answered(200, said(text)), one),
      queryBatch: async () => answers.readBatchAnswer(schemas, answered(200, { submissions: [said(text)] }), [one]),
    },
    new FormNameRemover(forms),
  );
}
const signal = AbortSignal.timeout(60_000);

/** Pushes a text about the analysis, over these writes. */
const push = (text: string, analyses: Partial<RecordDeps['analyses']>) =>
  recordOutcomes(readOutcomes([said(text)]), {
    analyses: {
      get: async () => analysis,
      note: async () => true,
      conclude: async () => ({ events: [] }),
      markUnanswerable: async () => {},
      ...analyses,
    },
    names: new FormNameRemover(forms),
    notifier: NO_NOTIFIER,
    observer: { asked() {}, concluded() {} },
    failed: (error) => expect.fail(String(error)),
  });

/** Every way by which a bank's text arrives. Each returns the text that is kept. */
const WAYS: Readonly<Record<string, (text: string) => Promise<unknown>>> = {
  'a submission': (text) => operatorSaying(text).submit(analysis, FORM, signal),
  'a refused submission': (text) => operatorSaying(text, true).submit(analysis, FORM, signal),
  'a poll': (text) => operatorSaying(text).query(analysis, signal),
  'a poll of many': async (text) => (await operatorSaying(text).queryBatch([analysis], signal))[0],
  'a push': async (text) => {
    let kept: Analysis = analysis;
    const keep = (written: Analysis) => {
      kept = written;
      return { events: [] };
    };
    await push(text, {
      get: async () => kept,
      note: async (_, queryNumber, rawStatus) => keep({ ...analysis, queryNumber, rawStatus }) !== undefined,
      conclude: async ({ after }) => keep(after),
    });
    return kept;
  },
};

it.each(Object.entries(WAYS))('the bank’s text of %s names nobody of its analysis', async (_, kept) => {
  for (const [text, rawStatus] of [...PERSONAL_TEXTS, ...NAMED]) expect(await kept(text)).toMatchObject({ rawStatus });
});

it('a pushed text is known the second time, also if a name in it has a letter that no bank writes', async () => {
  let kept: Analysis = analysis;
  const analyses = {
    get: async () => kept,
    conclude: async ({ after }: AnalysisChange) => {
      kept = after;
      return { events: [] };
    },
  };
  const text = 'Aprovado: Łukasz';
  expect(await push(text, analyses)).toEqual([{ kind: 'recorded' }]);
  expect(kept).toMatchObject({ situation: 'aprovado', rawStatus: 'Aprovado: ***' });
  expect(await push(text, analyses)).toEqual([{ kind: 'known' }]);
});

it('withoutNames reads no form for a text that has only words of banks, nor for the stored text', async () => {
  forms.form.mockClear();
  const texts = 'Em análise / Aprovado com restrição / Proposta cancelada / ERRO no processamento da proposta';
  for (const text of texts.split(' / ')) await WAYS['a poll']!(text);
  expect(forms.form).not.toHaveBeenCalled();
  await WAYS['a poll']!('Em análise: fulano');
  const kept = { ...analysis, rawStatus: 'Em análise: fulano' };
  expect(await new FormNameRemover(forms).withoutNames(kept, kept.rawStatus)).toBe(kept.rawStatus);
  expect(forms.form).toHaveBeenCalledTimes(1);
});

it('withoutNames leaves a text as it is if the form is gone', async () => {
  const names = new FormNameRemover({ form: async () => undefined });
  expect(await names.withoutNames(analysis, 'Em análise: Marina')).toBe('Em análise: Marina');
});

it('a form that cannot be read leaves the answers about the other analyses of its batch as they are', async () => {
  const others = [makeAnalysis({ queryNumber: 'IT-2' }), analysis];
  const one = { kind: 'known', queryNumber: 'IT-1', rawStatus: 'Aprovado' } as const;
  const api = { openFor: () => undefined, submit: vi.fn(), query: vi.fn(), queryBatch: async () => [one, one] };
  const names: NameRemover = {
    withoutNames: async (of, text) => (of === analysis ? Promise.reject(new Error('throttled')) : text),
    numberWithoutNames: async (_, queryNumber) => queryNumber,
  };
  expect(await new NamelessOperator(api, names).queryBatch(others, signal)).toMatchObject([
    one,
    { kind: 'unanswerable' },
  ]);
});

it.each(['accepted', 'known', 'known in a batch'])(
  'the query number of an analysis that is %s names nobody',
  async (kind) => {
    const known = { kind: 'known', queryNumber: 'MARINA-DUARTE-7', rawStatus: 'Aprovado' } as const;
    const operator = new NamelessOperator(
      {
        openFor: () => undefined,
        submit: async () => ({ ...known, kind: 'accepted' }),
        query: async () => known,
        queryBatch: async () => [known],
      },
      new FormNameRemover(forms),
    );
    const unnumbered = { ...analysis, queryNumber: '' };
    const results: Record<string, unknown> = {
      accepted: await operator.submit(unnumbered, FORM, signal),
      known: await operator.query(unnumbered, signal),
      'known in a batch': (await operator.queryBatch([unnumbered], signal))[0],
    };
    expect(results[kind]).toMatchObject({ queryNumber: '***-***-7', rawStatus: 'Aprovado' });
  },
);

it('a stored query number with a mask stays, and no form is read for it', async () => {
  forms.form.mockClear();
  const stored = { ...analysis, queryNumber: '***-***-7' };
  const schemas = answers.answerSchemas();
  const submission = said('Aprovado', 'MARINA-DUARTE-7');
  const operator = new NamelessOperator(
    {
      openFor: () => undefined,
      submit: vi.fn(),
      query: async (asked) => answers.readStatusAnswer(schemas, answered(200, submission), { ...asked, reference }),
      queryBatch: async ([asked = stored]) =>
        answers.readBatchAnswer(schemas, answered(200, { submissions: [submission] }), [{ ...asked, reference }]),
    },
    new FormNameRemover(forms),
  );
  const known = { kind: 'known', queryNumber: '***-***-7', rawStatus: 'Aprovado' };
  expect(await operator.query(stored, signal)).toEqual(known);
  expect(await operator.queryBatch([stored], signal)).toEqual([known]);
  expect(forms.form).not.toHaveBeenCalled();
});

it('numberWithoutNames masks a CPF with dots and dash if the form is gone', async () => {
  const names = new FormNameRemover({ form: async () => undefined });
  expect(await names.numberWithoutNames(analysis, 'IT-529.982.247-26')).toBe('IT-***');
});
