import * as z from 'zod/mini';
import { type Analysis, FINAL_SITUATIONS, isPending, SITUATIONS } from '../domain/analyses/analysis.ts';
import type {
  AnalysisChange,
  LeadAnalysis,
  OutcomePage,
  OutcomePlace,
  OutcomeQuery,
  SubmissionRefusal,
} from '../domain/analyses/ports.ts';
import { BANK_IDENTITIES } from '../domain/values/bank.ts';
import { timestamp } from '../domain/values/clock.ts';
import type { FieldFault } from '../domain/values/failure.ts';
import { type AnalysisId, idOf, parseId } from '../domain/values/ids.ts';
import { described } from './described.ts';
import { bankId, bankNickname, idField, moment, momentField, okay, textMeaning } from './fields.ts';
import { firstNotices, type Notice, noticeList } from './notices.ts';
import { limitIn, type Page, pageInput, pageOf, pageView } from './page.ts';
import { readFields } from './read-fields.ts';
import { unknownFields } from './unknown-fields.ts';

const analysisId = () => idField('Identificador da análise em um banco; é com ele que se acompanha o desfecho.');
const situation = () =>
  described(
    z.enum(SITUATIONS),
    'Onde a análise está; a lista é estável na v1: decida por ela. em_analise: o banco ainda não decidiu. aprovado. condicionado: aprovado com uma condição. recusado: o banco recusou. cancelado: cancelada ou vencida. erro: não se conseguiu submeter ou consultar.',
  );
const queryNumber = () =>
  described(
    z.string(),
    'Número da consulta no banco; vazio enquanto o banco não o confirmou. Um CPF com pontos e traço aparece nele como *** e, enquanto guardamos o formulário, também CPF, nome, telefone e nascimento de quem está nele, nas formas usuais, salvo palavras que os bancos usam.',
  );
const pending = () =>
  described(z.boolean(), 'true enquanto situacao é em_analise; quando passa a false, o desfecho é definitivo.');

export const analysesAccepted = described(
  z.object({
    ok: okay(),
    analises: described(
      z.array(
        z.object({
          banco_id: bankId(),
          sucesso: described(
            z.boolean(),
            'true: a proposta foi ou está sendo entregue ao banco. false: o banco não a recebeu nem receberá. A análise já tem desfecho, que vai também por webhook: erro, ou cancelado se o titular revogou o consentimento ou pediu a eliminação dos dados antes do envio.',
          ),
          analise_id: analysisId(),
          num_consulta: queryNumber(),
          status: described(
            z.string(),
            'Texto do banco ao receber, só para leitura; o desfecho vem em situacao, depois.',
          ),
          motivo: described(
            z.optional(z.string()),
            'Por que o banco não a recebeu, em uma frase para pessoas, como no webhook; só com sucesso false.',
          ),
        }),
      ),
      'Um item por banco, na ordem pedida.',
    ),
    avisos: noticeList(),
  }),
  { id: 'AnalisesAceitas' },
);

const REFUSALS: Readonly<Record<SubmissionRefusal, string>> = {
  bank_not_served: 'O operador não atende este banco no momento; envie uma nova solicitação para outro banco.',
  form_invalid: 'O banco não aceita os dados do formulário; confira-os e envie uma nova solicitação.',
  test_cpf: 'O sandbox recusa o envio para este CPF de teste.',
  too_late: 'O operador não recebeu esta solicitação em 48 horas; envie uma nova.',
  other: 'O operador recusou o envio desta solicitação ao banco.',
};

export const failureReason = ({ rawStatus }: Analysis, refusal: SubmissionRefusal | undefined): string =>
  refusal ? REFUSALS[refusal] : rawStatus || 'falha ao processar a análise';

/** `after` is an analysis after the attempt to send it. `refusal` says why its bank did not take it. */
export function analysesAcceptedBody(
  changes: readonly Pick<AnalysisChange, 'after' | 'refusal'>[],
  notices: readonly Notice[] = [],
): z.input<typeof analysesAccepted> {
  return {
    ok: true,
    avisos: firstNotices(notices),
    analises: changes.map(({ after, refusal }) => {
      // Without a number, a pending analysis may still reach the bank, and a final analysis never did.
      const taken = after.queryNumber !== '' || isPending(after.situation);
      return {
        banco_id: BANK_IDENTITIES[after.bank].id,
        sucesso: taken,
        analise_id: after.id,
        num_consulta: after.queryNumber,
        status: after.rawStatus,
        motivo: taken ? undefined : failureReason(after, refusal),
      };
    }),
  };
}

export const analysisView = z.object({
  analise_id: analysisId(),
  banco: bankNickname(),
  num_consulta: queryNumber(),
  status_original: described(
    z.string(),
    'Último texto do banco, só para leitura; muda sem aviso. Um CPF, RG, telefone ou e-mail em forma usual vem nele como *** e, enquanto guardamos o formulário, também o nome do titular, da mãe ou do cônjuge, salvo palavras que os bancos usam.',
  ),
  situacao: situation(),
  pendente: pending(),
});

export function analysisViewOf(analysis: Analysis): z.input<typeof analysisView> {
  return {
    analise_id: analysis.id,
    banco: analysis.bank,
    num_consulta: analysis.queryNumber,
    status_original: analysis.rawStatus,
    situacao: analysis.situation,
    pendente: isPending(analysis.situation),
  };
}

export const analysisStatus = described(
  z.object({ ok: okay(), analise: described(analysisView, 'Onde a análise está neste momento.') }),
  { id: 'AnaliseSituacao' },
);

export function analysisStatusBody(analysis: Analysis): z.input<typeof analysisStatus> {
  return { ok: true, analise: analysisViewOf(analysis) };
}

export const leadAnalysisList = described(
  z.object({
    ok: okay(),
    ...pageView,
    pendentes: described(z.int(), 'Quantas análises do lead ainda estão em_analise, em todas as páginas.'),
    analises: described(
      z.array(
        z.object({ analise_id: analysisId(), banco: bankNickname(), situacao: situation(), pendente: pending() }),
      ),
      'As análises desta página, da mais nova à mais antiga.',
    ),
  }),
  { id: 'AnalisesDoLead' },
);

export function leadAnalysisListBody(analyses: readonly LeadAnalysis[], page: Page): z.input<typeof leadAnalysisList> {
  const { items, more } = pageOf(analyses, page);
  return {
    ok: true,
    ...page,
    tem_mais: more,
    pendentes: analyses.filter(({ situation }) => isPending(situation)).length,
    analises: items.map(({ id, bank, situation }) => ({
      analise_id: id,
      banco: bank,
      situacao: situation,
      pendente: isPending(situation),
    })),
  };
}

/** Undefined if the text is no cursor. */
function placeOf(cursor: string): OutcomePlace | undefined {
  const [, concludedAt, id = ''] = /^(\d{1,15})-(\d+)$/.exec(cursor) ?? [];
  const analysisId = parseId<AnalysisId>(id);
  return analysisId && { concludedAt: Number(concludedAt), id: analysisId };
}
const cursorOf = ({ concludedAt, id }: OutcomePlace) => `${concludedAt}-${id}`;

const outcomeFilter = z.object({
  cursor: described(
    z.optional(
      textMeaning('deve ser o proximo_cursor da página anterior, como veio', '1764000000000-139203847561029', placeOf),
    ),
    'O `proximo_cursor` da página anterior, que continua a lista; sem ele, a primeira página.',
  ),
  atualizada_desde: described(
    z.optional(moment('; no endereço, escreva o + de um fuso como %2B')),
    'Só as análises cuja `situacao` mudou neste momento ou depois; sem efeito com `cursor`.',
  ),
  situacao: described(
    z.optional(
      z.enum(FINAL_SITUATIONS, {
        error: `deve ser um destes: ${FINAL_SITUATIONS.join(', ')}; uma análise em_analise entra na lista com o desfecho`,
      }),
    ),
    'Só as análises nesta situação.',
  ),
});

export const outcomeQuery = z.extend(outcomeFilter, { limit: pageInput.shape.limit });

/** Throws `campo_invalido`, which names every wrong parameter. */
export function parseOutcomeQuery(
  query: Readonly<Record<string, string | undefined>>,
): OutcomeQuery & Pick<Page, 'avisos'> {
  const faults: FieldFault[] = [];
  const limit = limitIn(query, faults);
  const filter = readFields(outcomeFilter, query, { faults: () => faults });
  const since = Math.max(0, Date.parse(filter.atualizada_desde ?? FIRST_MOMENT));
  return {
    after: filter.cursor ?? { concludedAt: since, id: idOf<AnalysisId>(0) },
    situation: filter.situacao,
    limit,
    avisos: firstNotices(unknownFields(outcomeQuery, query)),
  };
}
const FIRST_MOMENT = '1970-01-01T00:00:00Z';

export const outcomeList = described(
  z.object({
    ok: okay(),
    limit: pageView.limit,
    tem_mais: described(z.boolean(), 'true quando há outra página: peça-a com `cursor`.'),
    proximo_cursor: described(
      z.nullable(z.string()),
      'O `cursor` da próxima página, só para devolver como veio; null na última.',
    ),
    analises: described(
      z.array(
        z.object({
          analise_id: analysisId(),
          banco: bankNickname(),
          situacao: situation(),
          criada_em: momentField('Momento da submissão, UTC.'),
          atualizada_em: momentField('Momento em que `situacao` mudou pela última vez, UTC.'),
        }),
      ),
      'As análises desta página, da que mudou há mais tempo à mais recente. Com um filtro, podem ser menos que `limit`, mesmo nenhuma, com outras páginas depois.',
    ),
    avisos: noticeList(),
  }),
  { id: 'AnalisesDaUnidade' },
);

export function outcomeListBody(
  { items, next }: OutcomePage,
  { limit, avisos }: Pick<Page, 'limit' | 'avisos'>,
): z.input<typeof outcomeList> {
  return {
    ok: true,
    limit,
    tem_mais: next !== undefined,
    proximo_cursor: next ? cursorOf(next) : null,
    analises: items.map(({ id, bank, situation, createdAt, concludedAt }) => ({
      analise_id: id,
      banco: bank,
      situacao: situation,
      criada_em: timestamp(createdAt),
      atualizada_em: timestamp(concludedAt),
    })),
    avisos,
  };
}
