import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SITUATIONS, type Situation } from '#shared/domain/analyses/analysis.ts';
import { readStatus } from '#shared/domain/analyses/statuses.ts';
import { inClosedAlphabet } from '#shared/domain/values/masked-text.ts';

const RUNS = process.env['SOAK'] ? 20_000 : 300;

/**
 * Texts of each situation, separated by slashes: texts of each rule, texts in which an earlier rule wins, and spellings
 * that the table does not show.
 */
const TEXTS: Readonly<Record<Situation, string>> = {
  erro: `ERRO no processamento / Erros na integração / Falha no envio / Banco indisponível / Timeout / Não integrado /
    Proposta não integrada ao banco / Falha: proposta cancelada / Aprovado, erro ao registrar`,
  cancelado: `Cancelado / Proposta cancelada pelo cliente / Aprovação cancelada / Crédito vencido / Aprovação expirada /
    Cliente desistiu / Desistência / Arquivada / Caducou / Caducidade da proposta / Encerrado /
    Encerrada sem aprovação / Recusado e arquivado / Não aprovado: vencido`,
  recusado: `Não aprovado / Não aprovada / Não foi aprovado / Não concedido / Não deferido / Crédito não foi concedido /
    Not approved / NOT YET APPROVED / Reprovado / Reprovado por restrição / Reprovada com ressalvas / Recusado / Negado /
    Negada pela política de crédito / Rejeitado / Indeferido / INDEFERIDA / Declinado / Rejected / Denied /
    Não pré-aprovado / Aprovado no sistema; reprovado na mesa de crédito / Reprovado: restri??o /
    IN\u00adDEFERIDO / RE\u200bPROVADO / NA\u0303O FOI APROVADO / NÃO_APROVADO / não–aprovado / NÃO\n\t APROVADO`,
  em_analise: `Pré-aprovado / Pré aprovada / PREAPROVADO / Em reanálise / Reanálise / Aguardando aprovação /
    Em aprovação / Pré-aprovado com restrição / Enviado ao banco / Recebida / Pendente / Pendentes de documentos /
    Em análise / EM ANALISE DE CREDITO / Em validação / Em processamento / Aguardando documentos /
    Documentação pendente / Mesa de crédito / SENT / Pending / Sent to bank`,
  condicionado: `Aprovado com restrição / Aprovada com restrições / Aprovado a menor / Aprovado com ressalva /
    Aprovada com RESSALVAS / Aprovação concluída: aprovado parcialmente / Aprovado com pendências /
    Aprovado com exigência / Aprovado, documentação pendente / Aprovado condicionalmente / Condicionado /
    Condicionada à venda do imóvel / Aprovado sem restrição, com ressalva / Aprovado sem a menor restrição /
    Com restrição, aprovado / Deferido com ressalva / Approved with conditions / Conditionally approved /
    Aprovado com condições / Aprovada sob condição`,
  aprovado: `Aprovado / APROVADA / Aprovados / Crédito aprovado / Aprovado sem restrição / Aprovado sem restrições /
    Aprovado sem pendências e sem ressalvas / Aprovado - sem documentação pendente / Deferido / Concedida /
    Crédito concedido / Approved / Incondicionado: aprovado / Aprovada menor taxa / Notificado: aprovado /
    Aprovado, enviado ao cliente / Aprovado sem condições / Aprovado nas condições da proposta /
    Aprovado! Amanhã, assinatura / APROVADO AMANHÃ / CPF ***: aprovado / Aprova\u00addo / OPERAÇÃO NA FIANÇA: APROVADO /
    Aprovado (c/ seguro), 80% de R$ 500.000,00 [mesa] | nº 12`,
};
/**
 * Texts that no rule knows, and texts that a person has to read: a doubtful approval, or an approval in a damaged text.
 */
const UNKNOWN = `... / Situação 17-B / Desaprovado / Inaprovado / Aprovando / Aprovação / Incondicionado / Preenviado /
  Quem analise / Desmarcado / Suspenso / Não / Não há restrição: aprovado / Não constam débitos: aprovado /
  Não pode ser aprovado / Não, *** *** ***: aprovado / Aprovado a *** menor / Not to be approved / Sem restrição / Com ressalva / A menor / 審査中 / \u0000 / \ud800 /
  Aprovado: não / Crédito aprovado? Não. / Approved: NOT /
  NÃ£o aprovado / NÃƒO APROVADO / N\ufffdo aprovado / N?o aprovado / N&atilde;o aprovado / N&#227;o concedido /
  PrÃ©-aprovado / Pr?-aprovado / Aprovado com restriÃ§Ã£o / Aprovado com restri??o / Aprovado com pend?ncia /
  Aprovado com exigÃªncia / Aprovado, por?m condicionado / Pr? aprovado / Crédito aprovado? /
  N\\u00e3o aprovado / N\u001ao aprovado / N=E3o aprovado / N%C3%A3o aprovado / N%E3o aprovado /
  N├úo aprovado / N√£o aprovado / Na~o aprovado / N*o aprovado / N_o aprovado / N#o aprovado /
  NÆo aprovado / NÇO APROVADO / PrÚ-aprovado / Aprovado com pendÍncia / PR…-APROVADO / Pr… aprovado`;
const split = (texts: string) => texts.split(/ \/\n? */);

describe('readStatus', () => {
  for (const situation of SITUATIONS)
    test.each(split(TEXTS[situation]))(`readStatus reads %j as ${situation}`, (text) => {
      expect(readStatus(text)).toEqual({ situation, known: true });
    });
});

test('every text is read the same after it was reduced to the closed alphabet', () => {
  const texts = [...Object.values(TEXTS), UNKNOWN, 'Aprovado Ã\u00a0 vista / N\u0083o aprovado'].flatMap(split);
  const different = texts.filter((text) => readStatus(inClosedAlphabet(text)).situation !== readStatus(text).situation);
  expect(different).toEqual([]);
});

test.each(['', ' ', ...split(UNKNOWN)])('readStatus reads %j as unknown, which is pending', (text) => {
  expect(readStatus(text)).toEqual({ situation: 'em_analise', known: false });
});

const WORDS = [
  'NAO',
  'NOT',
  'SEM',
  'A',
  'EM',
  'FOI',
  'COM',
  'POR',
  'PRE',
  'NOTA',
  'SEMPRE',
  'DE',
  'MESA',
  'CREDITO',
  'MENOR',
  'ERRO',
  'FALHA',
  'INDISPONIVEL',
  'TIMEOUT',
  'INTEGRADO',
  'CANCELADA',
  'EXPIRADO',
  'VENCIDO',
  'DESISTIU',
  'ARQUIVADO',
  'CADUCO',
  'ENCERRADO',
  'REPROVADO',
  'RECUSADO',
  'NEGADO',
  'REJEITADO',
  'INDEFERIDO',
  'DECLINADO',
  'REJECTED',
  'DENIED',
  'APROVADO',
  'APROVADA',
  'PREAPROVADO',
  'REANALISE',
  'AGUARDANDO',
  'APROVACAO',
  'ENVIADO',
  'CONDICIONADO',
  'CONDICIONANTE',
  'RESTRICAO',
  'RESSALVAS',
  'PARCIAL',
  'PENDENCIA',
  'EXIGENCIA',
  'DOCUMENTACAO',
  'PENDENTE',
  'DEFERIDO',
  'CONCEDIDO',
  'APPROVED',
  'RECEBIDO',
  'ANALISE',
  'VALIDACAO',
  'PROCESSAMENTO',
  'SENT',
  'PENDING',
  'CONDITIONS',
  'CONDICOES',
  'SOB',
  'DESAPROVADO',
  'INCONDICIONADO',
  'QUALQUER',
  '17',
];

test('readStatus ignores case, accents, punctuation and blanks', () => {
  const blank = fc.stringMatching(/^[ \t\n.,;:!()/–-]{1,4}$/);
  // A capital after a small letter would be a sign of a damaged letter.
  const dress = (word: string, capitals: number, accents: readonly string[]) =>
    [...word].map((c, i) => (i < capitals ? c : c.toLowerCase()) + accents[i % accents.length]).join('');
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom(...WORDS), blank), { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 0, max: 20 }),
      fc.array(fc.constantFrom('', '', '\u0301', '\u0303', '\u0327\u0301'), { minLength: 1, maxLength: 7 }),
      (parts, capitals, accents) => {
        const plain = parts.map(([word]) => word).join(' ');
        const dressed = parts.map(([word, gap]) => dress(word, capitals, accents) + gap).join('');
        expect(readStatus(dressed.normalize('NFD'))).toEqual(readStatus(plain));
      },
    ),
    { numRuns: RUNS },
  );
});

test('readStatus returns a reading for any string', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      const reading = readStatus(text);
      expect(SITUATIONS).toContain(reading.situation);
      expect(reading.known || reading.situation === 'em_analise').toBe(true);
    }),
    { numRuns: RUNS },
  );
});

test.each([
  ['marks out of order', `a${'\u0301\u0327'.repeat(200_000)}`, 'em_analise'],
  ['approvals', 'aprovado '.repeat(45_000), 'aprovado'],
  ['negations', `${'não '.repeat(100_000)}aprovado`, 'recusado'],
  ['SEM before each qualifier', `aprovado ${'sem restrição '.repeat(30_000)}`, 'aprovado'],
  ['blanks', `${' '.repeat(400_000)}recusado`, 'recusado'],
  ['beginnings of words', 'APROVA'.repeat(70_000), 'em_analise'],
])(
  'readStatus reads 400,000 characters of %s in linear time, since quadratic work exceeds the limit',
  (_, text, situation) => {
    expect(readStatus(text).situation).toBe(situation);
  },
  20_000,
);
